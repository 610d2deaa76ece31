# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl run --resume`."""

import gzip
import json
import os
import signal
import subprocess
import unittest

from program import PROGRAM, REPORTS, ProgramTest
from recordings import recorded


class Resuming(ProgramTest):
    """What is missing or failed is measured, the rest is kept."""

    def the_folder(self):
        (folder,) = [path for path in (self.folder / "runs/demo").iterdir() if not path.is_symlink() and path.is_dir()]
        return folder

    def resume(self, accidents="", *arguments, folder=None, **extra):
        return self.call("run", "--resume", folder or self.the_folder(), *arguments, accidents=accidents, **extra)

    def run_of(self, folder=None):
        return json.loads(((folder or self.the_folder()) / "run.json").read_text())

    def asked_for(self):
        """Of the last collector: points to measure, points to count, ceilings."""
        request = self.sent_requests()[-1]
        counted = set(request["count_only_points"])
        return set(range(4)) - set(request["skip_points"]) - counted, counted, set(request["plan"]["ceilings"])

    def interrupt(self, accidents, line, number=signal.SIGINT):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(accidents))
        for text in process.stderr:
            if text.startswith(line):
                break
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 128 + number, errors)
        return errors

    def test_goes_on_after_ctrl_c(self):
        told = self.interrupt("hang@time:2", "[2/4]")
        before = self.run_of()
        folder = self.the_folder()
        self.assertIn(f"to finish: rooflinectl run --resume {folder.relative_to(self.folder)}\n", told)
        result = self.resume(folder=f"runs/demo/{folder.name}")
        self.assert_exit(result, 0)
        self.assertEqual(self.asked_for(), ({2, 3}, {0, 1}, set()))
        self.assertIn("resumed: 2 points to measure, 2 to count\n", result.stdout)
        self.assertIn("[3/4] sums.sum_atomic", result.stderr)
        after = self.run_of()
        self.assertEqual([m["status"] for m in after["measurements"]], ["ok"] * 4)
        self.assertTrue(all(m["counters"]["fadd"] == 1.25 * 2**20 for m in after["measurements"]))
        for old, new in zip(before["measurements"], after["measurements"]):
            self.assertEqual(old["time"], new["time"])
        self.assertEqual(after["started_utc"], before["started_utc"])
        self.assertEqual(after["command_line"], before["command_line"])
        self.assertGreater(after["wall_s"], before["wall_s"])
        self.assertRegex(after["resumed_utc"][0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertLessEqual(REPORTS, {path.name for path in folder.iterdir()})
        self.assertEqual(os.readlink(self.folder / "runs/demo/latest"), folder.name)

    def test_a_compressed_run_stays_compressed(self):
        self.interrupt("hang@time:2", "[2/4]")
        plain = self.the_folder() / "run.json"
        compressed = plain.with_name("run.json.gz")
        compressed.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        self.assert_exit(self.resume(), 0)
        self.assertFalse(plain.exists())
        self.assertEqual([m["status"] for m in recorded(compressed)["measurements"]], ["ok"] * 4)

    def test_goes_on_after_a_killed_program(self):
        self.interrupt("slow@time:2 hang@time:3", "[3/4]", signal.SIGKILL)
        kept = len(self.run_of()["measurements"])
        self.assert_exit(self.resume(), 0)
        self.assertEqual(self.asked_for(), (set(range(kept, 4)), set(range(kept)), set()))

    def test_what_failed_is_measured_again_what_is_wrong_is_kept(self):
        self.assert_exit(self.run_plan("segv@time:1 unverified@verify:3"), 1)
        result = self.resume("unverified@verify:3", folder=self.folder / "runs/demo/latest")
        self.assert_exit(result, 1)
        self.assertEqual(self.asked_for(), ({1}, set(), set()))
        self.assertEqual([m["status"] for m in self.run_of()["measurements"]], ["ok", "ok", "ok", "unverified"])
        self.assertIn("1 of 4 points failed or could not be verified", result.stdout)

    def test_what_lacks_its_counters_is_counted(self):
        self.assert_exit(self.run_plan("uncounted@start"), 0)
        self.assert_exit(self.resume(), 0)
        run = self.run_of()
        self.assertEqual(self.asked_for()[:2], (set(), {0, 1, 2, 3}))
        self.assertTrue(run["counter_session"]["available"])
        self.assertTrue(all(m["counters"]["fadd"] == 1.25 * 2**20 for m in run["measurements"]))

    def test_counters_that_are_still_not_there_change_nothing(self):
        self.assert_exit(self.run_plan("segv@count:2"), 1)
        before = self.run_of()["measurements"]
        self.assert_exit(self.resume("uncounted@start"), 0)
        self.assertEqual(self.run_of()["measurements"], before)

    def test_ceilings_that_are_missing_are_measured(self):
        self.assert_exit(self.run_plan("segv@ceilings:f32_add"), 1)
        self.assert_exit(self.resume(), 0)
        self.assertEqual(self.asked_for(), (set(), set(), {"f32_add"}))
        self.assertEqual({c["id"] for c in self.run_of()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_a_run_that_lacks_nothing_gets_its_reports_again(self):
        self.assert_exit(self.run_plan(), 0)
        (self.the_folder() / "report.html").unlink()
        requests = len(self.sent_requests())
        before = self.run_of()
        result = self.resume()
        self.assert_exit(result, 0)
        self.assertIn("nothing to resume", result.stderr)
        self.assertEqual(len(self.sent_requests()), requests)
        self.assertEqual(self.run_of(), before)
        self.assertTrue((self.the_folder() / "report.html").exists())

    def test_another_device_driver_or_build_is_refused(self):
        self.assert_exit(self.run_plan("segv@time:1"), 1)
        file = self.the_folder() / "run.json"
        before = file.read_text()
        for extra, words in [({"FAKE_COLLECTOR_UUID": "GPU-1"}, "measured with device GPU-00000000-0000-0000-0000-000000000000, but this is GPU-1"),
                             ({"FAKE_COLLECTOR_DRIVER": "581.11"}, "measured with driver 580.00, but this is 581.11")]:
            result = self.resume(**extra)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)
        self.assertEqual(file.read_text(), before)
        file.write_text(json.dumps(dict(json.loads(before), tool={"version": "0.0.1", "commit": "abc"})))
        result = self.resume()
        self.assert_exit(result, 2)
        self.assertIn("measured with rooflinectl 0.0.1 (commit abc), but this is ", result.stderr)

    def test_mistakes_are_reported(self):
        self.assert_exit(self.run_plan("no_gpu@start"), 0)  # a replayed run
        result = self.resume()
        self.assert_exit(result, 2)
        self.assertIn("cannot resume a replay", result.stderr)
        for arguments in [["--resume", "no/such/folder"], ["--resume", self.the_folder(), "plan.yaml"],
                          ["--resume", self.the_folder(), "--output", "x"], ["--resume", self.the_folder(), "--dry-run"]]:
            self.assert_exit(self.call("run", *arguments), 2)

    def test_without_a_gpu_nothing_is_replayed_into_it(self):
        self.assert_exit(self.run_plan("segv@time:1"), 1)
        before = self.run_of()
        self.assert_exit(self.resume("no_gpu@start"), 3)
        self.assertEqual(self.run_of(), before)

    def test_a_run_that_still_goes_on_is_left_alone(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:0"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if line.startswith(b"results"):
                break
        result = self.resume()
        self.assert_exit(result, 3)
        self.assertIn("another rooflinectl is writing to it", result.stderr)

    def test_its_run_json_is_whole_at_every_moment(self):
        self.assert_exit(self.run_plan("segv@time:0 segv@time:2"), 1)
        process = subprocess.Popen([PROGRAM, "run", "--resume", self.the_folder()], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment("slow@time:0 slow@time:2"))
        while process.poll() is None:
            statuses = [m["status"] for m in self.run_of()["measurements"]]
            self.assertEqual((statuses[1], statuses[3]), ("ok", "ok"))
        self.assertEqual(process.returncode, 0)

    def test_ctrl_c_while_resuming_keeps_everything(self):
        self.assert_exit(self.run_plan("segv@time:0 segv@time:2"), 1)
        process = subprocess.Popen([PROGRAM, "run", "--resume", self.the_folder()], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=self.environment("hang@time:2"))
        for line in process.stderr:
            if "n1048576.b256.cold: 100" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assertEqual([m["status"] for m in self.run_of()["measurements"]], ["ok", "ok", "failed", "ok"])
        self.assert_exit(self.resume(), 0)
        self.assertEqual(len(self.run_of()["resumed_utc"]), 2)


if __name__ == "__main__":
    unittest.main()
