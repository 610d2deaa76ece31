# SPDX-License-Identifier: Apache-2.0
"""scripts/quickstart.sh where nothing is built yet, as after a clone, and once more where nothing is left to be done."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SECOND_RUN_LIMIT_S = 10  # what the README promises


def copy_tracked_files(target):
    """What a clone would hold, with changes that are not committed yet."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE,
                            capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source = SOURCE / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


class FreshClone(unittest.TestCase):
    def quickstart(self, folder, *arguments):
        start = time.monotonic()
        result = subprocess.run([folder / "scripts/quickstart.sh", *arguments], capture_output=True, text=True, cwd="/",
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout, time.monotonic() - start

    def test_two_quick_starts(self):
        with tempfile.TemporaryDirectory() as parent:
            clone = pathlib.Path(parent) / "a clone"
            copy_tracked_files(clone)

            output, _ = self.quickstart(clone)
            report = clone / output.splitlines()[-1].removeprefix("report: ")
            self.assertIn("<html", report.read_text())
            self.assertIn("building", output)

            output, seconds = self.quickstart(clone, "--quiet")
            self.assertNotIn("building", output)
            self.assertNotIn("installing", output)
            self.assertTrue((clone / output.splitlines()[-1]).exists())
            if not os.path.exists("/dev/nvidiactl"):
                self.assertLess(seconds, SECOND_RUN_LIMIT_S)

    def test_a_failing_build_says_why(self):
        with tempfile.TemporaryDirectory() as parent:
            clone = pathlib.Path(parent)
            copy_tracked_files(clone)
            (clone / "CMakeLists.txt").write_text('message(FATAL_ERROR "a broken build")\n')
            result = subprocess.run([clone / "scripts/quickstart.sh"], capture_output=True, text=True, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("a broken build", result.stderr)
            self.assertIn("quickstart.log", result.stderr)


if __name__ == "__main__":
    unittest.main()
