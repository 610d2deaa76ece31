#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the program writes: it replaces regular files, writes to everything else as it is, and never over what it reads."""

import os
import shutil
import stat
import subprocess
import unittest

from program import PROGRAM, ProgramTest
from recordings import REDUCTIONS as RECORDING


class Outputs(ProgramTest):
    def gate(self, *arguments):
        return self.call("gate", RECORDING, RECORDING, *arguments)

    def test_devices_stay_devices(self):
        for option in ["--junit", "--markdown"]:
            self.assert_exit(self.gate(option, "/dev/null"), 0)
            result = self.gate(option, "/dev/full")
            self.assert_exit(result, 3)
            self.assertIn("/dev/full: cannot be written: No space left on device\n", result.stderr)
        self.assert_exit(self.gate("--junit", "/dev/null", "--markdown", "/dev/null"), 0)
        for device in ["/dev/null", "/dev/full"]:
            self.assertTrue(stat.S_ISCHR(os.stat(device).st_mode))

    def test_standard_output_keeps_the_order_of_messages(self):
        for output in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]:
            into_pipe = self.gate("--markdown", output).stdout
            self.assertTrue(into_pipe.startswith("# Roofline gate"))
            self.assertIn("\nPASSED: ", into_pipe)
            with open(self.folder / "log", "w", encoding="utf-8") as log:
                subprocess.run([PROGRAM, "gate", RECORDING, RECORDING, "--markdown", output], stdout=log, check=True)
            self.assertEqual((self.folder / "log").read_text(), into_pipe)

    def test_a_fifo_is_written_to(self):
        os.mkfifo(self.folder / "fifo")
        with subprocess.Popen(["cat", "fifo"], cwd=self.folder, stdout=subprocess.PIPE) as reader:
            self.assert_exit(self.gate("--junit", "fifo"), 0)
            self.assertTrue(reader.communicate(timeout=30)[0].startswith(b"<?xml"))
        result = self.gate("--junit", "fifo")  # with nobody at the other end
        self.assert_exit(result, 3)
        self.assertIn("fifo: cannot be written: ", result.stderr)

    def test_a_link_is_followed(self):
        self.write("target", "old")
        os.symlink("target", self.folder / "link")
        self.assert_exit(self.gate("--junit", "link"), 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "target").read_text().startswith("<?xml"))

    def test_files_that_others_placed_there_are_not_touched(self):
        (self.folder / "out").mkdir()
        self.write("precious", "precious")
        os.symlink("../precious", self.folder / "out/report.html.part")
        os.mkfifo(self.folder / "out/summary.md.part")
        self.assert_exit(self.call("report", RECORDING, "--output", "out"), 0)
        self.assertEqual((self.folder / "precious").read_text(), "precious")

    def test_an_input_is_never_overwritten(self):
        shutil.copy(RECORDING, self.folder / "points.csv")
        shutil.copy(RECORDING, self.folder / "comparison.json")
        os.symlink("points.csv", self.folder / "link")
        for arguments in [["report", "points.csv"], ["report", "points.csv", "--output", "."],
                          ["compare", "comparison.json", "points.csv", "--output", "."],
                          ["compare", "points.csv", "--baseline", "comparison.json", "--output", "."],
                          ["gate", "points.csv", "comparison.json", "--junit", "points.csv"],
                          ["gate", "points.csv", "--baseline", "comparison.json", "--markdown", "./comparison.json"],
                          ["gate", "points.csv", "comparison.json", "--junit", "link"]]:
            result = self.call(*arguments)
            self.assert_exit(result, 2)
            self.assertIn("refusing to overwrite an input", result.stderr)
        for name in ["points.csv", "comparison.json"]:
            self.assertEqual((self.folder / name).read_bytes(), RECORDING.read_bytes())

    def test_two_outputs_to_one_path_are_refused(self):
        result = self.gate("--junit", "gate.out", "--markdown", "./gate.out")
        self.assert_exit(result, 2)
        self.assertFalse((self.folder / "gate.out").exists())

    def test_many_reports_at_once_into_one_folder(self):
        commands = [[PROGRAM, "compare", RECORDING, RECORDING, "--output", "out", "--json"] for _ in range(16)]
        processes = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL) for command in commands]
        self.assertEqual({process.wait(timeout=300) for process in processes}, {0})
        self.assertEqual([path.name for path in (self.folder / "out").iterdir() if path.name.startswith(".")], [".rooflinectl-comparison.sha256"])


if __name__ == "__main__":
    unittest.main()
