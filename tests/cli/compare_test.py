# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl compare` and `rooflinectl gate` from outside, on the recordings and changed copies of them."""

import copy
import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from recordings import recorded

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ["ROOFLINECTL"]
RECORDING = SOURCE / "recordings" / "reductions-h200"
TRAINING = SOURCE / "recordings/training-step-h200/run.json.gz"
V3 = "reduce_v3_sequential"


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.recording = recorded()

    def call(self, *arguments, **environment):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              check=False, env=dict(os.environ, **environment))

    def changed(self, name, change):
        """A copy of the recording in which `change` was done to the first measurement of V3, and the folder that it is in."""
        run = copy.deepcopy(self.recording)
        change(run, next(m for m in run["measurements"] if m["variant"] == V3))
        (self.folder / name).mkdir()
        (self.folder / name / "run.json").write_text(json.dumps(run))
        return name

    def slower(self, name="slower", factor=1.2):
        def change(_, measurement):
            for key in ["median_s", "ci_low_s", "ci_high_s"]:
                measurement["time"][key] *= factor
        return self.changed(name, change)

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)


class Compare(CompareTest):
    def test_a_recording_is_the_same_as_itself(self):
        result = self.call("compare", RECORDING, RECORDING / "run.json.gz")
        self.assert_exit(result, 0)
        self.assertTrue(result.stdout.endswith("\n\nBoth are the same run: there is nothing to compare.\n"), result.stdout)
        for word in ["Environment", "unclear", " same\n"]:
            self.assertNotIn(word, result.stdout)

    def test_runs_of_different_programs_have_one_sentence_in_place_of_a_table(self):
        result = self.call("compare", TRAINING, SOURCE / "recordings/matrix-sums-h200", "-o", "unrelated")
        self.assert_exit(result, 0)
        text = result.stdout.split("\n\n")[1]
        self.assertEqual(text.splitlines()[0], "The runs have no points in common; 97 only in the base, 19 only in the new run.")
        self.assertNotIn("missing", result.stdout)
        self.assertNotIn("GPU time of", result.stdout)
        markdown = (self.folder / "unrelated/comparison.md").read_text()
        self.assertIn("The runs have no points in common", markdown)
        self.assertNotIn("| verdict |", markdown)
        self.assertNotIn("GPU time of", markdown)
        page = (self.folder / "unrelated/comparison.html").read_text()
        self.assertIn("The runs have no points in common; 97 only in the base, 19 only in the new run.", page)
        for text in ['class="waterfall"', 'class="movement"', '<table class="points">', "GPU time of"]:
            self.assertNotIn(text, page)
        self.assertFalse((self.folder / "unrelated/movement.png").exists())

    def test_of_runs_with_little_in_common_only_that_is_shown(self):
        result = self.call("compare", SOURCE / "recordings/ladder-h200", RECORDING)
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"\nThe runs have 11 of 73 points in common; \d+ only in the base, \d+ only in the new run\.\n")
        self.assertNotRegex(result.stdout, r"(?m)^(missing|added) ")
        self.assertEqual(len(re.findall(r"(?m)^(same|slower|faster|unclear) ", result.stdout)), 11)

    def test_what_changed_comes_first(self):
        result = self.call("compare", RECORDING, self.slower())
        self.assert_exit(result, 0)
        first = next(line for line in result.stdout.splitlines() if not line.startswith(("base", "now", " ", "verdict")) and line)
        self.assertRegex(first, r"^slower +V3 +ladder .* \+20\.0 %")

    def test_json(self):
        comparison, = json.loads(self.call("compare", RECORDING, self.slower(), "--json").stdout)["comparisons"]
        point = comparison["points"][0]
        self.assertEqual((point["verdict"], point["point"]["subject"]), ("slower", V3))
        self.assertAlmostEqual(point["time"]["ratio"], 1.2)
        self.assertEqual(len(comparison["points"]), len(self.recording["measurements"]))

    def test_several_new_runs_and_several_base_runs(self):
        result = self.call("compare", RECORDING, self.slower(), self.slower("much_slower", 2), "--json")
        self.assertEqual([c["now"]["name"] for c in json.loads(result.stdout)["comparisons"]], ["slower", "much_slower"])
        result = self.call("compare", RECORDING, "--baseline", "slower", "much_slower", "--json")
        comparison, = json.loads(result.stdout)["comparisons"]
        self.assertEqual([base["name"] for base in comparison["baseline"]], ["slower", "much_slower"])
        self.assertEqual(comparison["points"][0]["verdict"], "faster")

    def test_output(self):
        result = self.call("compare", RECORDING, self.slower(), "slower", "--output", "compared")
        self.assert_exit(result, 0)
        names = {"comparison.html", "comparison.json", "comparison.md", "movement.svg", "movement.png", "comparison-2.md",
                 "movement-2.svg", "movement-2.png", ".rooflinectl-comparison.sha256"}
        self.assertEqual({path.name for path in (self.folder / "compared").iterdir()}, names)
        self.assert_exit(self.call("compare", RECORDING, "slower", "--output", "compared"), 0)
        self.assertEqual({path.name for path in (self.folder / "compared").iterdir()}, {name for name in names if "-2." not in name})
        svg = xml.etree.ElementTree.parse(self.folder / "compared" / "movement.svg").getroot()
        texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("+20.0 %", texts)
        self.assertIn("![Change of every point](movement.png)", (self.folder / "compared" / "comparison.md").read_text())
        page = (self.folder / "compared" / "comparison.html").read_text()
        # Its pictures take their paper from the page: on a dark one they are dark.
        self.assertNotIn("background: #", page)
        self.assertIn('<tr class="slower"><td>slower</td><td>V3</td>', page)
        self.assertIn("Time per launch, saved and lost", page)
        self.assertRegex(page, r'<li class="lost"><span class="name" title="V3">V3</span>')

    def test_names_from_files_are_not_markup(self):
        def rename(run, _):
            run["device"]["name"] = "<script>alert(1)</script>"
        self.assert_exit(self.call("compare", RECORDING, self.changed("<b>", rename), "--output", "compared"), 0)
        for name in ["comparison.html", "movement.svg"]:
            text = (self.folder / "compared" / name).read_text()
            self.assertNotIn("<script>alert", text)
            self.assertNotIn("<b>", text)

    def test_github_makes_nothing_of_names_from_files(self):
        def rename(run, _):
            run["device"]["name"] = "@octocat $x$ GH-1 https://a.org"
        name = self.changed("renamed", rename)
        self.assert_exit(self.call("compare", name, name, "--output", "compared"), 0)
        self.assert_exit(self.call("gate", name, name, "--markdown", "gate.md"), 0)
        self.assert_exit(self.call("report", name, "--output", "report"), 0)
        for file in ["compared/comparison.md", "gate.md", "report/summary.md"]:
            self.assertIn("<span>@</span>octocat <span>$</span>x<span>$</span> GH<span>-</span>1 https<span>:</span>//a.org",
                          (self.folder / file).read_text(), file)

    def test_nothing_is_cut_where_there_is_no_terminal(self):
        def rename(run, _):
            run["tool"]["version"] = "1." + "2" * 150
        result = self.call("compare", RECORDING, self.changed("renamed", rename))
        self.assertIn("2" * 150, re.sub(r"\s+", "", result.stdout))
        self.assertNotIn("…\n", result.stdout)

    def test_mistakes_exit_with_2(self):
        (self.folder / "broken.json").write_text("{}")
        for arguments in [[], [RECORDING], [RECORDING, "no such run"], [RECORDING, "broken.json"], [RECORDING, RECORDING, "--threshold", "x"],
                          [RECORDING, RECORDING, "--threshold", "-1"]]:
            for command in ["compare", "gate"]:
                flags = [a if a != "--threshold" or command == "compare" else "--time" for a in arguments]
                self.assert_exit(self.call(command, *flags), 2)


class Primitives(CompareTest):
    RECORDING = SOURCE / "recordings" / "primitives-h200"

    def test_are_reported_as_not_compared(self):
        run = json.loads(gzip.decompress((self.RECORDING / "run.json.gz").read_bytes()))
        (self.folder / "later.json").write_text(json.dumps({**run, "started_utc": "2026-11-23T01:03:00Z"}))
        result = self.call("compare", self.RECORDING, "later.json", "--output", "compared")
        self.assert_exit(result, 0)
        self.assertIn("\nno points to compare; primitives are not compared\n", result.stdout)
        self.assertNotRegex(result.stdout, r"(?m)^verdict")

    def test_alone_do_not_let_a_gate_pass(self):
        result = self.call("gate", self.RECORDING, self.RECORDING)
        self.assert_exit(result, 2)
        self.assertIn("\nNOT COMPARABLE; primitives are not compared\n", result.stdout)

    def test_beside_points_are_reported_as_not_compared(self):
        def add(run, _):
            run["primitives"] = recorded(self.RECORDING / "run.json.gz")["primitives"][:1]
        new = self.changed("with_primitives", add)
        self.assertIn(" same; primitives are not compared\n", self.call("compare", RECORDING, new).stdout)
        result = self.call("gate", RECORDING, new)
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"PASSED: .*; primitives are not compared\n")


class Report(CompareTest):
    def test_a_pdf_is_reproducible(self):
        for folder in ["a", "b"]:
            self.assert_exit(self.call("report", RECORDING, "--output", folder, SOURCE_DATE_EPOCH="86400"), 0)
        pdf = (self.folder / "a/roofline.pdf").read_bytes()
        self.assertEqual(pdf, (self.folder / "b/roofline.pdf").read_bytes())
        self.assertIn(b"19700102000000Z)", pdf)

    def test_pdf_has_its_text_and_its_font(self):
        self.assert_exit(self.call("report", RECORDING, "--output", "."), 0)
        text = subprocess.run(["pdftotext", "roofline.pdf", "-"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        read, = (ceiling["value"] for ceiling in self.recording["ceilings"] if ceiling["id"] == "dram_read")
        atomic = next(m["time"]["median_s"] for m in self.recording["measurements"] if m["variant"] == "sum_atomic")
        for words in ["V6 manual", f"DRAM read {read / 1e12:.2f} TB/s", "Arithmetic intensity (FLOP/byte)", f"{atomic * 1e3:.1f} ms"]:
            self.assertIn(words, text)
        fonts = subprocess.run(["pdffonts", "roofline.pdf"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        for line in fonts.splitlines()[2:]:
            self.assertRegex(line, r"Inter.* yes +(yes|no) +yes +\d+ +\d+$", "embedded, with its characters")

    def test_the_cache_state_chooses_the_points(self):
        run = recorded()
        for first in (run["measurements"][0], run["plan"]["experiments"][0]["points"][0]):
            first["cache"] = "warm"
        (self.folder / "warm.json").write_text(json.dumps(run))
        self.assert_exit(self.call("report", "warm.json", "--cache", "warm", "--output", "."), 0)
        self.assertIn("V0", (self.folder / "roofline.svg").read_text())
        for name in ["roofline.svg", "summary.md", "points.csv"]:
            self.assertNotIn("V6 manual", (self.folder / name).read_text())

    def test_experiments_without_a_point_of_the_cache_state_are_left_out(self):
        result = self.call("report", SOURCE / "recordings" / "ladder-h200", "--cache", "warm", "--output", ".")
        self.assert_exit(result, 0)
        self.assertEqual({path.name for path in self.folder.glob("*.svg")},
                         {"roofline.svg", "roofline-small.svg", "levels-small.svg"})
        self.assertIn("small: ", result.stdout)
        self.assertNotIn("complete", result.stdout)

    def test_a_choice_that_leaves_nothing_is_refused_before_anything_is_written(self):
        run = copy.deepcopy(self.recording)
        for measurement in run["measurements"]:
            measurement["counters"] = {}
        (self.folder / "uncounted.json").write_text(json.dumps(run))
        for arguments, hint in [([RECORDING, "--cache", "warm"], "choose from cold"), ([RECORDING, "--precision", "f8,i8"], "choose from f32"),
                                (["uncounted.json", "--level", "l2"], "omit --level"),
                                ([SOURCE / "recordings" / "primitives-h200", "--precision", "f32"], "omit --precision"),
                                ([SOURCE / "recordings" / "primitives-h200", "--level", "l2"], "choose from dram")]:
            result = self.call("report", *arguments, "--output", "out")
            self.assert_exit(result, 2)
            self.assertEqual(result.stderr, f"{arguments[1]} {arguments[2]}: this run has nothing to draw for it\nhint: {hint}\n")
            self.assertFalse((self.folder / "out").exists())
        for arguments in [["--level", "dram"], ["--precision", "f32,f8"], ["--cache", "cold,warm"]]:
            self.assert_exit(self.call("report", "uncounted.json", *arguments, "--output", "out"), 0)

    def test_themes(self):
        self.assert_exit(self.call("report", RECORDING, "--theme", "dark", "--output", "."), 0)
        self.assertIn('<rect width="1600" height="900" fill="#14181d"/>', (self.folder / "roofline.svg").read_text())
        self.assert_exit(self.call("report", RECORDING, "--theme", "pink", "--output", "."), 2)

    def test_the_end_of_a_report_is_whole_in_a_pipe(self):
        lines = self.call("report", RECORDING, "--output", ".").stdout.splitlines()
        lines = [line for line in lines if not line.startswith(("/", "./"))]
        self.assertGreater(len([line for line in lines if "│" in line or "└" in line]), 10)
        self.assertGreater(len([line for line in lines if "2^2" in line]), 30)
        self.assertFalse([line for line in lines if "…" in line or "no room" in line])
        # Where there is no terminal, tables are as wide as what they hold.
        self.assertLessEqual(max(len(line) for line in lines if not re.search("  (graph|launch)  ", line)), 120)
        self.assertTrue(any("● V7, V8" in line for line in lines))


class Gate(CompareTest):
    def test_exit_codes(self):
        self.assert_exit(self.call("gate", RECORDING, RECORDING), 0)
        self.assert_exit(self.call("gate", RECORDING, self.slower()), 4)
        self.assert_exit(self.call("gate", RECORDING, "slower", "--only", "counters"), 0)
        self.assert_exit(self.call("gate", RECORDING, "slower", "--time", "25", "--roof", "25 %"), 0)
        self.assert_exit(self.call("gate", "slower", RECORDING), 0)
        self.assert_exit(self.call("gate", "slower", "--baseline", RECORDING, "slower"), 0)
        self.assert_exit(self.call("gate", RECORDING, RECORDING, RECORDING), 2)

    def test_an_incomplete_base_is_named(self):
        base = self.changed("interrupted", lambda run, measurement: run["measurements"].remove(measurement))
        result = self.call("gate", base, RECORDING)
        self.assert_exit(result, 0)
        self.assertIn("not checked: base interrupted: ladder: incomplete, 1 of 14 points missing: V3", result.stdout)
        self.assertIn("; not all points of the plans were checked", result.stdout)

    def test_an_operation_more_fails_the_counters_gate(self):
        def add_one(_, measurement):
            measurement["counters"]["fadd"] += 1
        result = self.call("gate", RECORDING, self.changed("more", add_one), "--only", "counters")
        self.assert_exit(result, 4)
        self.assertRegex(result.stdout, r"regressed +V3 +ladder +operations .*\+1 OP")

    def test_another_device_is_refused(self):
        def other(run, _):
            run["device"]["name"] = "NVIDIA L4"
        result = self.call("gate", RECORDING, self.changed("other", other))
        self.assert_exit(result, 2)
        self.assertIn("NVIDIA H200, the new run on NVIDIA L4", result.stdout)
        self.assert_exit(self.call("gate", RECORDING, "other", "--allow", "devices"), 0)

    def program(self, name, change):
        """A copy of the recorded training step after `change`."""
        run = recorded(TRAINING)
        change(run)
        (self.folder / name).mkdir()
        (self.folder / name / "run.json").write_text(json.dumps(run))
        return name

    def test_programs_with_nothing_in_common_are_refused(self):
        matrix_sums = SOURCE / "recordings/matrix-sums-h200"
        result = self.call("gate", TRAINING, matrix_sums)
        self.assert_exit(result, 2)
        text = " ".join(result.stdout.split())
        self.assertIn("only 0.0 % of the base's GPU time (0 of 97 launch groups) is in launch groups that the new run has, too", text)
        self.assertIn("examples/training_step.py', the new run './matrix_sums --steps 2500'", text)
        self.assertIn("rooflinectl compare shows both runs, and --allow points checks only what they have in common", text)
        self.assertIn("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT grid 2x64 block 384", text)
        self.assertNotIn("grid 2x64 grid 2x64", text)
        self.assertEqual(text.count("the new run './matrix_sums"), 1)
        self.assertTrue(result.stdout.endswith("NOT COMPARABLE; 97 launch groups of the base missing\n"), result.stdout)
        # Not even one point.
        self.assert_exit(self.call("gate", TRAINING, matrix_sums, "--allow", "points"), 2)
        self.assert_exit(self.call("gate", TRAINING, RECORDING), 2)
        self.assert_exit(self.call("gate", RECORDING, TRAINING), 2)

    def test_a_program_that_failed_fails(self):
        def fail(run):
            run["application"]["exit_code"] = 3
            run["measurements"] = run["measurements"][:3]
        result = self.call("gate", TRAINING, self.program("crashed", fail), "--junit", "gate.xml", "--markdown", "gate.md")
        self.assert_exit(result, 4)
        self.assertIn("failed: exit code: the program ended with exit code 3; in the base, it ended with exit code 0", " ".join(result.stdout.split()))
        self.assertIn("\nFAILED: 13 checks of 4 points: exit code failed, groups failed, ", result.stdout)
        self.assertIn("- failed: exit code: the program ended", (self.folder / "gate.md").read_text())
        failed = [case.get("name") for case in xml.etree.ElementTree.parse(self.folder / "gate.xml").iter("testcase") if case.find("failure") is not None]
        self.assertEqual(failed, ["exit code", "groups"])

    def test_what_a_program_no_longer_does_is_listed_and_fails_where_it_is_much(self):
        def halve(run):
            run["measurements"] = run["measurements"][::2]

        def one_less(run):
            run["measurements"].pop()

        def do_a_tenth(run):
            for measurement in run["measurements"]:
                measurement["launches"]["count"] //= 10
        for name, change, code, texts in [
                ("half", halve, 4, ["failed: groups: 48 launch groups of the base (47.9 % of its GPU time) are not in the new run; nothing took their place, ",
                                    "48 launch groups of the base missing"]),
                ("less", one_less, 0, ["note: groups: 1 launch group of the base (<0.1 % of its GPU time) is not in the new run: <0.1 % ", "1 launch group of the base missing"]),
                ("tenth", do_a_tenth, 4, ["failed: launches: ", "63400 times in the base, 6336 times now: at the base's times, 90.0 % less GPU time"])]:
            result = self.call("gate", TRAINING, self.program(name, change))
            self.assert_exit(result, code)
            for text in texts:
                self.assertIn(text, " ".join(result.stdout.split()))
        self.assert_exit(self.call("gate", TRAINING, "half", "--allow", "points"), 0)
        result = self.call("gate", TRAINING, "half", "--json")
        missing = json.loads(result.stdout)["coverage"]["missing_groups"]
        lines = self.call("gate", TRAINING, "half").stdout.splitlines()
        self.assertEqual(len([line for line in lines if re.match(r" +<?\d+\.\d %  \S", line)]), len(missing))
        self.assert_exit(self.call("gate", TRAINING, "tenth", "--allow", "launches"), 0)
        self.assert_exit(self.call("gate", TRAINING, "tenth", "--allow", "points"), 4)

    def test_half_of_the_groups_must_not_be_lost_however_small(self):
        def time_s(measurement):
            return measurement["time"]["median_s"] * measurement["launches"]["count"]

        def drop(number):
            def change(run):
                run["measurements"] = sorted(run["measurements"], key=time_s)[number:]
            return change
        self.assert_exit(self.call("gate", TRAINING, self.program("fewer", drop(48))), 0)
        result = self.call("gate", TRAINING, self.program("half", drop(49)))
        self.assert_exit(result, 4)
        self.assertIn("; 50.5 % of the base's groups are gone, so the program may do less than it did", " ".join(result.stdout.split()))
        self.assertIn(": groups failed, ", result.stdout)
        self.assert_exit(self.call("gate", TRAINING, "half", "--allow", "points"), 0)

    def test_a_program_must_end_as_in_the_base(self):
        def end(code):
            def change(run):
                run["application"]["exit_code"] = code
            return change
        for name, code in [("three", 3), ("one", 1)]:
            self.program(name, end(code))
        self.assert_exit(self.call("gate", "three", "three"), 0)
        self.assert_exit(self.call("gate", "three", TRAINING), 0)
        result = self.call("gate", "three", "one")
        self.assert_exit(result, 4)
        self.assertIn("failed: exit code: the program ended with exit code 1; in the base, it ended with exit code 3", " ".join(result.stdout.split()))

    def test_a_newer_schema_is_refused(self):
        def newer(run, _):
            run["schema"] = 99
        result = self.call("gate", RECORDING, self.changed("newer", newer))
        self.assert_exit(result, 2)
        self.assertIn("schema 99", result.stderr)

    def test_a_point_that_failed_is_a_regression(self):
        def fail(_, measurement):
            measurement.update(status="failed", cause="illegal <address>", counters={})
            del measurement["time"]
        result = self.call("gate", RECORDING, self.changed("failed", fail), "--junit", "gate.xml", "--markdown", "gate.md")
        self.assert_exit(result, 4)
        self.assertIn("failed: illegal <address>", result.stdout)
        self.assertIn("illegal \\<address\\>", (self.folder / "gate.md").read_text())
        failures = xml.etree.ElementTree.parse(self.folder / "gate.xml").findall(".//failure")
        self.assertEqual([failure.get("message") for failure in failures], ["failed: illegal <address>"])

    def test_junit_is_valid(self):
        def other(run, measurement):
            run["device"]["name"] = "<other>"
            measurement["counters"]["fadd"] *= 2

        def fail(run):
            run["application"]["exit_code"] = 1
            run["measurements"].pop()
        for name, base, new, code in [("passed", RECORDING, RECORDING, 0), ("failed", RECORDING, self.slower(), 4),
                                      ("refused", RECORDING, self.changed("other", other), 2),
                                      ("program", TRAINING, self.program("crashed", fail), 4)]:
            file = self.folder / f"{name}.xml"
            self.assert_exit(self.call("gate", base, new, "--junit", file), code)
            check = subprocess.run(["xmllint", "--noout", "--schema", SOURCE / "tests" / "schema" / "junit.xsd", file],
                                   capture_output=True, text=True, check=False)
            self.assertEqual(check.returncode, 0, check.stderr)
            for suite in xml.etree.ElementTree.parse(file).getroot():
                for attribute, element in [("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error"),
                                           ("skipped", "testcase/skipped")]:
                    self.assertEqual(int(suite.get(attribute)), len(suite.findall(element)))

    def test_a_file_that_cannot_be_written_is_named(self):
        for option in ["--junit", "--markdown"]:
            result = self.call("gate", RECORDING, RECORDING, option, "no/such/folder/gate")
            self.assert_exit(result, 3)
            self.assertIn("no/such/folder/gate: cannot be written", result.stderr)
            self.assertIn(f"hint: choose another file with {option}\n", result.stderr)


if __name__ == "__main__":
    unittest.main()
