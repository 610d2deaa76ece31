# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl explain`."""

import json
import unittest

from program import SOURCE, ProgramTest
from recordings import REDUCTIONS as RECORDING, recorded


class Explanations(ProgramTest):
    RECORDING = RECORDING

    def test_names_what_bounds_a_point_and_what_its_step_changed(self):
        result = self.call("explain", self.RECORDING, "--point", "V3")
        self.assert_exit(result, 0)
        self.assertIn("V3: issue-bound", result.stdout)
        self.assertIn("fewer bank conflicts: shared wavefronts per instruction", result.stdout)
        self.assertNotIn("V7", result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)

    def explained(self, recording, point):
        result = self.call("explain", SOURCE / "recordings" / recording, "--point", point)
        self.assert_exit(result, 0)
        return " ".join(result.stdout.split())

    def test_gives_each_reason_once_when_a_kernel_was_not_counted(self):
        text = self.explained("cupy-fft-h200", "cupy_fill*")
        reason = "no roof: FP64 operations, FP32 operations, FP16 instructions, Tensor Core instructions: launched only while these were not counted"
        self.assertEqual(text.count("launched only while these were not counted"), 1)
        self.assertIn(reason, text)
        self.assertIn("no roof: as for cupy_fill grid 524288", text)

    def test_gives_advice_once_and_savings_per_step_when_launch_groups_share_it(self):
        text = self.explained("training-step-h200", "elementwise<direct copy, f32>*")
        self.assertEqual(text.count("next: Keep its inputs contiguous and of one type"), 1)
        self.assertIn("unvectorised: as for elementwise<direct copy, f32>", text)
        self.assertIn("could save 184.4 µs … 185.9 µs per step", text)

    def test_as_json(self):
        result = self.call("explain", self.RECORDING, "--json")
        self.assert_exit(result, 0)
        experiments = json.loads(result.stdout)["experiments"]
        self.assertEqual([e["experiment"] for e in experiments], ["ladder", "seeds_ladder", "seeds_sum"])
        self.assertEqual(experiments[0]["points"][8]["findings"][0]["rule"], "dram-roof")

    def brief(self, run, budget, *options):
        result = self.call("explain", run, "--json", "--budget", budget, *options)
        self.assert_exit(result, 0)
        self.assertLessEqual(len(result.stdout.encode()), 4 * budget)
        return json.loads(result.stdout)

    def test_a_budget_holds_what_could_gain_most(self):
        for recording in ["reductions-h200", "training-step-h200", "data-parallel-two-h200"]:
            run = SOURCE / "recordings" / recording
            whole = self.brief(run, 1_000_000)
            self.assertEqual(whole["left_out"]["points"], 0)
            gains = [row["gain_s"] for row in whole["rows"] if "gain_s" in row]
            self.assertEqual(gains, sorted(gains, reverse=True))
            self.assertTrue(all("gain_s" in row for row in whole["rows"][:len(gains)]))
            for budget in [200, 320, 800, 3000]:
                brief = self.brief(run, budget)
                rows = brief["rows"]
                self.assertEqual([row["point"] for row in rows], [row["point"] for row in whole["rows"][:len(rows)]])
                self.assertEqual(brief["left_out"]["points"], len(whole["rows"]) - len(rows))
                self.assertAlmostEqual(brief["left_out"]["gain_s"], sum(gains[len(rows):]), delta=1e-3 * sum(gains))
                losses = brief.get("losses", [])
                self.assertEqual(losses, whole.get("losses", [])[:len(losses)])
                self.assertEqual(brief["left_out"].get("losses", 0), len(whole.get("losses", [])) - len(losses))
                self.assertGreaterEqual(len(rows) + len(losses), 1)
            self.assertGreater(len(rows), 5)

    def test_what_costs_a_program_most_comes_first_for_agents_too(self):
        run = SOURCE / "recordings" / "training-step-h200"
        idle, fusion = self.brief(run, 1000)["losses"]
        self.assertEqual((idle["loss"], idle["of"], idle["cost_s"]), ("idle", "step", 0.008192))
        self.assertIn("CUDA graphs", idle["next_step"])
        self.assertEqual(fusion["loss"], "fusion")
        self.assertEqual(self.brief(run, 200)["losses"], [idle])
        self.assertEqual(json.loads(self.call("explain", run, "--json").stdout)["losses"], [idle, fusion])
        self.assertNotIn("losses", self.brief(run, 1000, "--point", "reduce*"))
        ranks = self.brief(SOURCE / "recordings" / "data-parallel-two-h200", 1000)["losses"]
        self.assertEqual([loss["loss"] for loss in ranks], ["idle", "waiting"])
        self.assertIn("rank 0", ranks[1]["next_step"])

    def test_a_budget_gives_verdict_evidence_next_step_gain_and_confidence(self):
        row = self.brief(self.RECORDING, 1000, "--point", "V1")["rows"][0]
        self.assertEqual((row["verdict"], row["confidence"], row["doubts"]), ("issue-slots", "high", []))
        self.assertEqual(row["evidence"][0], {"name": "issue slots used", "value": 0.7918, "unit": "ratio"})
        self.assertIn("Execute fewer instructions", row["next_step"])
        self.assertEqual(row["also"], ["predication"])
        self.assertAlmostEqual(row["gain_fraction"], 1 - row["fraction_of_roofline"], places=4)
        self.assertAlmostEqual(row["gain_s"], row["gain_fraction"] * row["time_s"], delta=1e-3 * row["time_s"])

    def test_what_failed_comes_first_in_a_budget(self):
        run = recorded()
        failed = run["measurements"][-1]
        failed.update(status="failed", cause="wrong result: 1 instead of 2")
        del failed["time"]
        self.write("run.json", json.dumps(run))
        row = self.brief("run.json", 300)["rows"][0]
        self.assertEqual((row["status"], row["cause"]), ("failed", "wrong result: 1 instead of 2"))

    def test_a_budget_holds_however_long_the_names_are(self):
        run = recorded()
        for device in [run["device"]] if "device" in run else run["devices"]:
            device["name"] = "ü" * 5000
        for experiment in run["plan"]["experiments"]:
            experiment["name"] = experiment["name"] * 100
        for measurement in run["measurements"]:
            measurement["experiment"] = measurement["experiment"] * 100
        self.write("run.json", json.dumps(run))
        brief = self.brief("run.json", 200)
        self.assertEqual(brief["rows"], [])
        self.assertEqual(brief["left_out"]["points"], len(run["measurements"]))

    def test_names_a_budget_that_is_too_small(self):
        result = self.call("explain", self.RECORDING, "--json", "--budget", 199)
        self.assert_exit(result, 2)
        self.assertIn("--budget", result.stderr)
        self.assertIn("200", result.stderr)
        self.assert_exit(self.call("explain", self.RECORDING, "--budget", 500), 2)  # text has no budget

    def test_names_what_is_wrong(self):
        unknown = self.call("explain", self.RECORDING, "--point", "reduce_v3_sequentail")
        self.assert_exit(unknown, 2)
        self.assertIn("did you mean 'reduce_v3_sequential'?", unknown.stderr)
        self.assert_exit(self.call("explain", "no such file"), 2)
        ceilings = self.call("explain", str(SOURCE / "recordings/ceilings-h200"))
        self.assert_exit(ceilings, 2)
        self.assertIn("no points to explain", ceilings.stderr)


if __name__ == "__main__":
    unittest.main()
