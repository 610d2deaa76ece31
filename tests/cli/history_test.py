# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl history` and `rooflinectl gate --history` from outside, on changed copies of a recording."""

import copy
import csv
import datetime
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from recordings import recorded

PROGRAM = os.environ["ROOFLINECTL"]
V3 = "reduce_v3_sequential"


class HistoryTest(unittest.TestCase):
    recording = recorded()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)

    def measured(self, day, factor=1.0, change=lambda run: None, folder="runs"):
        """A run of that day of December, whose V3 takes `factor` as long."""
        run = copy.deepcopy(self.recording)
        run["started_utc"] = f"{datetime.date(2026, 11, 30) + datetime.timedelta(day)}T10:00:00Z"
        for measurement in run["measurements"]:
            if measurement["variant"] == V3:
                for key in ["median_s", "ci_low_s", "ci_high_s"]:
                    measurement["time"][key] *= factor
        change(run)
        path = self.folder / folder / f"day-{day:02}"
        path.mkdir(parents=True)
        (path / "run.json").write_text(json.dumps(run))
        return path.relative_to(self.folder)

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)


class History(HistoryTest):
    def test_runs_of_a_folder_are_followed(self):
        for day, factor in enumerate([1, 1, 1.3, 1.3], 1):
            self.measured(day, factor)
        (self.folder / "runs/latest").symlink_to("day-04")
        result = self.call("history", "runs")
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        self.assertTrue(result.stdout.startswith("4 runs, 2026-12-01 10:00 UTC to 2026-12-04 10:00 UTC\n"), result.stdout)
        self.assertRegex(result.stdout, r"\nV3 +ladder +▁▁██ .* \+30\.0 % .*run 3: slower \(\+30\.0 %\)")
        self.assertRegex(result.stdout, r"\n  run 3, 2026-12-03 10:00 UTC: runs/day-03\n(    .*\n)?    ladder V3: slower, .* \(\+30\.0 %\)\n")

    def test_an_index_changes_no_answer(self):
        for day in range(1, 111):
            self.measured(day, 1 if day < 60 else 1.2)
        index = self.folder / "runs/.rooflinectl-index"
        first = self.call("history", "runs", "--json")
        self.assert_exit(first, 0)
        self.assertTrue(index.exists())
        self.assertEqual(self.call("history", "runs", "--json").stdout, first.stdout)
        gate = self.call("gate", "runs/day-110", "--history", "runs")
        self.assert_exit(gate, 0)
        index.write_bytes(index.read_bytes()[:-5000].replace(b"median_s", b"Median_s", 7))
        self.assertEqual(self.call("history", "runs", "--json").stdout, first.stdout)
        changed = self.folder / "runs/day-30/run.json"
        recorded_text = changed.read_text()
        changed.write_text(recorded_text.replace('"status": "ok"', '"status": "failed"', 1))
        self.assertNotEqual(self.call("history", "runs", "--json").stdout, first.stdout)
        changed.write_text(recorded_text)
        index.unlink()
        self.assertEqual(self.call("gate", "runs/day-110", "--history", "runs").stdout, gate.stdout)

    def test_the_environment_is_marked(self):
        self.measured(1)
        self.measured(2, change=lambda run: run["device"].update(driver_version="590.1"))
        self.assertRegex(self.call("history", "runs").stdout, r"\n  run 2, .*\n    driver: \S+ → 590\.1\n")

    def test_damaged_and_other_runs_are_named_and_lose_nothing(self):
        self.measured(1)
        self.measured(2, change=lambda run: run["device"].update(name="NVIDIA H100"))
        self.measured(3)
        (self.folder / "runs/damaged").mkdir()
        (self.folder / "runs/damaged/run.json").write_text('{"format": "rooflinectl-run"')
        result = self.call("history", "runs", "--output", "out")
        self.assert_exit(result, 1)
        self.assertRegex(result.stderr, r"left out: runs/damaged cannot be read: runs/damaged/run\.json")
        self.assertIn("left out: runs/day-02 was measured on NVIDIA H100, not NVIDIA H200\n", result.stderr)
        self.assertTrue(result.stdout.startswith("2 runs, "))
        page = (self.folder / "out/history.html").read_text()
        self.assertIn("<li>runs/day-02 was measured on NVIDIA H100, not NVIDIA H200</li>", page)

    def test_output_and_json(self):
        for day, factor in enumerate([1, 1.3], 1):
            self.measured(day, factor)
        result = self.call("history", "runs", "--output", "out", "--counters", "dram_read_bytes", "--point", "V3")
        self.assert_exit(result, 0)
        self.assertEqual({path.name for path in (self.folder / "out").iterdir()}, {"history.html", "history.csv", "history.json", ".rooflinectl-history.sha256"})
        text = (self.folder / "out/history.csv").read_text()
        rows = [row for row in csv.DictReader(io.StringIO(text)) if row["experiment"] == "ladder"]
        self.assertEqual([(row["run"], row["label"], row["change"]) for row in rows], [("1", "V3", ""), ("2", "V3", "slower")])
        self.assertAlmostEqual(float(rows[1]["ratio"]), 1.3)
        self.assertGreater(float(rows[1]["dram_read_bytes"]), 0)
        written = json.loads((self.folder / "out/history.json").read_text())
        printed = json.loads(self.call("history", "runs", "--counters", "dram_read_bytes", "--point", "V3", "--json").stdout)
        self.assertEqual((printed.pop("command"), set(printed.pop("tool")), len(printed.pop("devices"))), ("history", {"version", "commit"}, 1))
        self.assertEqual(written, printed)
        self.assertEqual(written["points"][0]["runs"][1]["change"], "slower")

    def test_a_run_is_not_overwritten(self):
        path = self.measured(1)
        (self.folder / path / "run.json").rename(self.folder / "history.json")
        self.assert_exit(self.call("history", "history.json", "--output", "."), 2)

    def test_mistakes_exit_with_2(self):
        self.measured(1)
        (self.folder / "empty").mkdir()
        for arguments, message in [
                (["empty"], "empty: no run is below this folder"),
                (["runs", "--counters", "dram_read_byte"], "there is no counter 'dram_read_byte'\nhint: did you mean 'dram_read_bytes'?"),
                (["runs", "--point", "V33"], "the runs have no point 'V33'\nhint: did you mean 'V3'?"),
                ([], "RUN|DIR... is required")]:
            result = self.call("history", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(message, result.stderr)

    def test_without_a_time_there_is_no_history(self):
        self.measured(1, change=lambda run: run.update(source="replayed"))
        result = self.call("history", "runs")
        self.assert_exit(result, 2)
        self.assertIn("none of the runs measured the time of a point", result.stderr)


class GateAgainstHistory(HistoryTest):
    def test_the_baseline_is_what_the_last_runs_say(self):
        for day, factor in enumerate([2, 1, 1, 1.01, 1], 1):
            self.measured(day, factor)
        new = self.measured(6, 1.3)
        result = self.call("gate", new, "--history", "runs", "--last", "4")
        self.assert_exit(result, 4)
        self.assertTrue(result.stdout.startswith("baseline: the newest 4 of 5 comparable runs\nbase: runs/day-02\n      NVIDIA H200, "), result.stdout)
        self.assertRegex(result.stdout, r"\nregressed +V3 +ladder +time .* \+29\.7 %")
        same = self.measured(7, 1)
        self.assert_exit(self.call("gate", same, "--history", "runs/day-02", "runs/day-03", "runs/day-04", "runs/day-05"), 0)

    def test_too_few_runs_are_an_error_that_names_the_others(self):
        self.measured(1)
        self.measured(2)
        self.measured(3, change=lambda run: run["device"].update(name="NVIDIA H100"))
        result = self.call("gate", self.measured(4), "--history", "runs")
        self.assert_exit(result, 2)
        self.assertIn("only 2 runs can serve as the base of runs/day-04; --history needs at least 3\n", result.stderr)
        self.assertIn("  runs/day-03 was measured on NVIDIA H100, not NVIDIA H200\n", result.stderr)

    def test_options_that_contradict_each_other(self):
        new = self.measured(1)
        for arguments in [["--history", "runs", "--baseline", "runs"], ["--last", "5"], ["--history", "runs", "--last", "2"]]:
            self.assert_exit(self.call("gate", new, *arguments), 2)
        self.assert_exit(self.call("gate", new, new, "--history", "runs"), 2)


if __name__ == "__main__":
    unittest.main()
