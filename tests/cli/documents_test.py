# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md names what every --help offers, CHANGELOG.md the version, links between documents lead to files and headings, and what
documents quote of a recording's report is what the program prints."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
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


def anchors(document):
    """The headings of a document, as GitHub links to them."""
    headings = re.findall(r"^#+ (.*)", document.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_a_heading_in_it(self):
        documents = [*SOURCE.glob("*.md"), *sorted((SOURCE / "docs").rglob("*.md")), *sorted((SOURCE / "examples").glob("*.md"))]
        self.assertGreater(len(documents), 10)
        for document in documents:
            for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", document.read_text()):
                linked = document.parent / target if target else document
                self.assertTrue(linked.exists(), f"{document.name} links to {target}")
                if anchor:
                    self.assertIn(anchor, anchors(linked), f"{document.name} links to {target}#{anchor}")


def words(text):
    return " ".join(text.split())


class Quotes(unittest.TestCase):
    def test_what_documents_quote_of_a_recording_is_what_the_program_prints(self):
        quoted = 0
        for document in [SOURCE / "README.md", *sorted((SOURCE / "examples").glob("*.md"))]:
            # The first block after the sentence that names the recording, shortened with "…".
            for recording, block in re.findall(r"recordings/([\w-]+)`[^`]*\n```\n(.*?)```", document.read_text(), re.DOTALL):
                with tempfile.TemporaryDirectory() as folder:
                    printed = words(subprocess.run([os.environ["ROOFLINECTL"], "report", SOURCE / "recordings" / recording, "--output", folder],
                                                   capture_output=True, text=True, check=True).stdout)
                for part in re.split(r"…(?= |$)|\n\n", block, flags=re.MULTILINE):
                    for line in [words(part)] if ". " in part else part.splitlines():
                        self.assertIn(words(line), printed, f"{document.name} quotes {recording}")
                quoted += 1
        self.assertGreaterEqual(quoted, 4)


if __name__ == "__main__":
    unittest.main()
