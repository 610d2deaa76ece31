# SPDX-License-Identifier: Apache-2.0
"""Plans, as the program reads them."""

import json
import re
import subprocess
import unittest

from program import PLAN, PROGRAM, SOURCE, ProgramTest


class Plans(ProgramTest):
    def test_all_mistakes_are_shown_and_nothing_is_written(self):
        self.write("experiments.yaml", PLAN.replace("reduce_*", "reduce_v3_seqential") + "    dtypes: fp32\n")
        for extra in [[], ["--dry-run"], ["--dry-run", "--json"]]:
            result = self.call("run", "experiments.yaml", *extra)
            self.assert_exit(result, 2)
            self.assertEqual(result.stdout, "")
            lines = result.stderr.splitlines()
            self.assertEqual(lines[0], "experiments.yaml:4:16: unknown variant 'reduce_v3_seqential'; "
                                       "did you mean 'reduce_v3_sequential'?")
            self.assertEqual(lines[1], "experiments.yaml:6:13: unknown dtype 'fp32'; did you mean 'f32'?")
        self.assert_nothing_written()

    def test_dry_run_lists_the_points_and_measures_nothing(self):
        result = self.run_plan("", "--dry-run")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"variant +dtype +n +block +elements +cache +mode\n")
        self.assertRegex(result.stdout, r"reduce_v0_global +f32 +2\^20 +256 +cold +graph\n")
        self.assertRegex(result.stdout, r"sum_warp_shuffle +f32 +2\^20 +256 +8 +cold +graph\n")
        self.assertRegex(result.stdout, r"\nestimate: 3 s, 2 points estimated from \S+/reductions-h200, 2 points by rule of thumb; 2 s more if no ceiling is known yet\n$")
        self.assert_nothing_written()
        self.assertFalse(self.requests.exists())

    def test_a_dry_run_estimates_from_the_last_run_of_the_plan(self):
        self.assert_exit(self.run_plan(), 0)
        run = self.run_json()
        run["wall_s"] = 600
        (self.folder / "runs/demo/latest/run.json").write_text(json.dumps(run))
        result = self.run_plan("", "--dry-run", "--device", "0,1")
        self.assertRegex(result.stdout, r"\nestimate: 10 min, 4 points estimated from runs/demo/latest; 2 s more if no ceiling is known yet; on each GPU\n$")

    def test_dry_run_prints_the_request_that_a_run_sends(self):
        printed = self.run_plan("", "--dry-run", "--json", "--device", "GPU-7")
        self.assert_exit(printed, 0)
        self.assert_nothing_written()
        self.run_plan("", "--device", "GPU-7")
        self.assertEqual(json.loads(printed.stdout), self.sent_requests()[0])

    def test_the_shipped_plan_has_the_ladder_and_the_sums(self):
        text = (SOURCE / "experiments.yaml").read_text()
        for name in ["reduce_v0_global", "reduce_v1_shared", "reduce_v2_strided", "reduce_v3_sequential", "reduce_v4_add_on_load",
                     "reduce_v5_unroll_last_warp", "reduce_v6_unroll_complete", "reduce_v6_unroll_complete_manual",
                     "reduce_v7_multi_add", "reduce_v8_warp_shuffle", "sum_atomic", "sum_smem_tree", "sum_warp_shuffle",
                     "sum_block_shuffle"]:
            self.assertRegex(text, rf"- {name}\b")

    def test_shipped_plans_have_the_points_that_their_document_names(self):
        table = re.findall(r"^\| \[(experiments[^]]*)\]\([^)]*\) \| .* \| (\d*)", (SOURCE / "docs/plans.md").read_text(), re.MULTILINE)
        self.assertEqual({name for name, _ in table},
                         {str(path.relative_to(SOURCE)) for path in [SOURCE / "experiments.yaml", *(SOURCE / "experiments").iterdir()]})
        environment = self.environment()
        del environment["ROOFLINECTL_COLLECTOR"]  # it knows few variants
        for name, points in table:
            result = subprocess.run([PROGRAM, "run", SOURCE / name, "--dry-run"], env=environment, cwd=self.folder, capture_output=True,
                                    text=True, check=False)
            self.assert_exit(result, 0)
            counts = [int(count) for count in re.findall(r"^  (\d+) points?,", result.stdout, re.MULTILINE)]
            self.assertEqual(sum(counts), int(points or 0), name)


if __name__ == "__main__":
    unittest.main()
