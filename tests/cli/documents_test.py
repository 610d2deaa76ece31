# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md names what every --help offers, CHANGELOG.md the version, and links between documents lead to files."""

import json
import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def help_of(*command):
    return subprocess.run([os.environ["ROOFLINECTL"], *command, "--help"], capture_output=True, text=True, check=True).stdout


def listed(text, heading):
    """The first word of each entry below a heading of --help."""
    return re.findall(r"^  (\S+)", text.split(f"\n{heading}:\n")[1].split("\n\n")[0], re.MULTILINE)


class Commands(unittest.TestCase):
    document = (SOURCE / "docs/commands.md").read_text()

    def test_every_command_and_option_is_documented(self):
        commands = listed(help_of(), "Commands")
        self.assertIn("run", commands)
        for command in commands:
            self.assertIn(f"[`rooflinectl {command}", self.document)
            section = re.search(rf"^### {command}\n(.*?)^##", self.document, re.MULTILINE | re.DOTALL).group(1)
            documented = set(re.findall(r"`(--[a-z-]+)", section)) | {"--help"}
            offered = {re.search(r"--[a-z-]+", option).group() for option in listed(help_of(command), "Options")}
            self.assertEqual(documented, offered, f"docs/commands.md against rooflinectl {command} --help")

    def test_every_exit_code_is_documented(self):
        codes = re.findall(r"^  (\d+)  ", help_of().split("Exit codes:")[1], re.MULTILINE)
        self.assertIn("4", codes)
        for code in [*codes, "130", "143"]:
            self.assertRegex(self.document, rf"(?m)^\| ([0-9, ]+, )?{code}(, [0-9, ]+)? \|")


class Version(unittest.TestCase):
    def test_the_changelog_the_program_and_a_tag_name_the_same_one(self):
        heading = re.search(r"^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d{2}-\d{2})\)$", (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertIsNotNone(heading, "CHANGELOG.md does not begin with a version and its date")
        printed = subprocess.run([os.environ["ROOFLINECTL"], "version", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(heading[1], json.loads(printed)["version"])
        tags = subprocess.run(["git", "-C", SOURCE, "tag", "--points-at", "HEAD", "--list", "v*"], capture_output=True, text=True, check=False)
        for tag in tags.stdout.split():
            self.assertEqual((tag, heading[2] != "unreleased"), (f"v{heading[1]}", True))


class Links(unittest.TestCase):
    def test_every_linked_file_exists(self):
        documents = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md")),
                     *sorted((SOURCE / "examples").glob("*.md"))]
        self.assertGreater(len(documents), 10)
        for document in documents:
            for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
                self.assertTrue((document.parent / target).exists(), f"{document.name} links to {target}")


if __name__ == "__main__":
    unittest.main()
