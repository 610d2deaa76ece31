# SPDX-License-Identifier: Apache-2.0
"""The workflows in examples/ci against the schemas of GitHub and GitLab.

usage: workflows_test.py BUILD_FOLDER

Exits with 77, the code for a skipped test, where npm or access to the package registry is missing."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests/support"))

from npm_packages import copy, install  # noqa: E402

folder = None  # of the packages


class Workflows(unittest.TestCase):
    def check(self, service, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(text)
            file.flush()
            return subprocess.run(["node", folder / "check_workflow.js", service, file.name], capture_output=True, text=True, check=False)

    def test_the_examples_are_valid_and_mistakes_are_found(self):
        for service, right, wrong in [("github", "runs-on:", "runs-at:"), ("gitlab", "when: always", "when: sometimes")]:
            with self.subTest(service=service):
                text = (SOURCE / f"examples/ci/{service}.yml").read_text()
                result = self.check(service, text)
                self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
                self.assertIn(right, text)
                self.assertEqual(self.check(service, text.replace(right, wrong)).returncode, 1)


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv.pop()) / "packages"
    copy("tests/ci", folder)
    install(folder)
    unittest.main()
