# SPDX-License-Identifier: Apache-2.0
"""Primitives, from outside."""

import json
import unittest

from program import PLAN, ProgramTest


class Primitives(ProgramTest):
    PLAN = "name: demo\nceilings: dram_copy\nprimitives: all\n"

    def setUp(self):
        super().setUp()
        self.write("plan.yaml", self.PLAN)

    def results(self):
        return {result["id"]: result for result in self.run_json()["primitives"]}

    def test_are_listed(self):
        self.assertRegex(self.call("list", "primitives").stdout, r"shuffle_down_i32_cg +shuffle +cooperative groups +i32 +warp +1 ")
        self.assertEqual(len(json.loads(self.call("list", "primitives", "--json").stdout)["primitives"]), 4)
        self.assertIn("primitives: shuffle_down_i32, ", self.run_plan("", "--dry-run").stdout)

    def test_are_measured_and_drawn(self):
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertIn("plan: demo, 0 points, 4 primitives and 1 ceiling", result.stdout)
        self.assertRegex(result.stdout, r"shuffle down +i32 +ours +24\.5 ±0\.4 % +2\.00 ±")
        self.assertEqual(list(self.results()), ["shuffle_down_i32", "shuffle_down_i32_cg", "shuffle_up_i32", "shuffle_up_i32_cg"])
        written = self.folder / "runs/demo/latest"
        for extension in ["svg", "png", "pdf", "csv"]:
            self.assertTrue((written / f"primitives.{extension}").exists())
        self.assertIn("| shuffle down | i32 | ours | 24.5 ±0.4\u00a0% |", (written / "summary.md").read_text())
        self.assertEqual(len((written / "primitives.csv").read_text().splitlines()), 5)

    def test_stand_beside_points(self):
        self.write("plan.yaml", PLAN + "primitives: shuffle_up_*\n")
        self.assert_exit(self.run_plan(), 0)
        self.assertEqual(len(self.run_json()["measurements"]), 4)
        self.assertEqual(len(self.results()), 2)

    def test_a_crash_costs_one_and_resuming_measures_it(self):
        result = self.run_plan("segv@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("1 of 4 primitives failed", result.stdout)
        self.assertEqual([r["status"] for r in self.results().values()], ["ok", "ok", "failed", "ok"])
        self.assertIn("SIGSEGV while measuring", self.results()["shuffle_up_i32"]["cause"])
        resumed = self.call("run", "--resume", "runs/demo/latest")
        self.assert_exit(resumed, 0)
        self.assertEqual(self.sent_requests()[-1]["plan"]["primitives"], ["shuffle_up_i32"])
        self.assertEqual([r["status"] for r in self.results().values()], ["ok"] * 4)

    def test_a_wrong_result_is_shown_as_such(self):
        result = self.run_plan("unverified@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("shuffle_up_i32 unverified: wrong value in thread 3", result.stdout)
        self.assertRegex(result.stdout, r"shuffle up +i32 +ours +– +–")

    def test_one_that_the_plan_does_not_have_is_not_believed(self):
        result = self.run_plan("mistaken@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("measured a primitive that is not in the plan", self.results()["shuffle_up_i32"]["cause"])

    def test_are_replayed(self):
        self.assert_exit(self.run_plan("unverified@primitives:shuffle_up_i32_cg"), 1)
        recording = self.folder / "recording.json"
        run = self.run_json()
        run["primitives"].pop(0)
        recording.write_text(json.dumps(run))
        result = self.run_plan("", "--replay", recording)
        self.assert_exit(result, 0)
        self.assertIn("not in the recording: primitive shuffle_down_i32\n", result.stdout)
        self.assertEqual(len(self.results()), 3)


if __name__ == "__main__":
    unittest.main()
