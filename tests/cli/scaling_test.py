# SPDX-License-Identifier: Apache-2.0
"""Points over several GPUs: from the plan to the table and picture of how they scale."""

import csv
import unittest

from program import ProgramTest

PLAN = """\
name: demo
experiments:
  weak:
    variants: sum_multi_best
    sizes_per_gpu: [2^20, 2^24]
    gpus: [1, 2, 4]
  strong:
    variants: sum_multi_best
    sizes: 2^24
    gpus: [1, 2]
"""


class Scaling(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("plan.yaml", PLAN)

    def run_on_two(self, *arguments, **extra):
        return self.run_plan(*arguments, FAKE_COLLECTOR_TWO="1", **extra)

    def test_strong_and_weak_scaling_are_tables_and_pictures(self):
        result = self.run_on_two()
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"Weak scaling.*\npoints +GPUs +time.*\n"
                         r"multi best 2\^20 +1 +1\.049 ms +4\.00 +1\.00× +– +100 %\n")
        self.assertRegex(result.stdout, r"multi best 2\^24 +2 +16\.79 ms +8\.00 +2\.00× +2\.00× +>99 %\n")
        self.assertRegex(result.stdout, r"multi best 2\^24 +2 +16\.79 ms +559\.2 ns +22\.37 µs +500\.0 ns +16\.78 ms \(>99 %\) +10\.00 µs")
        self.assertRegex(result.stdout, r"Strong scaling(.*\n)*multi best 2\^24 +2 +8\.399 ms +279\.6 ns +11\.18 µs +500\.0 ns +– +–\n")
        files = {path.name for path in (self.folder / "runs/demo/latest").iterdir()}
        self.assertLessEqual({"scaling-weak.svg", "scaling-weak.png", "scaling-strong.pdf"}, files)
        summary = (self.folder / "runs/demo/latest/summary.md").read_text()
        self.assertIn("scaling-weak.png", summary)
        self.assert_exit(self.call("report", self.folder / "runs/demo/latest"), 0)

    def test_what_the_machine_has_too_few_gpus_for_is_skipped_with_the_reason(self):
        result = self.run_on_two()
        self.assert_exit(result, 0)
        skipped = [m for m in self.run_json()["measurements"] if m["status"] == "skipped"]
        self.assertEqual([m["axes"]["gpus"] for m in skipped], [4, 4])
        self.assertIn("skipped: needs 4 GPUs; 2 visible here", result.stdout)

    def test_gpus_that_cuda_visible_devices_hides_are_not_there(self):
        result = self.run_on_two(CUDA_VISIBLE_DEVICES="1")
        self.assert_exit(result, 0)
        skipped = [m["axes"]["gpus"] for m in self.run_json()["measurements"] if m["status"] == "skipped"]
        self.assertEqual(skipped, [2, 4, 2, 4, 2])
        self.assertIn("skipped: needs 2 GPUs; 1 visible here", result.stdout)

    def test_points_over_several_gpus_are_not_counted_and_lose_nothing(self):
        self.assert_exit(self.run_on_two(), 0)
        self.assertTrue(all(not m["counters"] for m in self.run_json()["measurements"]))

    def test_without_the_ceilings_of_the_links_it_gives_the_reason(self):
        self.write("plan.yaml", "ceilings: [dram_read, f32_add, nvlink]\n" + PLAN)
        result = self.run_on_two()
        self.assert_exit(result, 0)
        self.assertIn("links: not measured: nvlink_latency (add it to `ceilings` in the plan)", result.stdout)

    def test_points_csv_has_the_gpus(self):
        self.assert_exit(self.run_on_two(), 0)
        with open(self.folder / "runs/demo/latest/points.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["gpus"] for row in rows], ["1", "2", "4", "1", "2", "4", "1", "2"])

    def test_rates_are_those_of_one_gpu(self):
        self.assert_exit(self.run_on_two(), 0)
        self.assertEqual([m["axes"]["n"] for m in self.run_json()["measurements"][:2]], [2**20, 2**21])
        self.assertEqual(self.run_json()["measurements"][1]["work"]["link_bytes"], 8)
        result = self.call("report", self.folder / "runs/demo/latest")
        self.assertNotIn("above-roof", result.stdout)

    def test_a_glob_leaves_them_out_unless_gpus_are_asked_for(self):
        self.write("plan.yaml", "name: demo\nexperiments: {e: {variants: sum_*, sizes: 2^20}}\n")
        self.assertNotIn("sum_multi_best", self.run_plan("", "--dry-run").stdout)
        self.write("plan.yaml", "name: demo\nexperiments: {e: {variants: sum_*, sizes: 2^20, gpus: 2}}\n")
        self.assertIn("sum_multi_best", self.run_plan("", "--dry-run").stdout)

    def test_mistakes_in_the_plan(self):
        for body, words in [("variants: sum_atomic, sizes: 2^20, gpus: 2", "no variant of this experiment supports 'gpus'"),
                            ("variants: sum_multi_best, sizes: 2^20, sizes_per_gpu: 2^20", "exclude each other"),
                            ("variants: sum_multi_best, sizes_per_gpu: 2^40, gpus: 2", "are more than 2^40"),
                            ("variants: sum_multi_best, sizes: 2^20, gpus: 0", "is not an integer from 1")]:
            self.write("plan.yaml", f"name: demo\nexperiments: {{e: {{{body}}}}}\n")
            result = self.run_plan()
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
