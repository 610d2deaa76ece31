# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl report`."""

import csv
import gzip
import json
import os
import resource
import signal
import subprocess
import time
import unittest

from program import PROGRAM, REPORTS, SOURCE, ProgramTest


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

    def test_a_run_without_points_has_a_sentence(self):
        run = json.loads(self.run_file.read_text())
        self.write("none.json", json.dumps(dict(run, measurements=[])))
        result = self.call("report", "none.json", "--output", "out")
        self.assert_exit(result, 0)
        points = len(run["measurements"])
        text = f"Nothing was measured: all {points} points of the plan are missing."
        self.assertTrue(result.stdout.startswith(text + "\n"), result.stdout)
        self.assertNotIn("\nmeasured", result.stdout)
        self.assertIn(f"\n{text}\n", (self.folder / "out/summary.md").read_text())
        self.assertIn(text, (self.folder / "out/report.html").read_text())
        self.write("bare.json", json.dumps(dict(run, measurements=[], ceilings=[])))
        result = self.call("report", "bare.json", "--output", "bare")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[0], text)
        self.assertEqual({path.suffix for path in (self.folder / "bare").iterdir()} & {".png", ".svg", ".pdf"}, set())
        run["plan"]["experiments"] = []
        self.write("nothing.json", json.dumps(dict(run, measurements=[], ceilings=[])))
        result = self.call("report", "nothing.json", "--output", "out")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[:2], ["the run has neither points nor ceilings", ""])

    def contents(self, folder="out"):
        return {path.relative_to(self.folder): path.read_bytes() for path in (self.folder / folder).rglob("*") if path.is_file()}

    def test_a_second_report_leaves_nothing_of_the_first(self):
        self.assert_exit(self.call("report", SOURCE / "recordings/matrix-sums-h200", "--output", "out", "--export", "perfetto"), 0)
        self.assertTrue((self.folder / "out/time-matrix_sums.svg").exists())
        self.assertTrue((self.folder / "out/timeline.perfetto-trace").exists())
        self.write("out/time-mine.svg", "mine")
        self.write("out/levels-matrix_sums.svg", "drawn by me")
        self.assert_exit(self.call("report", self.run_file, "--output", "out"), 0)
        self.assert_exit(self.call("report", self.run_file, "--output", "alone"), 0)
        names = {path.name for path in (self.folder / "out").iterdir()} - {path.name for path in (self.folder / "alone").iterdir()}
        self.assertEqual(names, {"time-mine.svg", "levels-matrix_sums.svg"})
        self.assertEqual((self.folder / "out/time-mine.svg").read_text(), "mine")
        subprocess.run(["sha256sum", "--check", "--quiet", "--strict", ".rooflinectl-report.sha256"], cwd=self.folder / "out", check=True)

    def test_a_report_into_the_folder_of_a_run_leaves_the_run(self):
        folder = self.run_file.parent
        before = self.run_file.read_bytes()
        self.assert_exit(self.call("report", SOURCE / "recordings/matrix-sums-h200", "--output", folder), 0)
        self.assertFalse((folder / "roofline-sums.svg").exists())
        self.assertEqual(self.run_file.read_bytes(), before)
        self.assert_exit(self.call("report", folder), 0)
        self.assertTrue((folder / "roofline-sums.svg").exists())
        self.assertFalse((folder / "roofline-matrix_sums.svg").exists())

    def test_a_report_for_which_there_is_no_space_leaves_the_first(self):
        self.assert_exit(self.call("report", self.run_file, "--output", "out"), 0)
        before = self.contents()
        limit = max(map(len, before.values())) - 1
        result = subprocess.run([PROGRAM, "report", str(SOURCE / "recordings/matrix-sums-h200"), "--output", "out"], cwd=self.folder, check=False,
                                capture_output=True, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assert_exit(result, 3)
        self.assertRegex(result.stderr, r"^out/[\w.-]+: cannot be written: File too large\nhint: choose another folder with --output\n$")
        self.assertEqual(self.contents(), before)
        self.assertEqual([path.name for path in (self.folder / "out").iterdir() if path.is_dir()], [])

    def test_an_interrupted_report_leaves_the_first_or_the_second(self):
        environment = dict(os.environ, SOURCE_DATE_EPOCH="0")  # PDFs have a date

        def report(run):
            return subprocess.Popen([PROGRAM, "report", str(run), "--output", "out"], cwd=self.folder, stdout=subprocess.DEVNULL, env=environment)

        runs = [SOURCE / "recordings/matrix-sums-h200", self.run_file]
        wholes, durations_s = [], []
        for run in runs:
            begin = time.monotonic()
            self.assertEqual(report(run).wait(), 0)
            durations_s.append(time.monotonic() - begin)
            wholes.append(self.contents())
        seen = []
        for step in range(24):
            program = report(runs[0])
            time.sleep(step / 23 * 2.5 * durations_s[0])  # from its beginning to long after its end
            program.send_signal([signal.SIGINT, signal.SIGTERM][step % 2])
            self.assertIn(program.wait(), [0, -signal.SIGINT, -signal.SIGTERM])
            after = self.contents()
            self.assertTrue(after in wholes, sorted(after))
            self.assertEqual([path.name for path in (self.folder / "out").iterdir() if path.is_dir()], [])
            seen.append(wholes.index(after))
            self.assertEqual(report(runs[1]).wait(), 0)
        self.assertEqual(set(seen), {0, 1})

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

    def test_a_timeline_is_exported_where_there_is_one(self):
        recording = SOURCE / "recordings" / "matrix-sums-h200"
        result = self.call("report", recording, "--output", "out", "--quiet", "--export", "perfetto")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[-1], "out/timeline.perfetto-trace")
        self.assertGreater((self.folder / "out/timeline.perfetto-trace").stat().st_size, 1_000_000)
        self.assertIn("out/report.html", result.stdout.splitlines())

    def test_a_run_without_a_timeline_is_not_exported(self):
        result = self.call("report", self.run_file, "--output", "out", "--export", "perfetto")
        self.assert_exit(result, 2)
        self.assertIn("this run has no timeline to export\nhint: rooflinectl profile --timeline -- PROGRAM", result.stderr)
        self.assertFalse((self.folder / "out").exists())
        self.assertIn("perfetto", self.call("report", self.run_file, "--export", "json").stderr)

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

    def test_a_trace_of_pytorch_gives_operators_and_modules(self):
        run = SOURCE / "recordings" / "training-step-h200"
        trace = SOURCE / "tests" / "data" / "torch-2.11.0-h200-training-step.json.gz"
        self.assert_exit(self.call("report", run, "--output", "without"), 0)
        result = self.call("report", run, "--output", "out", "--pytorch-trace", trace)
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        self.assertIn("632 of its 632 kernel launches (by name, grid, block, shared memory)", " ".join(result.stdout.split()))
        self.assertRegex(result.stdout, r"PyTorch operators\n.*\naten::mm +20\.\d %")
        self.assertRegex(result.stdout, r"PyTorch modules\n.*\nSequential_0 +66\.\d %")
        with (self.folder / "out/points.csv").open(newline="") as file:
            operators = {row["operator"] for row in csv.DictReader(file)}
        self.assertIn("aten::_cudnn_attention_backward", operators)
        # Apart from what the trace adds, and in what does not show it, nothing changed.
        for name in ["roofline.svg", "time-training_step.svg"]:
            self.assertEqual((self.folder / "without" / name).read_bytes(), (self.folder / "out" / name).read_bytes())
        self.assertNotRegex(self.call("report", run, "--output", "without").stdout, "PyTorch (operators|modules)")

    def test_traces_of_pytorch_that_do_not_fit_are_refused(self):
        run = SOURCE / "recordings" / "training-step-h200"
        kernel = {"ph": "X", "cat": "kernel", "name": "mine", "pid": 0, "tid": 7, "ts": 1, "dur": 2}
        made = json.dumps({"traceEvents": [kernel]})
        for content, complaint in [("", "not valid JSON at its beginning"), (made[:40], "not valid JSON at byte 41\nhint: the file may be truncated"),
                                   ("{}", "not a trace of torch.profiler"), ('{"traceEvents": []}', "contains no kernels\nhint: trace with activities"),
                                   (made, "none of its kernels (1) is in this run\nhint: give a trace of the same program with the same sizes"),
                                   (made.replace("1,", '"a",'), "/traceEvents/0/ts: expected a number")]:
            self.write("trace.json", content)
            result = self.call("report", run, "--output", "out", "--pytorch-trace", "trace.json")
            self.assert_exit(result, 2)
            self.assertTrue(result.stderr.startswith("trace.json: "), result.stderr)
            self.assertIn(complaint, result.stderr)
        result = self.call("report", run, "--output", "out", "--pytorch-trace", "missing.json")
        self.assert_exit(result, 2)
        self.assertIn("missing.json: cannot be read: No such file or directory", result.stderr)
        result = self.call("report", self.run_file, "--pytorch-trace", "trace.json")
        self.assert_exit(result, 2)
        self.assertIn("--pytorch-trace: this run is not of a profiled program", result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_trace_of_pytorch_that_has_little_of_the_run_warns(self):
        run = SOURCE / "recordings" / "training-step-h200"
        trace = json.loads(gzip.decompress((SOURCE / "tests/data/torch-2.11.0-h200-training-step.json.gz").read_bytes()))
        trace["traceEvents"] = [event for event in trace["traceEvents"] if event.get("cat") != "kernel" or "nvjet" in event["name"]]
        self.write("trace.json", json.dumps(trace))
        result = self.call("report", run, "--output", "out", "--pytorch-trace", "trace.json")
        self.assert_exit(result, 0)
        self.assertRegex(result.stderr, r"^warning: trace\.json: 100\.0 % of its kernel time and 2\d\.\d % of the run's GPU time match: is it from")
        self.assertIn("Too little matches", (self.folder / "out/summary.md").read_text())
        # The trace is read, never replaced.
        (self.folder / "out2").mkdir()
        (self.folder / "out2/points.csv").write_bytes((self.folder / "trace.json").read_bytes())
        self.assert_exit(self.call("report", run, "--output", "out2", "--pytorch-trace", "out2/points.csv"), 2)


if __name__ == "__main__":
    unittest.main()
