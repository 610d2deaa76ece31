# SPDX-License-Identifier: Apache-2.0
"""The recipes of CONTRIBUTING.md: what is added as they describe arrives in the programs, and nothing else has to be touched.

All recipes of a program are followed in one copy of the sources. The files that they touch are compiled as the build does (in a unity
build, with those that are compiled as one with them), each once, and linked once in place of the build's own objects."""

import functools
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
FOLDERS = ["analysis", "cli", "collector", "core", "crosscheck", "injection", "kernels", "readers", "reports", "runner", "tests/golden", "tests/support"]


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


class Copy:
    """The sources as a contributor changes them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.touched = {}  # what is added -> the files for it
        self.models = {}  # a new file -> the one that the build compiles like it
        for name in FOLDERS:
            shutil.copytree(SOURCE / name, self.folder / name, ignore=shutil.ignore_patterns("node_modules", "dist"))

    def follow(self, recipes):
        """Recipes: what is added -> how."""
        for what, add in recipes.items():
            self.touched[what] = self.current = set()
            add(self)

    def add(self, path, text, like=None):
        """Adds a file, to be compiled like the file `like`."""
        (self.folder / path).write_text(text)
        self.models[path] = like
        self.current.add(path)

    def insert(self, path, before, text):
        """Adds `text` before the first occurrence of `before`."""
        file = self.folder / path
        content = file.read_text()
        assert before in content, f"{path} has no {before!r}: the recipe's test has to follow it"
        file.write_text(content.replace(before, text + before, 1))
        self.current.add(path)

    def compile_touched(self):
        paths = sorted(set().union(*self.touched.values()))
        return [self.compile(path, self.models.get(path)) for path in paths if path.endswith((".cpp", ".cu"))]

    def compile(self, path, like=None):
        """The object of a file, compiled with the options of the build, or of the file `like` where it is new."""
        known = SOURCE / (like or path)
        entries = json.loads((BUILD / "compile_commands.json").read_text())
        entry = next(entry for entry in entries if known in self.sources_of(entry))
        words = shlex.split(entry["command"])
        built = words.index("-o") + 1
        target = self.object_of(path if like else words[built])
        if target.exists():
            return str(target)
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


# ---- what a contributor does ----


def add_counter(copy):
    copy.insert("core/counters/counters.h", "inline constexpr std::string_view kFadd =",
                'inline constexpr std::string_view kRecipeCounter = "recipe_counter";\n')
    copy.insert("core/counters/metrics.cpp", "      operations(kFadd,",
                '      operations(kRecipeCounter, {"smsp__inst_issued.sum"}, "instructions issued for a recipe"),\n')


def add_quantity(copy):
    copy.insert("analysis/roofline/quantities/quantities.h", "extern const Quantity kBlocksPerSm;", "extern const Quantity kRecipeAnswer;\n")
    copy.insert("analysis/roofline/quantities/launch.cpp", "const Quantity kBlocksPerSm =", """\
const Quantity kRecipeAnswer = {.name = "answer of the recipe",
                                .unit = Unit::count,
                                .formula = "42",
                                .of = [](R, P) -> MaybeValue { return 42; }};

""")


def add_rule(copy):
    """Over the new quantity."""
    copy.insert("analysis/explain/rules.cpp", '      {.id = "small-input"', """\
      {.id = "recipe",
       .importance = Importance::note,
       .when = {{&kRecipeAnswer, at_least, 42}},
       .text = "This was added by a recipe.",
       .next_step = "Take it out again."},
""")


def add_report_format(copy):
    copy.insert("reports/formats/formats.h", "/// What a pull request should show", "std::string points_count(const ReportModel& report);\n\n")
    copy.add("reports/formats/points_count.cpp", """\
#include "reports/formats/formats.h"
namespace rooflinectl {
std::string points_count(const ReportModel& report) {
  return std::to_string(report.run.measurements.size());
}
}
""", like="reports/formats/points_csv.cpp")
    copy.insert("reports/reports.cpp", '  files.add("summary.md"', '  files.add("points.count", points_count(report));\n')


def add_column(copy):
    copy.insert("reports/tables/point_table.cpp", '    PointColumn{.title = "dtype"',
                '    PointColumn{.title = "recipe", .text = [](const RooflinePoint&) { return std::string("by the book"); }},\n')


def add_column_of_points_csv(copy):
    copy.insert("reports/formats/points_csv.cpp", '    PointsColumn{"dtype",',
                '    PointsColumn{"recipe", "what a recipe adds", [](const Row&) { return std::string("by the letter"); }},\n')


def add_command(copy):
    copy.add("cli/commands/cmd_recipe.cpp", """\
#include "cli/commands.h"
#include "cli/terminal.h"
namespace rooflinectl {
void add_recipe_command(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("recipe", "Print what a recipe adds");
  command->callback([&action] {
    action = [] {
      terminal::print("This command was added by a recipe.\\n");
      return 0;
    };
  });
}
}
""", like="cli/commands/cmd_version.cpp")
    copy.insert("cli/commands.h", "void add_report_command(", "void add_recipe_command(CLI::App& app, Action& action);\n")
    copy.insert("cli/commands.cpp", "  add_report_command(", "  add_recipe_command(app, action);\n")


def add_variant(copy):
    like = "kernels/reduction/sum_unrolled.cu"
    text = (SOURCE / like).read_text().replace("sum_unrolled", "sum_by_the_book").replace('"unrolled"', '"by the book"')
    copy.add("kernels/reduction/sum_by_the_book.cu", text, like)


def add_ceiling(copy):
    file = "kernels/ceilings/compute.cu"
    text = (SOURCE / file).read_text()
    like = text[text.index("__global__ void ceiling_f32_add"):text.index("__global__ void ceiling_f64_add")]
    copy.insert(file, "__global__ void ceiling_f32_add", like.replace("f32_add", "f32_mul").replace('"add"', '"mul"'))


def add_primitive(copy):
    copy.add("kernels/warp/negation.cu", """\
#include "kernels/warp/measured.cuh"
namespace rooflinectl::kernels::warp::negation {
struct Negation : WarpOperation {
  using Value = int;
  using WarpOperation::WarpOperation;
  __device__ int operator()(int value) const { return ~value; }
  static void reference(std::span<int> lanes) {
    for (int& value : lanes) value = ~value;
  }
};
namespace {
const PrimitiveRegistration registration({primitive<Negation>({.id = "recipe_negation", .family = "recipe", .title = "negation"})});
}
}
""", like="kernels/warp/votes.cu")


OF_ROOFLINECTL = {
    "a counter": add_counter,
    "a quantity of a point": add_quantity,
    "a rule of `explain`": add_rule,
    "a report format": add_report_format,
    "a column of the tables": add_column,
    "a column of `points.csv`": add_column_of_points_csv,
    "a command": add_command,
}
OF_THE_COLLECTOR = {
    "a variant": add_variant,
    "a ceiling": add_ceiling,
    "a primitive": add_primitive,
}
TESTED_ELSEWHERE = {"a member of what `--json` prints"}  # tests/cli/json_test.py


def rows():
    """The recipes of CONTRIBUTING.md: what is added -> the files that it names."""
    table = (SOURCE / "CONTRIBUTING.md").read_text().split("| to add | touch | then |\n|---|---|---|\n")[1].split("\n\n")[0]
    return {what.strip(): re.findall(r"`([^`]+)`", touched) for _, what, touched, *_ in (line.split("|") for line in table.splitlines())}


def is_named(path, names):
    """`cli/cmd_<name>.cpp` names any such file, and `kernels/warp/` every file in it."""
    patterns = [re.sub(r"<\w+>", lambda _: r"\w+", re.escape(name)) + ("[^/]+" if name.endswith("/") else "") for name in names]
    return any(re.fullmatch(pattern, path) for pattern in patterns)


class Table(unittest.TestCase):
    def test_every_recipe_is_followed(self):
        self.assertEqual(rows().keys(), OF_ROOFLINECTL.keys() | OF_THE_COLLECTOR.keys() | TESTED_ELSEWHERE)


class Recipes:
    """A program with what its recipes add."""

    @classmethod
    def follow(cls, recipes, program):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        (cls.folder / "sources").mkdir()
        cls.copy = Copy(cls.folder / "sources")
        cls.copy.follow(recipes)
        cls.program = cls.link(program, cls.copy.compile_touched())

    @classmethod
    def link(cls, name, objects):
        linked = cls.copy.link(name, objects)
        cls.addClassCleanup(linked.unlink)
        return linked

    def test_rows_name_what_was_touched(self):
        for what, touched in self.copy.touched.items():
            for path in touched:
                self.assertTrue(is_named(path, rows()[what]), f"{what}: {path}")


class OfRooflinectl(Recipes, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.follow(OF_ROOFLINECTL, "rooflinectl")

    @classmethod
    @functools.cache
    def report(cls):
        run([cls.program, "report", RECORDING, "--output", cls.folder / "report"])
        return cls.folder / "report"

    @classmethod
    @functools.cache
    def explained(cls):
        return " ".join(run([cls.program, "explain", RECORDING]).split())

    def test_a_counter(self):
        header = (self.report() / "points.csv").read_text().splitlines()[0]
        self.assertIn("recipe_counter", header.split(","))

        (self.copy.folder / "docs/reference").mkdir(parents=True)
        shutil.copy2(SOURCE / "docs/reference/counters.csv", self.copy.folder / "docs/reference")
        test = self.link("metrics_test", [self.copy.compile(path) for path in ("tests/golden/metrics_test.cpp", "core/counters/metrics.cpp")])
        stale = subprocess.run([test], capture_output=True, text=True, check=False)
        self.assertNotEqual(stale.returncode, 0)
        self.assertIn("ROOFLINECTL_UPDATE_GOLDENS=1 ctest --preset cpu -L golden", stale.stdout)
        run([test], env=dict(os.environ, ROOFLINECTL_UPDATE_GOLDENS="1"))
        self.assertIn("instructions issued for a recipe", (self.copy.folder / "docs/reference/counters.csv").read_text())

    def test_a_rule(self):
        self.assertIn("This was added by a recipe.", self.explained())

    def test_a_quantity_of_a_point(self):
        self.assertIn("answer of the recipe: 42", self.explained())

    def test_a_report_format(self):
        self.assertEqual((self.report() / "points.count").read_text(), "36")

    def test_a_column(self):
        for name in ("summary.md", "report.html"):
            self.assertIn("by the book", (self.report() / name).read_text(), name)

    def test_a_column_of_points_csv(self):
        header, first, *_ = (self.report() / "points.csv").read_text().splitlines()
        self.assertEqual(first.split(",")[header.split(",").index("recipe")], "by the letter")

    def test_a_command(self):
        self.assertIn("Print what a recipe adds", run([self.program, "--help"]))
        self.assertEqual(run([self.program, "recipe"]), "This command was added by a recipe.\n")


class OfTheCollector(Recipes, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not (BUILD / "bin/rooflinectl-collector").exists():
            raise unittest.SkipTest("no collector in this build")
        cls.follow(OF_THE_COLLECTOR, "rooflinectl-collector")
        cls.catalogue = json.loads(run([cls.program, "--catalogue"]))

    def test_a_variant(self):
        self.assertIn("sum_by_the_book", [variant["id"] for variant in self.catalogue["variants"]])

    def test_a_ceiling(self):
        self.assertIn("f32_mul", json.dumps(self.catalogue["ceilings"]))

    def test_a_primitive(self):
        self.assertIn("recipe_negation", [primitive["id"] for primitive in self.catalogue["primitives"]])


if __name__ == "__main__":
    unittest.main()
