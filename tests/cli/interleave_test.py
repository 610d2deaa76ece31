# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl gate --interleave`, with a program that plays a CUDA program (fake_guest.py) and a collector that needs no GPU."""

import json
import sys
import unittest

from program import FIRST, HERE, PROGRAM, SECOND, ProgramTest

GUEST = [sys.executable, str(HERE / "fake_guest.py"), "often"]


class Interleave(ProgramTest):
    def gate(self, base, new, *options, command=(*GUEST, "{}"), **extra):
        return self.call("gate", "--interleave", base, new, *options, "--", *command,
                         ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so", **extra)

    def runs(self):
        """What was measured, in its order: side, number and run."""
        files = sorted(self.folder.glob("runs/gate/*/*/*/2*/run.json"), key=lambda file: file.stat().st_mtime_ns)
        return [(*file.parents[2].name.split("-"), json.loads(file.read_text())) for file in files]

    def test_measures_both_sides_in_turn(self):
        result = self.gate("as-it-was", "slow", "--json")
        self.assert_exit(result, 4)
        self.assertEqual([run[:2] for run in self.runs()], [(side, number) for number in "123" for side in ["base", "new"]])
        self.assertEqual([run[2]["application"]["command_line"][-1] for run in self.runs()], ["as-it-was", "slow"] * 3)
        answer = json.loads(result.stdout)
        self.assertEqual((len(answer["baseline"]), len(answer["repeats"])), (3, 2))
        self.assertEqual([device["uuid"] for device in answer["devices"]], [FIRST])
        regressed = {point["label"]: check for point in answer["points"] for check in point["checks"] if check["outcome"] == "regressed"}
        self.assertEqual(set(regressed), {"add"})
        self.assertAlmostEqual(regressed["add"]["to"] / regressed["add"]["from"], 1.2, places=2)
        self.assertGreater(regressed["add"]["detectable"], 0.05)
        self.assertLess(regressed["add"]["detectable"], 0.06)
        self.assertIn("new 3 of 3: ", result.stderr)
        self.assertIn("guest: out\n", result.stderr)

    def test_the_same_code_passes_and_says_what_it_could_see(self):
        result = self.gate("a", "b", "--rounds", 2, "--junit", "gate.xml", "-o", "elsewhere")
        self.assert_exit(result, 0)
        self.assertIn("smallest change that fails: time +5.", result.stdout)
        self.assertEqual(len(list(self.folder.glob("elsewhere/gate/*/*/*/2*/run.json"))), 4)
        self.assertTrue((self.folder / "gate.xml").exists())

    def test_measures_plans_with_rooflinectl_itself(self):
        self.write("other.yaml", (self.folder / "plan.yaml").read_text())
        result = self.gate("plan.yaml", "other.yaml", "--rounds", 2, command=[PROGRAM, "run", "{}"])
        self.assert_exit(result, 0)
        self.assertEqual([run[2]["plan"]["name"] for run in self.runs()], ["demo"] * 4)

    def test_options_of_profile(self):
        result = self.gate("a", "b", "--rounds", 1, command=[PROGRAM, "profile", "--once", "--", *GUEST, "{}"])
        self.assert_exit(result, 0)
        self.assertEqual([run[2]["application"]["runs"] for run in self.runs()], [1, 1])

    def test_refuses_two_gpus(self):
        result = self.gate("0", "1", command=[PROGRAM, "run", "plan.yaml", "--device", "{}"], FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 2)
        self.assertRegex(result.stderr, f"was measured on {FIRST}, .*/new-1/.* on {SECOND}: interleaved runs need the same GPUs\nhint: ")
        self.assertEqual(len(self.runs()), 2)

    def test_ends_when_the_new_side_fails(self):
        result = self.gate("exit:0", "exit:3")
        self.assert_exit(result, 4)
        self.assertIn("the program ended with exit code 3", result.stdout)
        self.assertEqual(len(self.runs()), 2)

    def test_what_leaves_no_run_cannot_be_compared(self):
        result = self.gate("silent", "silent")
        self.assert_exit(result, 1)
        self.assertIn("left no run in place of one; exit code ", result.stderr)

    def test_a_replay_is_no_measurement(self):
        self.assert_exit(self.run_plan(), 0)
        replay = [PROGRAM, "run", "plan.yaml", "--replay"]
        result = self.gate("a", "b", command=[*replay, "runs/demo/latest"])
        self.assert_exit(result, 2)
        self.assertIn("is the same for both sides\nhint: write {} where the two differ", result.stderr)
        result = self.gate("runs/demo/latest", "runs/demo/latest", command=[*replay, "{}"])
        self.assert_exit(result, 3)
        self.assertIn("replayed a recording: nothing was measured", result.stderr)

    def test_mistakes(self):
        for arguments, message in [(["a", "b", "--", "x"], "a COMMAND after -- requires --interleave"),
                                   (["--interleave", "a", "b"], "a COMMAND after -- is required"),
                                   (["--interleave", "a", "b", "--", "no-such-program", "{}"], "no-such-program"),
                                   (["--interleave", "a", "b", "--history", "runs", "--", "x", "{}"], "--history excludes --interleave"),
                                   (["a", "b", "--rounds", "2"], "--rounds requires --interleave")]:
            result = self.call("gate", *arguments, ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so")
            self.assertIn(result.returncode, [1, 2], result.stderr)
            self.assertIn(message, result.stderr)


if __name__ == "__main__":
    unittest.main()
