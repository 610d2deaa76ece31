#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Output streams that cannot be written to, and texts from files that somebody else wrote."""

import json
import os
import resource
import subprocess
import unittest

from program import PROGRAM, ProgramTest
from recordings import REDUCTIONS as RECORDING, recorded

ESCAPE, OVERRIDE, C1 = "\x1b]0;owned\x07", "\u202e", "\x9b31m"


class StreamsTest(ProgramTest):
    def shell(self, command, **extra):
        return subprocess.run(["bash", "-c", command], cwd=self.folder, capture_output=True, timeout=120, check=False,
                              env=self.environment(PROGRAM=PROGRAM, RECORDING=str(RECORDING), **extra))


class Unwritable(StreamsTest):
    """Measuring continues, and the exit code reports the failure."""

    def test_measuring_goes_on(self):
        for redirection in ["2>/dev/full", ">/dev/full", "2>&-", ">&-", ">&- 2>&-", ">&- 2>&- <&-"]:
            result = self.shell(f"$PROGRAM run plan.yaml --output out {redirection}")
            self.assertEqual(result.returncode, 3, redirection)
            run = json.loads((self.folder / "out/demo/latest/run.json").read_text())
            self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * 4, redirection)
            self.assertTrue((self.folder / "out/demo/latest/report.html").exists())

    def test_a_reader_that_goes_away(self):
        result = self.shell("$PROGRAM run plan.yaml 2>&1 | head -1; exit ${PIPESTATUS[0]}")
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(self.measured()), 4)
        result = self.shell("$PROGRAM list --json | true; exit ${PIPESTATUS[0]}")
        self.assertEqual((result.returncode, result.stderr), (3, b""))

    def test_the_last_buffer_counts_too(self):
        for command in ["list --json", "report $RECORDING --output out", "explain $RECORDING", "--help", "version"]:
            result = self.shell(f"$PROGRAM {command} > /dev/full")
            self.assertEqual(result.returncode, 3, command)
            self.assertEqual(result.stderr, b"standard output: cannot be written: No space left on device\n")

    def test_a_more_specific_exit_code_stays(self):
        self.assertEqual(self.shell("$PROGRAM repor 2>/dev/full").returncode, 2)
        self.assertEqual(self.shell("$PROGRAM report nowhere >/dev/full").returncode, 2)

    def test_nothing_is_lost_where_nothing_is_printed(self):
        self.assertEqual(self.shell("$PROGRAM version 2>/dev/full").returncode, 0)

    def test_a_file_size_limit_is_an_error_of_the_file(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))
        result = subprocess.run([PROGRAM, "report", str(RECORDING), "--output", "out"], cwd=self.folder, preexec_fn=limit,
                                capture_output=True, text=True, timeout=120, check=False)
        self.assert_exit(result, 3)
        self.assertRegex(result.stderr, r"cannot be written: File too large\nhint: ")
        self.assertEqual([name for name in os.listdir(self.folder / "out") if name.endswith(".part")], [])


class Texts(StreamsTest):
    """Escape sequences from files and plans have no effect."""

    def assert_printable(self, data):
        text = data.decode()
        bad = [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u202a\u202e\u2066\u2069\u200e\u200f")]
        self.assertEqual(bad, [], text[:500])

    def test_of_a_plan(self):
        title = json.dumps("=title" + ESCAPE + OVERRIDE + "\nforged: line" + C1)
        self.write("plan.yaml", f"name: demo\nexperiments:\n  sums:\n    title: {title}\n    variants: reduce_*\n    sizes: 2^20\n")
        dry = self.shell("$PROGRAM run plan.yaml --dry-run")
        self.assert_printable(dry.stdout)
        self.assertNotRegex(dry.stdout.decode(), "(?m)^forged")
        result = self.shell("$PROGRAM run plan.yaml")
        self.assertEqual(result.returncode, 0)
        self.assert_printable(result.stdout + result.stderr)
        for name in ["summary.md", "points.csv"]:
            self.assert_printable((self.folder / "runs/demo/latest" / name).read_bytes().replace(b"\r\n", b"\n"))
        request = self.shell("$PROGRAM run plan.yaml --dry-run --json")
        self.assert_printable(request.stdout)
        self.assertEqual(json.loads(request.stdout)["plan"]["experiments"][0]["title"], json.loads(title))

    def test_of_a_run(self):
        hostile = "=cmd" + ESCAPE + OVERRIDE + C1
        run = recorded()
        run["tool"]["version"] = run["device"]["name"] = run["host"] = run["started_utc"] = run["device"]["driver_version"] = hostile
        for variant in run["catalogue"]["variants"]:
            variant["label"] = variant["title"] = variant["family"] = hostile + variant["id"]
        for measurement in run["measurements"]:
            measurement["status"], measurement["cause"] = "failed", hostile
        for experiment in run["plan"]["experiments"]:
            experiment["title"] = hostile
        self.write("run.json", json.dumps(run))
        for command in ["report run.json --output out", "explain run.json", "explain run.json --json", "compare run.json run.json",
                        "compare run.json run.json --json", "gate run.json run.json --markdown out/gate.md --junit out/gate.xml"]:
            result = self.shell(f"$PROGRAM {command}")
            self.assertIn(result.returncode, (0, 2, 4), result.stderr)
            self.assert_printable(result.stdout + result.stderr)
        for name in ["summary.md", "points.csv", "gate.md"]:
            text = (self.folder / "out" / name).read_bytes().replace(b"\r\n", b"\n")
            self.assert_printable(text)
        self.assertNotRegex((self.folder / "out/points.csv").read_text(), "(?m)(^|,)[=@]")

    def test_in_mistakes(self):
        run = recorded()
        run["source"] = ESCAPE + OVERRIDE
        self.write("run.json", json.dumps(run))
        self.write("plan.yaml", json.dumps({"name": "x", "experiments": {"e" + ESCAPE: {"variants": OVERRIDE + C1}}}))
        for arguments in [["report", "run.json"], ["run", "plan.yaml"], [ESCAPE + OVERRIDE], ["report", "--" + ESCAPE], ["report", ESCAPE],
                          ["gate", "--only", ESCAPE], ["run", "plan.yaml", "--device", OVERRIDE]]:
            result = subprocess.run([PROGRAM, *arguments], cwd=self.folder, capture_output=True, timeout=60, check=False)
            self.assertEqual(result.returncode, 2)
            self.assert_printable(result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
