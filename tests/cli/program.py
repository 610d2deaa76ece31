# SPDX-License-Identifier: Apache-2.0
"""The program `rooflinectl` from outside, with a collector that needs no GPU (fake_collector.py)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PROGRAM = os.environ["ROOFLINECTL"]
FAKE_COLLECTOR = str(HERE / "fake_collector.py")
PLAN = """\
name: demo
experiments:
  sums:
    variants: [reduce_*, sum_*]
    sizes: 2^20
"""
FIRST = "GPU-00000000-0000-0000-0000-000000000000"
SECOND = "GPU-11111111-1111-1111-1111-111111111111"
REPORTS = {"report.html", "points.csv", "summary.md", "roofline.svg", "roofline.png"}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        # A collector whose program was killed may still write into it.
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "memory").mkdir()
        (self.folder / "temporary").mkdir()
        self.requests = self.folder / "requests"
        self.write("plan.yaml", PLAN)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def environment(self, accidents="", **extra):
        environment = dict(os.environ, ROOFLINECTL_COLLECTOR=FAKE_COLLECTOR, FAKE_COLLECTOR=accidents,
                           FAKE_COLLECTOR_STATE=str(self.folder / "memory"),
                           FAKE_COLLECTOR_REQUESTS=str(self.requests), XDG_CACHE_HOME=str(self.folder / "cache"),
                           TMPDIR=str(self.folder / "temporary"),
                           # Tests beside this one are no other users of counters.
                           ROOFLINECTL_PROCESSES=str(self.folder / "processes"),
                           # For fake_collector.py: a launcher that would choose among Pythons takes longer than the Python.
                           PATH=f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")
        environment.pop("CUDA_VISIBLE_DEVICES", None)
        environment.update(extra)
        return environment

    def call(self, *arguments, accidents="", program=PROGRAM, **extra):
        return subprocess.run([program, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=self.environment(accidents, **extra), check=False)

    def run_plan(self, accidents="", *arguments, **extra):
        return self.call("run", "plan.yaml", *arguments, accidents=accidents, **extra)

    def run_json(self):
        return json.loads((self.folder / "runs/demo/latest/run.json").read_text())

    def measured(self):
        return {m["subject"]: m for m in self.run_json()["measurements"]}

    def sent_requests(self):
        return [json.loads(line) for line in self.requests.read_text().splitlines()]

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)

    def assert_nothing_written(self):
        self.assertFalse((self.folder / "runs").exists())
