#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that somebody else made, given to the program: it writes nowhere but into the output folder, runs nothing that they
name, and takes no more memory than their size justifies."""

import gzip
import json
import os
import pathlib
import resource
import subprocess
import unittest
import zlib

from program import PROGRAM, ProgramTest
from recordings import REDUCTIONS as RECORDING, recorded

HOSTILE_NAMES = ["../../escaped", "/tmp/rooflinectl-escaped", "a/b", ".", "..", "", "nul\0byte", "x" * 5000, "CON", "-rf",
                 "$(touch executed)", "`touch executed`", "; touch executed;", "ü ö", "\n"]
MEMORY_BYTES = 4 << 30


class BadInput(ProgramTest):
    def files(self):
        return {path.relative_to(self.folder) for path in self.folder.rglob("*")}

    def limited(self, *arguments):
        """Runs the program with little memory and time."""
        def limit():
            if "asan" not in PROGRAM:  # AddressSanitizer reserves terabytes of addresses
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              preexec_fn=limit, check=False, env=self.environment())

    def draw(self, run):
        self.write("run.json", json.dumps(run))
        before = self.files()
        result = self.limited("report", "run.json", "--output", "out", "--quiet")
        self.assertNotIn("executed", {path.name for path in self.files()})
        self.assertLessEqual({path.parts[0] for path in self.files() - before}, {"out"})
        return result

    def test_names_in_a_run_never_lead_out_of_the_folder(self):
        run = recorded()
        experiments = run["plan"]["experiments"][:1]
        old = experiments[0]["name"]
        run["measurements"] = [m for m in run["measurements"] if m["experiment"] == old][:2]
        experiments[0]["points"] = experiments[0]["points"][:2]
        run["plan"]["experiments"] = [dict(experiments[0], name=name, title=name) for name in HOSTILE_NAMES]
        run["plan"]["name"] = "../../escaped"
        run["measurements"] = [dict(m, experiment=name) for name in HOSTILE_NAMES for m in run["measurements"]]
        run["device"]["name"] = run["host"] = "../../escaped $(touch executed)"
        self.assert_exit(self.draw(run), 0)
        pictures = list((self.folder / "out").glob("roofline*.png"))
        self.assertEqual(len(pictures), 1 + len(HOSTILE_NAMES), "each name has a picture of its own")
        for link in (self.folder / "out").iterdir():
            self.assertFalse(link.is_symlink())

    def test_a_run_with_duplicates_is_refused(self):
        run = recorded()
        count = len(run["measurements"])
        self.write("twice.json", json.dumps(dict(run, measurements=run["measurements"] * 2)))
        self.write("member.json", json.dumps(run).replace('"host":', '"host": "another", "host":', 1))
        for command in ["report", "explain"]:
            for name, place in [("twice", f"/measurements/{count}: a duplicate of entry 0"), ("member", "'host' occurs twice")]:
                result = self.limited(command, f"{name}.json")
                self.assert_exit(result, 2)
                self.assertEqual(result.stderr, f"{name}.json: {place}\n")

    def test_such_names_are_mistakes_in_a_plan(self):
        for name in HOSTILE_NAMES[:8] + HOSTILE_NAMES[10:]:
            text = json.dumps({"name": name, "experiments": {name: {"variants": "all", "sizes": 1024}}})
            self.write("hostile.yaml", text)
            self.assert_exit(self.limited("run", "hostile.yaml"), 2)
            self.assert_nothing_written()

    def test_a_file_that_is_named_like_a_command_is_not_run(self):
        for name in ["$(touch executed)", "; touch executed", "|touch executed", "-rf", "a b.yaml"]:
            self.write(name, pathlib.Path(self.folder / "plan.yaml").read_text())
            result = self.limited("run", "./" + name, "--output", "out; touch executed")
            self.assert_exit(result, 0)
            self.assertNotIn("executed", os.listdir(self.folder))
        self.assertIn("out; touch executed", os.listdir(self.folder))

    def test_sizes_are_checked_before_memory_is_taken(self):
        for size in ["1000000000000000000", "2^63", "1e18", "99999999999Gi", "-1"]:
            self.write("large.yaml", f"name: x\nexperiments: {{e: {{variants: all, sizes: {size}}}}}\n")
            result = self.limited("run", "large.yaml")
            self.assert_exit(result, 2)
            self.assertIn("is not a number of elements", result.stderr)
        self.assert_nothing_written()

    def test_a_run_of_more_than_100000_points_is_refused(self):
        run = recorded()
        run["measurements"] = run["measurements"][:1]
        text = json.dumps(run)
        point = json.dumps({"variant": "a", "dtype": "f32", "n": 1, "cache": "cold", "block_size": 1})
        points = json.dumps(run["plan"]["experiments"][0]["points"])
        self.write("run.json", text.replace(points, "[" + ",".join([point] * 100_001) + "]"))
        result = self.limited("report", "run.json")
        self.assert_exit(result, 2)
        self.assertIn("more than 100000 entries", result.stderr)

    def test_files_without_end_are_refused(self):
        for arguments in [["report", "/dev/zero"], ["run", "/dev/zero"]]:
            result = self.limited(*arguments)
            self.assert_exit(result, 2)
            self.assertIn("/dev/zero: larger than", result.stderr)

    def test_a_small_file_that_unpacks_to_a_large_one_is_refused(self):
        compressor = zlib.compressobj(9, wbits=31)
        bomb = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(257)) + compressor.flush()
        (self.folder / "run.json.gz").write_bytes(bomb)
        for arguments in [["report", "run.json.gz"], ["explain", "."], ["compare", RECORDING, "."], ["gate", ".", RECORDING],
                          ["run", "plan.yaml", "--replay", "run.json.gz"], ["run", "--resume", "."], ["crosscheck", "run.json.gz"]]:
            result = self.limited(*arguments)
            self.assert_exit(result, 2)
            self.assertIn("run.json.gz: holds more than 256 MiB when it is unpacked", result.stderr)

    def test_a_damaged_archive_is_refused(self):
        whole = RECORDING.read_bytes()
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0xff
        for content, problem in [(whole[:1000], "ends before its compressed content does\nhint: the file may be truncated"),
                                 (whole[:3], "ends before its compressed content does"), (bytes(flipped), "cannot be unpacked: "),
                                 (gzip.compress(b""), "the file is empty"), (gzip.compress(b"[1"), "not valid JSON at byte"),
                                 (whole[:2] + b"rubbish", "cannot be unpacked: unknown compression method")]:
            (self.folder / "run.json.gz").write_bytes(content)
            result = self.limited("report", ".")
            self.assert_exit(result, 2)
            self.assertIn("run.json.gz: " + problem, result.stderr)

    def test_what_is_not_json_is_named(self):
        whole = json.dumps(recorded())
        for content, stderr in [(whole.replace("1,", "NaN,", 1).encode(), r"run.json: not valid JSON at byte \d+: NaN is not JSON\n"),
                                (whole.encode().replace(b"NVIDIA", b"\xff", 1), r"run.json: not valid JSON at byte \d+: byte 0xff is not UTF-8\n"),
                                (whole[:1000].encode(), r"run.json: not valid JSON at byte 1001\nhint: the file may be truncated\n")]:
            (self.folder / "run.json").write_bytes(content)
            result = self.limited("report", "run.json")
            self.assert_exit(result, 2)
            self.assertRegex(result.stderr, f"^{stderr}$")

    def test_deep_nesting_is_refused(self):
        depth = 200_000
        self.write("deep.json", '{"format": "rooflinectl-run", "schema": 1, "tool": ' + "[" * depth + "]" * depth + "}")
        self.write("deep.yaml", "[" * depth)
        self.write("deeper.yaml", "a: " + "[" * 200 + "]" * 200)
        for arguments in [["report", "deep.json"], ["run", "deep.yaml"], ["run", "deeper.yaml"]]:
            self.assert_exit(self.limited(*arguments), 2)


unittest.main()
