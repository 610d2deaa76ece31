# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md: what is added as they describe arrives in the programs, and nothing else has to be touched.

Each test edits a copy of the sources, compiles the files that it touched as the build does (in a unity build, with those that are
compiled as one with them), and links them in place of the build's own objects."""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ["BUILD_FOLDER"])
NINJA = os.environ.get("NINJA", "ninja")
RECORDING = SOURCE / "recordings/reductions-h200"
FOLDERS = ["analysis", "collector", "core", "kernels", "reports", "tests/golden", "tests/support"]


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


class Copy:
    """The sources as a contributor changes them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.touched = set()
        for name in FOLDERS:
            shutil.copytree(SOURCE / name, self.folder / name, ignore=shutil.ignore_patterns("node_modules", "dist"))

    def add(self, path, text):
        (self.folder / path).write_text(text)
        self.touched.add(str(pathlib.PurePath(path).parent) + "/")

    def insert(self, path, before, text):
        """Adds `text` before the first occurrence of `before`."""
        file = self.folder / path
        content = file.read_text()
        assert before in content, f"{path} has no {before!r}: the recipe's test has to follow it"
        file.write_text(content.replace(before, text + before, 1))
        self.touched.add(path)

    def compile(self, path, like=None):
        """The object of a file, compiled with the options of the build, or of the file `like` where it is new."""
        known = SOURCE / (like or path)
        entries = json.loads((BUILD / "compile_commands.json").read_text())
        entry = next(entry for entry in entries if known in self.sources_of(entry))
        words = shlex.split(entry["command"])
        built = words.index("-o") + 1
        target = self.object_of(path if like else words[built])
        source = self.folder / path
        if not like and pathlib.Path(entry["file"]) != known:
            source = target.with_suffix(pathlib.Path(entry["file"]).suffix)
            source.write_text(pathlib.Path(entry["file"]).read_text().replace(str(SOURCE), str(self.folder)))
        words = [word.replace(entry["file"], str(source)) for word in words]
        words = [re.sub(r'^(-I|-D\w+="?)?' + re.escape(str(SOURCE)) + r'(?=$|["/](?!build))', r"\g<1>" + str(self.folder), word)
                 for word in words]
        words[built] = str(target)
        run(words, cwd=entry["directory"])
        return str(target)

    @staticmethod
    def sources_of(entry):
        """The files of the project that a command of the build compiles: one, or those that a unity file includes."""
        file = pathlib.Path(entry["file"])
        if "/Unity/" not in entry["file"]:
            return [file]
        return [pathlib.Path(name) for name in re.findall(r'#include "([^"]+)"', file.read_text())]

    def object_of(self, built):
        """Where this copy has what the build has at `built`, a path in its folder."""
        return self.folder / (built.replace("/", "_") + ".o")

    def link(self, program, objects):
        """The build's program with these objects in place of its own, and of those in its libraries."""
        path = next(path for path in BUILD.rglob(program) if path.is_file() and os.access(path, os.X_OK))
        command = run([NINJA, "-C", BUILD, "-t", "commands", str(path.relative_to(BUILD))]).splitlines()[-1]
        linked = path.parent / f"{program}.recipe"  # beside it, where it finds what it needs
        words = shlex.split(command.split("&&")[1] if "&&" in command else command)
        words = [word for word in words if str(self.object_of(word)) not in objects]
        output = words.index("-o")
        words[output + 1] = str(linked)
        words[output + 2:output + 2] = dict.fromkeys(objects)
        run(words, cwd=BUILD)
        return linked


class Recipes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "sources").mkdir()
        self.copy = Copy(self.folder / "sources")

    def program(self, name, *objects):
        linked = self.copy.link(name, objects)
        self.addCleanup(linked.unlink)
        return linked

    def check_recipe(self, what):
        """The row of the table names every file that was touched, or its folder."""
        row = next(line for line in (SOURCE / "CONTRIBUTING.md").read_text().splitlines() if line.startswith(f"| {what} |"))
        named = {re.sub(r"<id>.*|ceiling_<id>.*", "", name) for name in re.findall(r"`([^`]+)`", row.split("|")[2])}
        for path in self.copy.touched:
            self.assertTrue({path, f"{pathlib.PurePath(path).parent}/"} & named, path)

    def report(self, program):
        run([program, "report", RECORDING, "--output", self.folder / "report"])
        return self.folder / "report"

    def test_a_counter(self):
        self.copy.insert("core/model/counters.h", "inline constexpr std::string_view kFadd =",
                         'inline constexpr std::string_view kRecipe = "recipe_counter";\n')
        self.copy.insert("core/model/metrics.cpp", "      {kFadd,",
                         '      {kRecipe, {"smsp__inst_issued.sum"}, 1, "instructions issued for a recipe", kExactOperations},\n')
        self.check_recipe("a counter")
        metrics = self.copy.compile("core/model/metrics.cpp")
        header = (self.report(self.program("rooflinectl", metrics)) / "points.csv").read_text().splitlines()[0]
        self.assertIn("recipe_counter", header)

        (self.copy.folder / "docs").mkdir()
        shutil.copy2(SOURCE / "docs/metrics.md", self.copy.folder / "docs")
        test = self.program("metrics_test", self.copy.compile("tests/golden/metrics_test.cpp"), metrics)
        stale = subprocess.run([test], capture_output=True, text=True, check=False)
        self.assertNotEqual(stale.returncode, 0)
        self.assertIn("ROOFLINECTL_UPDATE_GOLDENS=1 ctest --preset cpu -L golden", stale.stdout)
        run([test], env=dict(os.environ, ROOFLINECTL_UPDATE_GOLDENS="1"))
        self.assertIn("instructions issued for a recipe", (self.copy.folder / "docs/metrics.md").read_text())

    def test_a_rule(self):
        self.copy.insert("analysis/explain/rules.cpp", '      {.id = "small-input"', """\
      {.id = "recipe",
       .importance = Importance::note,
       .when = {{&kBlocksPerSm, at_least, 0}},
       .text = "This was added by a recipe.",
       .next_step = "Take it out again."},
""")
        self.check_recipe("a rule of `explain`")
        program = self.program("rooflinectl", self.copy.compile("analysis/explain/rules.cpp"))
        self.assertIn("This was added by a recipe.", " ".join(run([program, "explain", RECORDING]).split()))

    def test_a_report_format(self):
        self.copy.add("reports/formats/points_count.h", """\
#pragma once
#include <string>
#include "reports/report_model.h"
namespace rooflinectl {
std::string points_count(const ReportModel& report);
}
""")
        self.copy.add("reports/formats/points_count.cpp", """\
#include "reports/formats/points_count.h"
namespace rooflinectl {
std::string points_count(const ReportModel& report) {
  return std::to_string(report.run.measurements.size());
}
}
""")
        self.copy.insert("reports/reports.cpp", '#include "reports/formats/points_csv.h"',
                         '#include "reports/formats/points_count.h"\n')
        self.copy.insert("reports/reports.cpp", '    ReportFormat{"report.html"', """\
    ReportFormat{"points.count", [](const ReportModel& report, const PageParts&) { return points_count(report); }},
""")
        self.check_recipe("a report format")
        program = self.program("rooflinectl", self.copy.compile("reports/reports.cpp"),
                               self.copy.compile("reports/formats/points_count.cpp", like="reports/formats/points_csv.cpp"))
        self.assertEqual((self.report(program) / "points.count").read_text(), "36")

    def test_a_column(self):
        self.copy.insert("reports/tables/point_table.cpp", '    PointColumn{.title = "dtype"',
                         '    PointColumn{.title = "recipe", .text = [](const RooflinePoint&) { return std::string("by the book"); }},\n')
        self.check_recipe("a column of the tables")
        report = self.report(self.program("rooflinectl", self.copy.compile("reports/tables/point_table.cpp")))
        for name in ("summary.md", "report.html"):
            self.assertIn("by the book", (report / name).read_text(), name)

    def test_a_column_of_points_csv(self):
        self.copy.insert("reports/formats/points_csv.cpp", '    PointsColumn{"dtype",',
                         '    PointsColumn{"recipe", "what a recipe adds", [](const Row&) { return std::string("by the book"); }},\n')
        self.check_recipe("a column of `points.csv`")
        report = self.report(self.program("rooflinectl", self.copy.compile("reports/formats/points_csv.cpp")))
        header, first, *_ = (report / "points.csv").read_text().splitlines()
        self.assertEqual(first.split(",")[header.split(",").index("recipe")], "by the book")

    def test_a_quantity_of_a_point(self):
        self.copy.insert("analysis/roofline/quantities/quantities.h", "extern const Quantity kBlocksPerSm;", "extern const Quantity kRecipe;\n")
        self.copy.insert("analysis/roofline/quantities/launch.cpp", "const Quantity kBlocksPerSm =", """\
const Quantity kRecipe = {.name = "answer of the recipe",
                          .unit = Unit::count,
                          .formula = "42",
                          .of = [](R, P) -> MaybeValue { return 42; }};

""")
        self.check_recipe("a quantity of a point")
        self.copy.insert("analysis/explain/rules.cpp", '      {.id = "small-input"', """\
      {.id = "recipe",
       .importance = Importance::note,
       .when = {{&kRecipe, at_least, 42}},
       .text = "This was added by a recipe.",
       .next_step = "Take it out again."},
""")
        program = self.program("rooflinectl", self.copy.compile("analysis/roofline/quantities/launch.cpp"), self.copy.compile("analysis/explain/rules.cpp"))
        explained = " ".join(run([program, "explain", RECORDING]).split())
        self.assertIn("answer of the recipe: 42", explained)

    def catalogue(self, *objects):
        return json.loads(run([self.program("rooflinectl-collector", *objects), "--catalogue"]))

    def require_collector(self):
        if not (BUILD / "bin/rooflinectl-collector").exists():
            self.skipTest("no collector in this build")

    def test_a_variant(self):
        self.require_collector()
        like = "kernels/reduction/sum_unrolled.cu"
        text = (SOURCE / like).read_text().replace("sum_unrolled", "sum_by_the_book").replace('"unrolled"', '"by the book"')
        self.copy.add("kernels/reduction/sum_by_the_book.cu", text)
        self.check_recipe("a variant")
        catalogue = self.catalogue(self.copy.compile("kernels/reduction/sum_by_the_book.cu", like=like))
        self.assertIn("sum_by_the_book", [variant["id"] for variant in catalogue["variants"]])

    def test_a_ceiling(self):
        self.require_collector()
        like = "kernels/ceilings/ceiling_f32_add.cu"
        text = (SOURCE / like).read_text().replace("f32_add", "f32_mul").replace('"add"', '"mul"')
        self.copy.add("kernels/ceilings/ceiling_f32_mul.cu", text)
        self.check_recipe("a ceiling")
        catalogue = self.catalogue(self.copy.compile("kernels/ceilings/ceiling_f32_mul.cu", like=like))
        self.assertIn("f32_mul", json.dumps(catalogue["ceilings"]))


if __name__ == "__main__":
    unittest.main()
