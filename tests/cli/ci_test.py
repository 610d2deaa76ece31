# SPDX-License-Identifier: Apache-2.0
"""The examples for continuous integration: the CMake project is configured and run, the commands of the workflows exist."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ["ROOFLINECTL"])
RECORDING = SOURCE / "recordings/reductions-h200"


class CTestExample(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.project = self.folder / "project"
        shutil.copytree(SOURCE / "examples/ctest", self.project)

    def call(self, *command):
        environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{os.environ['PATH']}")
        return subprocess.run([*map(str, command)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120, check=False)

    def base(self, factor=1):
        """The recording's numbers of the plan, its times multiplied."""
        result = self.call(PROGRAM, "run", self.project / "plan.yaml", "--replay", RECORDING, "--output", "measured")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        run = json.loads((self.folder / "measured/my_kernels/latest/run.json").read_text())
        self.assertGreater(len(run["measurements"]), 1)
        for measurement in run["measurements"]:
            for key in ["median_s", "ci_low_s", "ci_high_s"]:
                measurement["time"][key] *= factor
        (self.project / "baseline").mkdir()
        (self.project / "baseline/run.json").write_text(json.dumps(run))

    def ctest(self, *definitions):
        result = self.call(os.environ["CMAKE_COMMAND"], "-S", self.project, "-B", "build", f"-DROOFLINECTL={PROGRAM}", *definitions)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return self.call(pathlib.Path(os.environ["CMAKE_COMMAND"]).parent / "ctest", "--test-dir", "build", "--output-on-failure")

    def test_passes_where_nothing_got_worse(self):
        self.base()
        result = self.ctest(f"-DROOFLINE_REPLAY={RECORDING}")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("100% tests passed, 0 tests failed out of 2", result.stdout)
        self.assertIn("<testsuite", (self.folder / "build/gate.xml").read_text())

    def test_fails_where_a_point_got_slower(self):
        self.base(factor=0.8)
        result = self.ctest(f"-DROOFLINE_REPLAY={RECORDING}")
        self.assertIn("roofline.gate (Failed)", result.stdout)
        self.assertIn("regressed", result.stdout)

    def test_without_a_gpu_measuring_fails_and_nothing_is_compared(self):
        self.base()
        result = self.ctest()
        self.assertIn("roofline.measure (Failed)", result.stdout)
        self.assertIn("roofline.gate (Not Run)", result.stdout)


@unittest.skipUnless(yaml, "no module yaml (Debian: python3-yaml)")
class Workflows(unittest.TestCase):
    def load(self, name):
        return yaml.safe_load((SOURCE / "examples/ci" / name).read_text())

    def assert_commands_exist(self, script):
        """Every option of rooflinectl in a script is one of its command."""
        commands = re.findall(r"rooflinectl (\w+)((?:\\\n|[^\n|])*)", script)
        self.assertTrue(commands)
        for command, arguments in commands:
            offered = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
            for option in re.findall(r"--[a-z-]+", arguments.partition(" -- ")[0]):
                self.assertRegex(offered, rf"[ ,]{option}\b", f"rooflinectl {command} {option}")

    def assert_gates(self, script):
        """Its gate, with programs that play CUDA programs in place of what it builds: the same passes, a slower one fails."""
        gate = re.search(r"rooflinectl gate(?:\\\n|[^\n|])*", script)[0]
        guest = f"{sys.executable} {SOURCE}/tests/cli/fake_guest.py often"
        for accident, code in [("", 0), (" slow", 4)]:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                for side, arguments in [("build-base", ""), ("build-new", accident)]:
                    (folder / side).mkdir()
                    program = folder / side / "my_program"
                    program.write_text(f"#!/bin/sh\nexec {guest}{arguments}\n")
                    program.chmod(0o755)
                environment = dict(os.environ, PATH=f"{PROGRAM.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                                   ROOFLINECTL_COLLECTOR=str(SOURCE / "tests/cli/fake_collector.py"), FAKE_COLLECTOR="",
                                   ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so", XDG_CACHE_HOME=name)
                result = subprocess.run(["sh", "-c", gate], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                self.assertIn("<testsuite", (folder / "gate.xml").read_text())

    def test_github(self):
        workflow = self.load("github.yml")
        self.assertEqual(set(workflow), {"name", True, "jobs"})  # YAML 1.1 reads `on` as true
        self.assertEqual(set(workflow[True]), {"pull_request"})
        scripts = []
        for job in workflow["jobs"].values():
            self.assertEqual(set(job), {"runs-on", "steps"})
            for step in job["steps"]:
                self.assertEqual(len({"uses", "run"} & set(step)), 1, step)
                self.assertLessEqual(set(step), {"name", "uses", "run", "with", "if"})
                if "uses" in step:
                    self.assertRegex(step["uses"], r"^actions/[a-z/-]+@v\d+$")
                scripts.append(step.get("run", ""))
        self.assert_commands_exist("\n".join(scripts))
        self.assert_gates("\n".join(scripts))

    def test_gitlab(self):
        pipeline = self.load("gitlab.yml")
        scripts = []
        for name, job in pipeline.items():
            if name == "stages":
                continue
            self.assertLessEqual(set(job), {"artifacts", "cache", "extends", "rules", "script", "stage", "tags", "variables"})
            self.assertIn(job.get("stage", "test"), pipeline["stages"])
            self.assertIn(job.get("extends", name), pipeline)
            self.assertLessEqual({key for rule in job.get("rules", []) for key in rule}, {"if"})
            self.assertTrue(name.startswith(".") or job["script"])
            scripts += job.get("script", [])
        self.assertEqual(pipeline["roofline-gate"]["artifacts"]["reports"], {"junit": "gate.xml"})
        self.assert_commands_exist("\n".join(scripts))
        self.assert_gates("\n".join(scripts))


if __name__ == "__main__":
    unittest.main()
