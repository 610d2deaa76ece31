# SPDX-License-Identifier: Apache-2.0
"""The command line: help, versions, catalogue, mistakes."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from program import PLAN, PROGRAM, SOURCE, ProgramTest


class CommandLine(ProgramTest):
    def test_help_teaches(self):
        result = self.call("--help")
        self.assert_exit(result, 0)
        for word in ["run", "report", "list", "version", "Examples:", "Exit codes:"]:
            self.assertIn(word, result.stdout)
        self.assertIn("--mode once", self.call("run", "--help").stdout)

    def commands(self):
        return re.findall(r"^  (\w+) +[A-Z]", self.call("--help").stdout.partition("Commands:")[2], re.MULTILINE)

    def test_help_fits_a_terminal_of_80_columns(self):
        self.assertGreater(len(self.commands()), 15)
        for command in [[], *([name] for name in self.commands())]:
            text = self.call(*command, "--help").stdout.replace("{}", "")  # the placeholder of gate --interleave
            self.assertEqual([line for line in text.splitlines() if len(line) > 80], [], command)
            examples = text.partition("\nExamples:\n")[2].partition("\n\n")[0]
            self.assertEqual([line for line in examples.splitlines() if not line.startswith("  ")], [], command)
            for noise in ["Excludes:", "Needs:", ":INT", ":POSITIVE", "REQUIRED", "{"]:
                self.assertNotIn(noise, text, command)

    def test_help_is_a_command_too(self):
        for command in self.commands():
            self.assertEqual(self.call("help", command).stdout, self.call(command, "--help").stdout)
        self.assertEqual(self.call("help").stdout, self.call("--help").stdout)
        result = self.call("help", "repor")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "unknown command 'repor'\nhint: did you mean 'report'?\n")

    def test_usage_is_what_one_types(self):
        self.assertIn("\nUsage: rooflinectl profile [OPTIONS] -- PROGRAM [ARGS]...\n", self.call("profile", "--help").stdout)
        self.assertIn("\nUsage: rooflinectl compare [OPTIONS] RUN...\n", self.call("compare", "--help").stdout)
        self.assertIn("\nUsage: rooflinectl run [OPTIONS] [PLAN]\n", self.call("run", "--help").stdout)
        for command in self.commands():
            usage = re.search(rf"\nUsage: rooflinectl {command} \[OPTIONS\]( .*)?\n", self.call(command, "--help").stdout)
            self.assertIsNotNone(usage, command)
            arguments = [word for word in (usage[1] or "").split() if word != "[OPTIONS]"]
            if command == "profile":
                arguments = ["--dry-run", "--", "./program", "argument"]
            if command in {"watch", "selftest", "doctor", "ceilings"}:
                continue  # they take no arguments, and would start to measure
            self.assertNotIn("unexpected argument", self.call(command, *("absent" if word.isupper() else word for word in arguments)).stderr, command)

    def test_mistakes_exit_with_2(self):
        for arguments in [[], ["frobnicate"], ["run"], ["run", "plan.yaml", "--nonsense"], ["run", "plan.yaml", "--json"],
                          ["run", "plan.yaml", "--quiet", "--verbose"], ["list", "colours"],
                          ["run", "no such file"], ["report", "no such file"], ["report"]]:
            self.assert_exit(self.call(*arguments), 2)
        self.assertIn("no such file", self.call("run", "no such file").stderr)
        self.assert_nothing_written()

    def test_no_command_leads_on(self):
        result = self.call()
        self.assert_exit(result, 2)
        for command in ["profile -- PROGRAM", "run experiments.yaml", "ceilings", "gate BASE NEW", "doctor", "--help"]:
            self.assertIn(f"rooflinectl {command}", result.stderr)
        for line in result.stderr.splitlines():
            self.assertLessEqual(len(line), 80)

    def test_what_is_missing_comes_with_an_example(self):
        for command, missing, example in [("report", "RUN.json", "runs/reductions/latest"), ("run", "a PLAN or --resume DIR", "experiments.yaml"),
                                          ("compare", "RUN", "runs/before runs/after"), ("gate", "RUN", "runs/base runs/new"),
                                          ("crosscheck", "RUN|PLAN", "runs/reductions/latest")]:
            result = self.call(command)
            self.assert_exit(result, 2)
            self.assertEqual(result.stderr, f"rooflinectl {command}: {missing} is required\n"
                             f"hint: for example `rooflinectl {command} {example}`\n")

    def test_a_program_in_place_of_a_command(self):
        self.write("solver", "#!/bin/sh\n")
        (self.folder / "solver").chmod(0o755)
        result = self.call("./solver")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "unknown command './solver'\nhint: `rooflinectl profile -- ./solver` profiles this program\n")

    def test_version(self):
        self.assertRegex(self.call("version").stdout, r"^rooflinectl \d+\.\d+\.\d+ \(commit ")
        self.assertRegex(self.call("--version").stdout, r"^rooflinectl \d+\.\d+\.\d+$")
        version = json.loads(self.call("version", "--json").stdout)
        self.assertIs(version["can_measure"], True)
        self.assertRegex(version["version"], r"^\d+\.\d+\.\d+$")

    def test_list_shows_what_plans_can_name(self):
        output = self.call("list").stdout
        self.assertRegex(output, r"reduce_v0_global +V0 +f32 +128 256 512 ")
        self.assertRegex(output, r"sum_warp_shuffle +warp shuffle +f32 f16 +256 +8 ")
        self.assertEqual(self.call("list", "variants").stdout, output)
        self.assertIn("dram_copy, dram_read, f32_add", self.call("list", "ceilings").stdout)
        self.assertEqual(json.loads(self.call("list", "--json").stdout)["variants"][0]["id"], "reduce_v0_global")

    def test_list_devices(self):
        self.assertRegex(self.call("list", "devices").stdout, r"\n0 +Fake GPU +9\.0 +100 +80\.0 GiB +50\.0 MiB +GPU-0000")
        self.assertEqual(json.loads(self.call("list", "devices", "--json").stdout)["devices"][0]["name"], "Fake GPU")
        result = self.call("list", "devices", accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertEqual(result.stderr, "no CUDA device was found\nhint: is the driver loaded?\n")
        self.assert_exit(self.call("list", "devices", accidents="segv@start"), 3)

    def test_list_metrics_with_their_passes(self):
        output = self.call("list", "metrics").stdout
        self.assertRegex(output, r"\nFK100 +2 *\n")
        self.assertRegex(output, r"\nFK90 +3 +fmul\n")
        output = self.call("list", "metrics", "--chip", "FK90").stdout
        self.assertIn("FK90: 3 passes\n", output)
        self.assertRegex(output, r"\nfadd +smsp__sass_thread_inst_executed_op_fadd_pred_on\.sum +what fadd is\n")
        self.assertRegex(output, r"\nfmul +\(none on this chip\)")

    def test_without_a_collector_the_ids_are_those_of_the_source_files(self):
        # A copy of the program has no collector beside it.
        copy = self.folder / "rooflinectl"
        copy.write_bytes(pathlib.Path(PROGRAM).read_bytes())
        copy.chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if key != "ROOFLINECTL_COLLECTOR"}

        def call(*arguments):
            return subprocess.run([copy, *arguments], cwd=self.folder, capture_output=True, text=True, env=environment,
                                  timeout=60, check=False)

        listed = call("list").stdout
        for file in (SOURCE / "kernels/reduction").glob("*.cu"):
            self.assertRegex(listed, rf"(?m)^{file.stem} *$")
        self.assertIn("rooflinectl-collector, which describes its kernels, is not installed", listed)
        ceilings = re.findall(r"\w+", call("list", "ceilings").stdout)
        for file in (SOURCE / "kernels/ceilings").glob("*.cu"):
            registered = re.findall(r"CeilingRegistration (\w+)\(", file.read_text())
            self.assertTrue(registered)
            self.assertLessEqual(set(registered), set(ceilings))
        self.assert_exit(call("list", "metrics"), 3)
        self.assert_exit(call("run", str(SOURCE / "experiments.yaml"), "--dry-run"), 0)
        self.write("bad.yaml", PLAN.replace("reduce_*", "sum_atomix"))
        self.assert_exit(call("run", "bad.yaml"), 2)
        result = call("run", "plan.yaml")
        self.assert_exit(result, 3)
        self.assertIn("rooflinectl-collector is not installed", result.stderr)
        self.assert_nothing_written()


if __name__ == "__main__":
    unittest.main()
