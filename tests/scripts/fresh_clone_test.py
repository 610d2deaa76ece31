# SPDX-License-Identifier: Apache-2.0
"""scripts/quickstart.sh where everything is built, and where the build fails.

scripts/test.sh starts with quickstart.sh, so that in a fresh clone the first build, and the first report, are a newcomer's."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SECOND_RUN_LIMIT_S = 10  # what the README promises


def copy_of_the_scripts(parent):
    """A folder, with a space in its name, that holds what quickstart.sh needs up to the first configuration."""
    clone = pathlib.Path(parent) / "a clone"
    shutil.copytree(SOURCE / "scripts", clone / "scripts")
    shutil.copy2(SOURCE / "CMakePresets.json", clone)
    return clone


class FreshClone(unittest.TestCase):
    def test_a_second_quick_start_builds_nothing_and_is_fast(self):
        start = time.monotonic()
        result = subprocess.run([SOURCE / "scripts/quickstart.sh", "--quiet"], capture_output=True, text=True, cwd="/", check=False)
        seconds = time.monotonic() - start
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertNotIn("building", result.stdout)
        self.assertNotIn("installing", result.stdout)
        self.assertIn("<html", (SOURCE / result.stdout.splitlines()[-1]).read_text(encoding="utf-8"))
        if not os.path.exists("/dev/nvidiactl"):
            self.assertLess(seconds, SECOND_RUN_LIMIT_S)

    def test_a_failing_build_says_why(self):
        with tempfile.TemporaryDirectory() as parent:
            clone = copy_of_the_scripts(parent)
            (clone / "CMakeLists.txt").write_text('message(FATAL_ERROR "a broken build")\n')
            result = subprocess.run([clone / "scripts/quickstart.sh"], capture_output=True, text=True, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("a broken build", result.stderr)
            self.assertIn("quickstart.log", result.stderr)


if __name__ == "__main__":
    unittest.main()
