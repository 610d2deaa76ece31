# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl doctor`."""

import json
import re
import sys
import unittest

from program import HERE, ProgramTest


class Doctor(ProgramTest):
    def doctor(self, *arguments, accidents="", **tools):
        """With tools in the PATH that print these texts, and no others."""
        folder = self.folder / "tools"
        folder.mkdir(exist_ok=True)
        for name, text in tools.items():
            (folder / name).write_text(f"#!/bin/sh\necho '{text}'\n")
            (folder / name).chmod(0o755)
        return self.call("doctor", *arguments, accidents=accidents, PATH=f"{folder}:/usr/bin:/bin")

    def test_lists_what_works(self):
        result = self.doctor(ncu="Version 2025.3.1.0 (build 1)")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^ok +driver +580\.00$")
        self.assertRegex(result.stdout, r"(?m)^ok +ncu +2025\.3\.1 \(")
        self.assertRegex(result.stdout, r"This machine can measure\. Next:\n  rooflinectl profile -- PROGRAM .*\n  rooflinectl run \S*experiments\.yaml ")

    def test_refused_counters_do_not_stop_measuring(self):
        result = self.doctor(accidents="uncounted@start")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^fails +counters +reserved\n +ask an administrator$")

    def test_without_a_gpu_exits_with_3_in_the_words_of_a_run(self):
        result = self.doctor(accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("This machine cannot measure.", result.stdout)
        run = self.run_plan("no_gpu@start", "--require-gpu").stderr
        self.assertIn(re.search(r"fails +driver +(.*)", result.stdout)[1], run)

    def test_a_collector_that_dies_is_a_finding(self):
        result = self.doctor(accidents="segv@checks")
        self.assert_exit(result, 3)
        self.assertRegex(result.stdout, r"(?m)^fails +collector +.*crashed with SIGSEGV")

    def test_an_nsys_without_its_importer_is_reported(self):
        result = self.doctor(nsys="NVIDIA Nsight Systems version 2025.3.1.90-253135822126v0")
        self.assertRegex(result.stdout, r"(?m)^warning +nsys +2025\.3\.1 .*\.qdstrm but no report$")
        (self.folder / "tools/host-linux-x64").mkdir()
        importer = self.folder / "tools/host-linux-x64/QdstrmImporter"
        importer.write_text("#!/bin/sh\n")
        importer.chmod(0o755)
        self.assertRegex(self.doctor().stdout, r"(?m)^ok +nsys +2025\.3\.1 ")

    def test_a_tool_older_than_cuda_13_is_reported(self):
        result = self.doctor(nsys="NVIDIA Nsight Systems version 2022.4.2.1-df9881f", ncu="Version 2025.2.1.0 (build 1)")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^warning +nsys +2022\.4\.2 .*; older than CUDA 13: it sees NVTX ranges, "
                                        r"but no kernels\n +install Nsight Systems 2025\.3 or newer$")
        self.assertRegex(result.stdout, r"(?m)^warning +ncu +2025\.2\.1 .*; older than CUDA 13: it sees no kernels\n"
                                        r" +install Nsight Compute 2025\.3 or newer$")
        self.assertRegex(self.doctor(ncu="Version 2026.1.0.0").stdout, r"(?m)^ok +ncu +2026\.1\.0 ")

    def test_a_tool_that_does_not_answer_is_reported(self):
        self.assertRegex(self.doctor(ncu="what?").stdout, r"(?m)^fails +ncu +.*does not print its version$")

    def test_names_who_may_hold_the_counters(self):
        for number, name in [(7, "nv-hostengine"), (8, "ncu")]:
            (self.folder / "processes" / str(number)).mkdir(parents=True)
            (self.folder / "processes" / str(number) / "comm").write_text(name + "\n")
        users = "nv-hostengine (process 7) and ncu (process 8) may be using the counters"
        fix = "if counting fails: dcgmi profile --pause, and --resume afterwards; wait for the other profiler, or end it: kill 8"
        result = self.doctor()
        self.assert_exit(result, 0)
        self.assertIn(f"\nwarning  counter users   {users}\n{' ' * 25}{fix}\n", result.stdout)
        self.assertIn(f"warning: counter users: {users}\n  {fix}\n", self.run_plan().stderr)
        guest = [sys.executable, str(HERE / "fake_guest.py")]
        profiled = self.call("profile", "--", *guest, ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so")
        self.assertIn(f"{users}; {fix}", profiled.stderr)

    def test_json(self):
        checks = json.loads(self.doctor("--json").stdout)["checks"]
        self.assertEqual(checks[0], {"subject": "driver", "status": "ok", "detail": "580.00", "fix": "",
                                     "stops_measuring": False})


if __name__ == "__main__":
    unittest.main()
