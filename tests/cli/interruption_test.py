# SPDX-License-Identifier: Apache-2.0
"""Runs that are interrupted."""

import json
import pathlib
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest


class Interruption(ProgramTest):
    def interrupt(self, number, accidents):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(accidents))
        for line in process.stderr:
            if line.startswith("[2/4]"):
                break
        process.send_signal(number)
        output, errors = process.communicate(timeout=30)
        (run,) = (self.folder / "runs/demo").glob("*/run.json")
        return process.returncode, output + errors, json.loads(run.read_text())

    def test_ctrl_c_keeps_what_was_measured(self):
        code, output, run = self.interrupt(signal.SIGINT, "hang@time:2")
        self.assertEqual(code, 130)
        self.assertIn("the finished results are saved: rooflinectl report runs/demo/", output)
        self.assertEqual([m["subject"] for m in run["measurements"]], ["reduce_v0_global", "reduce_v3_sequential"])

    def test_so_does_sigterm(self):
        code, _, run = self.interrupt(signal.SIGTERM, "hang@time:2")
        self.assertEqual(code, 143)
        self.assertEqual(len(run["measurements"]), 2)

    def test_either_signal_in_each_phase(self):
        """Interrupted, a run ends soon, its run.json is whole, and --resume makes it complete."""
        for number in [signal.SIGINT, signal.SIGTERM]:
            for place, points in [("ceilings:f32_add", 0), ("confirm:ceilings", 0), ("verify:2", 2), ("time:2", 2), ("count:1", 4)]:
                with self.subTest(f"{number.name} at {place}"):
                    self.setUp()
                    process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL, env=self.environment(f"mark@{place} hang@{place}"))
                    mark = self.folder / "memory" / f"reached_{place.replace(':', '_')}"
                    deadline = time.monotonic() + 60
                    while not mark.exists() and time.monotonic() < deadline:
                        time.sleep(0.01)
                    time.sleep(0.05)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=30), 128 + number)
                    (file,) = (self.folder / "runs/demo").glob("*/run.json")
                    run = json.loads(file.read_text())
                    self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * points)
                    self.assert_exit(self.call("run", "--resume", file.parent), 0)
                    resumed = json.loads(file.read_text())
                    self.assertEqual([m["status"] for m in resumed["measurements"]], ["ok"] * 4)
                    for before, after in zip(run["measurements"], resumed["measurements"]):
                        self.assertEqual(before["time"], after["time"])

    def test_two_runs_at_once_warn_about_each_other(self):
        first = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=self.environment("hang@time:1:once"))
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        for line in first.stderr:
            if line.startswith("[1/4]"):
                break
        warning = f"another rooflinectl (process {first.pid}) is measuring on this GPU: the times of both runs are unreliable\n"
        second = self.run_plan()
        self.assert_exit(second, 0)
        self.assertIn(warning, second.stderr)
        self.assertNotIn("another rooflinectl", self.run_plan(FAKE_COLLECTOR_UUID="GPU-1").stderr)
        first.kill()
        first.wait()
        self.assertNotIn("another rooflinectl", self.run_plan().stderr)

    def test_results_are_on_disk_while_the_run_goes_on(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:2"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        statuses = []
        while statuses != ["ok", "ok"] and time.monotonic() < deadline:
            time.sleep(0.1)
            for run in (self.folder / "runs").glob("demo/*/run.json"):
                statuses = [m["status"] for m in json.loads(run.read_text())["measurements"]]
        self.assertEqual(statuses, ["ok", "ok"])


    def test_the_collector_does_not_outlive_a_killed_program(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:0"))
        for line in process.stdout:
            if line.startswith(b"results"):
                break
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        process.kill()
        process.communicate(timeout=30)
        stat = pathlib.Path(f"/proc/{children[0]}/stat")
        deadline = time.monotonic() + 10
        while stat.exists() and stat.read_text().split(") ")[1][0] != "Z" and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(not stat.exists() or stat.read_text().split(") ")[1][0] == "Z")


if __name__ == "__main__":
    unittest.main()
