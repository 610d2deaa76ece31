# SPDX-License-Identifier: Apache-2.0
"""Manual pages, and shells that complete command lines."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from program import PROGRAM

MANUALS = pathlib.Path(os.environ["BUILD_FOLDER"]) / "manuals"
COMMANDS = re.findall(r"^  (\w+) +[A-Z]", subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
                      .stdout.partition("Commands:")[2], re.MULTILINE)


def help_of(command):
    return subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout


class ManualPages(unittest.TestCase):
    def page(self, name):
        if not shutil.which("groff"):
            self.skipTest("there is no groff")
        result = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-ww", MANUALS / f"man/man1/{name}.1"],
                                capture_output=True, text=True, check=True)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def test_there_is_one_for_each_command(self):
        self.assertGreater(len(COMMANDS), 10)
        pages = {page.name for page in (MANUALS / "man/man1").iterdir()}
        self.assertEqual(pages, {"rooflinectl.1"} | {f"rooflinectl-{command}.1" for command in COMMANDS})

    def test_the_first_page_names_all_commands_and_exit_codes(self):
        page = self.page("rooflinectl")
        for command in COMMANDS:
            self.assertIn(f"rooflinectl-{command}(1)", page)
        self.assertRegex(page, r"EXIT CODES\n( +.*\n)* +4 +the gate found a regression")

    def test_a_page_has_every_option_of_help(self):
        for command in COMMANDS:
            page = self.page(f"rooflinectl-{command}")
            for option in re.findall(r"^  (-[\w,-]+)", help_of(command), re.MULTILINE):
                for name in option.split(","):
                    self.assertRegex(page, rf"\n +(-\w, )?{re.escape(name)}\b", command)

    def test_examples_are_printed_as_they_are(self):
        self.assertIn("  rooflinectl profile --kernel 'gemm|conv' --samples 10 -- ./solver input.dat\n",
                      self.page("rooflinectl-profile"))


class Completion:
    """Of one shell, in a folder with a run."""

    def setUp(self):
        if not shutil.which(self.SHELL):
            self.skipTest(f"there is no {self.SHELL}")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "runs/reductions/2026").mkdir(parents=True)
        (self.folder / "runs/reductions/latest").symlink_to("2026")
        (self.folder / "plan.yaml").touch()
        self.environment = {**os.environ, "HOME": str(self.folder), "PATH": f"{pathlib.Path(PROGRAM).parent}:{os.environ['PATH']}"}

    def run_shell(self, *arguments):
        return subprocess.run([self.SHELL, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              check=True, timeout=60).stdout.split("\n")[:-1]

    def test_commands(self):
        self.assertEqual(set(self.completed("rooflinectl ")), set(COMMANDS))
        self.assertEqual(set(self.completed("rooflinectl re")), {"report"})

    def test_options(self):
        for command in COMMANDS:
            expected = {name for option in re.findall(r"^  (-[\w,-]+)", help_of(command), re.MULTILINE) for name in option.split(",")
                        if name.startswith("--")}
            self.assertLessEqual(expected, set(self.completed(f"rooflinectl {command} --")), command)

    def test_values(self):
        self.assertEqual(set(self.completed("rooflinectl report --theme ")), {"light", "dark", "print"})
        self.assertEqual(set(self.completed("rooflinectl list ")) & {"variants", "metrics"}, {"variants", "metrics"})
        self.assertIn("reduce_v3_sequential", self.completed("rooflinectl explain --point reduce_v3"))

    def test_files_and_runs(self):
        self.assertIn("plan.yaml", self.completed("rooflinectl run pl"))
        self.assertIn("runs/reductions/latest", self.completed("rooflinectl report runs/reductions/l"))

    def test_a_program_after_two_dashes(self):
        self.assertNotIn("--timeline", self.completed("rooflinectl profile -- ./solver --"))


class Bash(Completion, unittest.TestCase):
    SHELL = "bash"

    def completed(self, line):
        words = line.split(" ")
        return self.run_shell("-c", f"source {MANUALS}/bash-completion/completions/rooflinectl\n"
                              f"COMP_WORDS=({' '.join(map(repr, words))}) COMP_CWORD={len(words) - 1}\n"
                              "_rooflinectl; printf '%s\\n' \"${COMPREPLY[@]}\"")

    def test_an_equals_sign(self):
        self.assertEqual(set(self.completed("rooflinectl report --theme = d")), {"dark"})
        self.assertEqual(len(self.completed("rooflinectl report --theme =")), 3)


class Fish(Completion, unittest.TestCase):
    SHELL = "fish"

    def completed(self, line):
        lines = self.run_shell("--no-config", "-c", f"source {MANUALS}/fish/vendor_completions.d/rooflinectl.fish; "
                               f"complete --do-complete {line!r}")
        return [line.partition("\t")[0] for line in lines]


class Zsh(Completion, unittest.TestCase):
    """A second zsh behind a terminal of zsh's own completes and lists what it would offer."""

    SHELL = "zsh"
    SCRIPT = r"""
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "PROMPT=; fpath=(MANUALS/zsh/vendor-completions \$fpath); autoload -Uz compinit; compinit -u -d ./dump"
        zpty -w shell "compadd() { local -a found; if [[ \$* == *-[OAD]* ]]; then builtin compadd \"\$@\"; return; fi
          builtin compadd -A found \"\$@\"; print -rl -- '<'\$^found'>'; builtin compadd \"\$@\" }"
        zpty -w shell "bindkey '^I' complete-word; zle -C complete-word complete-word _main_complete"
        zpty -w shell "PROMPT=\$'\\x06\\n'"  # what is typed before the line editor has begun is lost
        while zpty -r shell line && [[ $line != *$'\x06'* ]]; do :; done
        zpty -w -n shell "LINE"$'\t'
        zpty -w shell $'\x15'"print DONE"
        while zpty -r shell line && [[ $line != *DONE* ]]; do print -r -- $line; done
        zpty -d shell
    """

    def completed(self, line):
        script = self.SCRIPT.replace("MANUALS", str(MANUALS)).replace("LINE", line)
        return [word for line in self.run_shell("-f", "-c", script) for word in re.findall(r"<([^<>]+)>", line)]


if __name__ == "__main__":
    unittest.main()
