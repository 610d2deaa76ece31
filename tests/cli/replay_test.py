# SPDX-License-Identifier: Apache-2.0
"""Recordings in place of a GPU."""

import json
import unittest

from program import PLAN, REPORTS, ProgramTest
from recordings import recorded


class Replay(ProgramTest):
    """Without a GPU a recording takes the place of a run. The demo plan's sums are in the shipped one, its ladder is not
    (it is recorded at other sizes)."""

    def test_without_a_gpu_the_shipped_recording_is_replayed(self):
        result = self.run_plan("no_gpu@start")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout.splitlines()[0],
                         r"^replayed, not measured: recording of NVIDIA H200, \d{4}-\d\d-\d\d .*no CUDA device was found")
        run = self.run_json()
        recording = recorded()
        self.assertEqual(run["source"], "replayed")
        self.assertEqual(run["devices"], [recording["device"]])
        self.assertEqual(run["started_utc"], recording["started_utc"])
        self.assertEqual(set(self.measured()), {"sum_atomic", "sum_warp_shuffle"})
        (time,) = [m["time"]["median_s"] for m in recording["measurements"]
                   if m["variant"] == "sum_atomic" and m["dtype"] == "f32" and m["n"] == 2**20]
        self.assertAlmostEqual(self.measured()["sum_atomic"]["time"]["median_s"] / time, 1, delta=1e-6)
        self.assertIn("not in the recording: 2 of the plan's 4 points; measuring them requires a GPU\n  sums.reduce_v0_global.f32.n1048576", result.stdout)
        folder = self.folder / "runs/demo/latest"
        for name in REPORTS:
            self.assertTrue((folder / name).exists(), name)
        for name in ["summary.md", "report.html", "roofline.svg"]:
            text = (folder / name).read_text()
            self.assertIn("replayed", text, name)
            self.assertIn("NVIDIA H200", text, name)
        self.assertIn("\nincomplete, 2 of 4 points missing: V0, V3; replayed; ", result.stdout)

    def test_an_experiment_that_is_not_in_the_recording_has_a_sentence(self):
        self.write("plan.yaml", PLAN + "  ladder:\n    variants: reduce_*\n    sizes: 2^20\n")
        result = self.run_plan("no_gpu@start")
        self.assert_exit(result, 0)
        self.assertIn("\nthe run has no point of this experiment\nincomplete, 2 of 2 points missing: V0, V3; replayed\n", result.stdout)
        self.assertNotRegex(result.stdout, r"\npoint +time .*\nincomplete")
        summary = (self.folder / "runs/demo/latest/summary.md").read_text()
        self.assertIn("\nThe run has no point of this experiment.\n", summary)

    def test_a_point_is_matched_by_its_work_not_by_its_experiment(self):
        self.write("plan.yaml", PLAN.replace("sums:", "elsewhere:").replace("reduce_*, ", ""))
        self.assert_exit(self.run_plan("no_gpu@start"), 0)
        self.assertEqual({m["experiment"] for m in self.run_json()["measurements"]}, {"elsewhere"})

    def test_a_recording_can_be_named(self):
        self.assert_exit(self.run_plan(), 0)
        measured = (self.folder / "runs/demo/latest/run.json").resolve()
        result = self.run_plan("", "--replay", measured)
        self.assert_exit(result, 0)
        self.assertTrue(result.stdout.startswith("replayed, not measured: recording of Fake GPU, "), result.stdout)
        self.assertEqual(len(self.run_json()["measurements"]), 4)

    def test_nothing_to_replay_exits_with_3(self):
        self.write("plan.yaml", PLAN.replace("2^20", "12345"))
        result = self.run_plan("no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no recording contains any point of this plan", result.stderr)
        self.assert_nothing_written()

    def test_a_damaged_recording_exits_with_2(self):
        self.write("broken.json", json.dumps(recorded())[:5000])
        result = self.run_plan("", "--replay", "broken.json")
        self.assert_exit(result, 2)
        self.assertIn("broken.json", result.stderr)
        self.assert_nothing_written()

    def test_an_error_of_the_users_is_not_replayed_over(self):
        self.write("runs", "a file where the folder should be")
        result = self.run_plan()
        self.assert_exit(result, 3)
        self.assertNotIn("replayed", result.stdout)


if __name__ == "__main__":
    unittest.main()
