# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl report`."""

import gzip
import json
import unittest

from program import REPORTS, SOURCE, ProgramTest


class Reports(ProgramTest):
    def setUp(self):
        super().setUp()
        self.assert_exit(self.run_plan(), 0)
        self.run_file = self.folder / "runs/demo/latest/run.json"

    def test_a_run_is_drawn_again_the_same(self):
        names = ["report.html", "points.csv", "summary.md", "roofline.svg"]
        before = {name: self.run_file.with_name(name).read_bytes() for name in names}
        for name in names:
            self.run_file.with_name(name).unlink()
        self.assert_exit(self.call("report", self.run_file), 0)
        self.assertEqual(before, {name: self.run_file.with_name(name).read_bytes() for name in names})

    def test_into_another_folder_and_from_a_folder(self):
        self.assert_exit(self.call("report", "runs/demo/latest", "--output", "new/folder"), 0)
        self.assertLessEqual(REPORTS, {path.name for path in (self.folder / "new/folder").iterdir()})

    def test_caches_that_no_point_was_measured_with_are_refused(self):
        result = self.call("report", self.run_file, "--cache", "warm", "--output", "out")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "--cache warm: this run has nothing to draw for it\nhint: choose from cold\n")
        self.assertFalse((self.folder / "out").exists())

    def test_levels_and_precisions_of_the_picture_can_be_chosen(self):
        result = self.call("report", self.run_file, "--level", "dram,shared", "--precision", "f32", "--output", "out")
        self.assert_exit(result, 0)
        self.assertIn("a mark per memory level", (self.folder / "out/roofline.svg").read_text())
        for option, wrong, valid in [("--level", "l3", "dram,l2,l1,shared"), ("--precision", "f31", "f64,f32,f16,bf16")]:
            result = self.call("report", self.run_file, option, wrong)
            self.assert_exit(result, 2)
            self.assertIn(wrong, result.stderr)
            self.assertIn(valid, result.stderr)

    def test_files_that_are_no_runs_are_named(self):
        text = self.run_file.read_text()
        newer = json.dumps(dict(json.loads(text), schema=999))
        for content, complaint in [(text[:len(text) // 2], "not valid JSON"), ("{}", "not a rooflinectl run"), ("[1]", "JSON object"),
                                   ("", ""), (newer, "schema 999"), ('{"format": "other"}', "not a rooflinectl run")]:
            self.write("bad.json", content)
            result = self.call("report", "bad.json", "--output", "out")
            self.assert_exit(result, 2)
            self.assertTrue(result.stderr.startswith("bad.json: "), result.stderr)
            self.assertIn(complaint, result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_timeline_that_cannot_be_read_is_named_and_left_out(self):
        recording = SOURCE / "recordings" / "matrix-sums-h200" / "run.json.gz"
        (self.folder / "program").mkdir()
        self.write("program/run.json", gzip.decompress(recording.read_bytes()).decode())
        wrong = {"format": "rooflinectl-timeline", "schema": 1, "devices": [{"device": 7}], "paths": [], "ranges": []}
        file = self.folder / "program" / "timeline.json.gz"
        for content, complaint in [(b"", "timeline.json.gz"), (gzip.compress(b"{"), "not valid JSON"), (gzip.compress(json.dumps(wrong).encode()), "/devices/0")]:
            file.write_bytes(content)
            result = self.call("report", "program", "--output", "out")
            self.assert_exit(result, 0)
            self.assertIn("warning: the report has no timeline: program/timeline.json.gz", result.stderr)
            self.assertIn(complaint, result.stderr)


if __name__ == "__main__":
    unittest.main()
