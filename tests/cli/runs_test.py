# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl run` where all goes well, and what it leaves behind."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import unittest

from program import FAKE_COLLECTOR, PLAN, PROGRAM, REPORTS, ProgramTest


class Runs(ProgramTest):
    def test_a_run_leaves_everything_in_its_folder(self):
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertIn("device: Fake GPU", result.stdout)
        self.assertIn("counters: 2 passes", result.stdout)
        self.assertRegex(result.stderr, r"\[4/4\] sums\.sum_warp_shuffle\.f32\.n1048576\.b256\.e8\.cold: 400\.0 µs")
        runs = self.folder / "runs/demo"
        self.assertRegex(os.readlink(runs / "latest"), r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$")
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in (runs / "latest").iterdir()})
        run = self.run_json()
        self.assertEqual(run["source"], "measured")
        self.assertEqual(run["command_line"][1:], ["run", "plan.yaml"])
        self.assertEqual(run["plan"]["text_sha256"], hashlib.sha256(PLAN.encode()).hexdigest())
        self.assertEqual(run["environment"]["variables"]["ROOFLINECTL_COLLECTOR"], FAKE_COLLECTOR)
        self.assertNotIn("HOME", run["environment"]["variables"])
        self.assertEqual(run["environment"]["kernel"], " ".join([os.uname().sysname, os.uname().release, os.uname().machine]))
        self.assertEqual([m["subject"] for m in run["measurements"]],
                         ["reduce_v0_global", "reduce_v3_sequential", "sum_atomic", "sum_warp_shuffle"])
        self.assertEqual(run["measurements"][0]["counters"]["fadd"], 1.25 * 2**20)
        self.assertEqual(run["measurements"][0]["counter_repeats"], 3)
        self.assertEqual(run["measurements"][0]["counter_spread"], {"dram_write_bytes": 1.0})
        self.assertEqual(run["counter_session"]["collection_s"], 0.25)
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_a_users_file_or_folder_named_latest_stays(self):
        latest = self.folder / "runs/demo/latest"
        latest.parent.mkdir(parents=True)
        latest.write_text("MY NOTES")
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertEqual(latest.read_text(), "MY NOTES")
        warning = "warning: runs/demo/latest is not a link, and stays as it is: nothing links to this run\n"
        self.assertTrue(result.stderr.endswith(warning), result.stderr)
        latest.unlink()
        (latest / "mine").mkdir(parents=True)
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertTrue((latest / "mine").is_dir())
        self.assertTrue(result.stderr.endswith(warning), result.stderr)
        self.assertEqual(len(list(latest.parent.glob("*/report.html"))), 2)

    def test_output_replaces_runs(self):
        self.assert_exit(self.run_plan("", "--output", "else where"), 0)
        self.assertTrue((self.folder / "else where/demo/latest/run.json").exists())
        self.assert_nothing_written()

    def test_an_output_that_cannot_be_written_is_found_before_measuring(self):
        self.write("runs", "a file in the way")
        result = self.run_plan()
        self.assert_exit(result, 3)
        self.assertIn("--output", result.stderr)
        self.assertNotIn("[1/4]", result.stderr)

    def test_quiet_prints_the_report_alone(self):
        result = self.run_plan("", "--quiet")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"^runs/demo/[^/\n]+/report\.html\n$")
        self.assertEqual(result.stderr, "")

    def test_quiet_still_reports_what_went_wrong(self):
        result = self.run_plan("uncounted@start failed@verify:1", "--quiet")
        self.assert_exit(result, 1)
        self.assertIn("reduce_v3_sequential.f32.n1048576.b256.cold: failed: out of memory", result.stderr)
        self.assertIn("counters are reserved for administrators", result.stderr)
        replayed = self.run_plan("no_gpu@start", "--quiet")
        self.assertRegex(replayed.stdout, r"^runs/demo/[^/\n]+/report\.html\n$")
        self.assertTrue(replayed.stderr.startswith("replayed, not measured: "), replayed.stderr)

    def test_verbose_shows_the_log(self):
        result = self.run_plan("chatty@time:1", "--verbose")
        self.assert_exit(result, 0)
        self.assertIn("collector: log line 49999\n", result.stderr)
        self.assertNotIn("collector: ", self.run_plan("chatty@time:1").stderr)

    def test_a_disk_that_fills_up_loses_nothing(self):
        def fill_up():
            # As a full disk does, this lets small files through and fails large ones; SIGXFSZ would kill.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

        (self.folder / "tmp").mkdir()
        result = subprocess.run([PROGRAM, "run", "plan.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=120,
                                env=self.environment("slow@time:1 slow@time:2", TMPDIR=str(self.folder / "tmp")),
                                preexec_fn=fill_up, check=False)
        self.assert_exit(result, 3)
        self.assertRegex(result.stderr, r"run\.json: cannot be written: File too large")
        # What was saved before stays readable.
        self.assertEqual(json.loads(next(self.folder.glob("runs/demo/*/run.json")).read_text())["devices"][0]["name"], "Fake GPU")

    @unittest.skipUnless("CLOCK_SET_BACK" in os.environ, "needs rooflinectl-clock-set-back")
    def test_a_wall_clock_that_is_set_back_during_a_run(self):
        for readings in [1, 2]:
            result = self.run_plan("slow@time:1", program=os.environ["CLOCK_SET_BACK"], CLOCK_SET_BACK_AFTER=str(readings))
            self.assert_exit(result, 0)
            run = self.run_json()
            self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * 4)
            self.assertTrue(1.5 < run["wall_s"] < 60, run["wall_s"])
            (dram_read,) = [c for c in run["ceilings"] if c["id"] == "dram_read"]
            self.assertLess(dram_read["measured_utc"], run["started_utc"])
            shutil.rmtree(self.folder / "cache")

    def test_an_output_on_a_read_only_file_system_is_found_before_measuring(self):
        result = self.run_plan("", "--output", "/proc/self")
        self.assert_exit(result, 3)
        self.assertIn("/proc/self/demo: cannot be created", result.stderr)
        self.assertNotIn("[1/4]", result.stderr)

    def test_results_that_cannot_be_saved_are_rescued(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=self.environment("slow@time:2", TMPDIR=str(self.folder / "memory")))
        for line in process.stderr:
            if "[2/4]" in line:
                break
        shutil.rmtree(self.folder / "runs")
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, stdout + stderr)
        rescued = re.search(r"all results were saved to (\S+/run\.json)\n", stderr)[1]
        self.assertEqual(len(json.loads(pathlib.Path(rescued).read_text())["measurements"]), 4)
        self.assertIn("hint: write the reports to another folder: rooflinectl report " + rescued, stderr)

    def test_no_counters(self):
        result = self.run_plan("", "--no-counters")
        self.assert_exit(result, 0)
        self.assertIn("counters: off", result.stdout)
        self.assertFalse(self.run_json()["counter_session"]["available"])

    def test_refused_counters_cost_the_counters_alone(self):
        result = self.run_plan("uncounted@start")
        self.assert_exit(result, 0)
        self.assertIn("counters: unavailable: counters are reserved for administrators", result.stdout)
        self.assertIn("hint: ask one", result.stdout)
        self.assertTrue(all(m["status"] == "ok" for m in self.run_json()["measurements"]))

    def test_an_unverified_or_failed_point_makes_exit_1(self):
        self.assert_exit(self.run_plan("unverified@verify:1"), 1)
        self.assertEqual(self.measured()["reduce_v3_sequential"]["cause"], "element 3: expected 1, got 2")
        self.assert_exit(self.run_plan("failed@verify:1"), 1)

    def test_no_gpu_is_reported_in_the_collectors_words(self):
        result = self.run_plan("no_gpu@start", "--require-gpu")
        self.assert_exit(result, 3)
        self.assertEqual(result.stderr, "no CUDA device was found\nhint: is the driver loaded?\n")
        self.assert_nothing_written()


if __name__ == "__main__":
    unittest.main()
