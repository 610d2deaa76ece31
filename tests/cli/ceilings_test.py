# SPDX-License-Identifier: Apache-2.0
"""Ceilings: measured, known from earlier runs, confirmed."""

import json
import signal
import subprocess
import unittest

from program import PROGRAM, REPORTS, ProgramTest


class Ceilings(ProgramTest):
    """Measured once, used until something changes that they depend on."""

    def ceilings(self, *arguments, accidents="", **extra):
        return self.call("ceilings", *arguments, accidents=accidents, **extra)

    def asked_for(self):
        """The ids that the last collector was asked to measure, without those known to the program."""
        request = self.sent_requests()[-1]
        known = {name for known in request["known_ceilings"] for name in known["ids"]}
        return set(request["plan"]["ceilings"]) - known

    def test_measures_and_draws_them(self):
        result = self.ceilings()
        self.assert_exit(result, 0)
        for word in ["ceiling", "theoretical", "spread", "3.00 TB/s", "30.0 TFLOP/s"]:
            self.assertIn(word, result.stdout)
        folder = self.folder / "runs/ceilings/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        run = json.loads((folder / "run.json").read_text())
        self.assertEqual(run["measurements"], [])
        for ceiling in run["ceilings"]:
            self.assertEqual("measured_utc" in ceiling, ceiling["source"] == "measured", ceiling["id"])

    def test_a_later_run_reuses_them_and_reports_it(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertRegex(result.stderr, r"reusing 3 ceilings, measured \d{4}-\d\d-\d\d \d\d:\d\d UTC; --fresh measures again")
        self.assertNotIn("ceiling dram_read:", result.stderr)
        self.assertEqual({c["id"] for c in self.run_json()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_fresh_measures_again_and_keeps_what_it_found(self):
        self.assert_exit(self.ceilings(), 0)
        for call in [self.ceilings, lambda *arguments: self.run_plan("", *arguments)]:
            result = call("--fresh")
            self.assert_exit(result, 0)
            self.assertIn("ceiling dram_read:", result.stderr)
            self.assertEqual(self.sent_requests()[-1]["known_ceilings"], [])

    def test_quick_leaves_the_others_in_the_cache(self):
        self.assert_exit(self.ceilings("--quick"), 0)
        self.assertEqual(self.asked_for(), {"dram_copy", "dram_read", "f32_add"})

    def test_another_clock_makes_them_stale(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.ceilings(FAKE_COLLECTOR_CLOCK_HZ="1.2e9")
        self.assertNotIn("reusing", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_damaged_cache_is_named_and_not_used(self):
        self.assert_exit(self.ceilings(), 0)
        (cache,) = (self.folder / "cache/rooflinectl/ceilings").glob("*.json")
        cache.write_text("{")
        result = self.ceilings()
        self.assert_exit(result, 0)
        self.assertIn(f"{cache}: ", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_collector_that_makes_ceilings_up_is_not_believed(self):
        self.assert_exit(self.ceilings(), 0)
        self.assertNotIn("reusing", self.ceilings(accidents="boast@start").stderr)

    def test_each_is_shown_once_and_confirmed(self):
        result = self.ceilings()
        self.assertEqual(result.stderr.count("ceiling dram_read:"), 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        for ceiling in run["ceilings"]:
            self.assertEqual("confirmation" in ceiling, ceiling["id"] in {"dram_copy", "dram_read", "f32_add"})

    def test_what_was_not_counted_is_measured_again_where_it_can_be(self):
        self.assert_exit(self.ceilings("--no-counters"), 0)
        self.assertNotIn("ceiling dram_read:", self.ceilings("--no-counters").stderr)
        self.assertIn("ceiling dram_read:", self.ceilings().stderr)
        self.assertNotIn("ceiling dram_read:", self.ceilings().stderr)

    def test_a_crash_before_they_are_confirmed_measures_them_again(self):
        result = self.ceilings(accidents="segv@ceilings:f32_add")
        self.assert_exit(result, 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        confirmed = {c["id"] for c in run["ceilings"] if "confirmation" in c}
        self.assertEqual(confirmed, {"dram_copy", "dram_read"})

    def test_a_crash_while_they_are_confirmed_costs_the_confirmation(self):
        result = self.run_plan("segv@confirm:ceilings")
        self.assert_exit(result, 1)
        self.assertIn("confirmation of the ceilings: crashed with SIGSEGV while confirming", result.stdout)
        self.assertEqual(len(self.measured()), 4)
        self.assertIn("dram_read", {c["id"] for c in self.run_json()["ceilings"]})

    def test_ctrl_c_keeps_what_was_measured(self):
        process = subprocess.Popen([PROGRAM, "ceilings"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=self.environment("hang@ceilings:f32_add"))
        for line in process.stderr:
            if line.startswith("ceiling dram_read:"):
                break
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        self.assertIn("the finished results are saved: rooflinectl report runs/ceilings/", stderr)
        (file,) = (self.folder / "runs/ceilings").glob("*/run.json")
        self.assertIn("dram_read", {c["id"] for c in json.loads(file.read_text())["ceilings"]})

    def test_a_crash_costs_one_ceiling(self):
        result = self.ceilings(accidents="segv@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn("ceiling dram_read: crashed with SIGSEGV while measuring", result.stdout)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "launch", "dram_copy", "f32_add"})

    def test_without_a_gpu_there_is_nothing_to_measure(self):
        result = self.ceilings(accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no CUDA device was found", result.stderr)
        self.assert_nothing_written()


if __name__ == "__main__":
    unittest.main()
