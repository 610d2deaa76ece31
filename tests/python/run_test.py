# SPDX-License-Identifier: Apache-2.0
"""rooflinectl.load: rows and frames of the shipped recordings, pictures and pages."""

import csv
import functools
import gzip
import html
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

from package import PACKAGE, SOURCE, needs

import rooflinectl

RECORDINGS = SOURCE / "recordings"
TABLES = ["points", "ranges", "launches", "ceilings", "devices"]


@functools.lru_cache(maxsize=None)
def recorded(name):
    """A shipped recording, whose reports are written once."""
    return rooflinectl.load(RECORDINGS / name)


class RunTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, recording):
        """A folder with the run and its reports."""
        folder = self.folder / "run"
        folder.mkdir()
        (folder / "run.json").write_bytes(gzip.decompress((RECORDINGS / recording / "run.json.gz").read_bytes()))
        subprocess.run([os.environ["ROOFLINECTL"], "report", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return folder


class Load(RunTest):
    def test_takes_a_folder_a_link_or_a_file(self):
        shutil.copytree(RECORDINGS / "training-step-h200", self.folder / "2026")
        (self.folder / "latest").symlink_to("2026")
        for path in ["2026", "latest", "2026/run.json.gz"]:
            run = rooflinectl.load(self.folder / path)
            self.assertEqual(run.file, (self.folder / "2026/run.json.gz").resolve())
            self.assertEqual(run.data["plan"]["name"], "training_step")
        self.assertIn("2026", repr(run))

    def test_names_what_is_not_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "has no run.json"):
            rooflinectl.load(self.folder)
        with self.assertRaisesRegex(FileNotFoundError, "no such file"):
            rooflinectl.load(self.folder / "none")

    def test_passes_on_what_the_program_refuses(self):
        (self.folder / "run.json").write_text('{"format": "other", "measurements": []}')
        with self.assertRaisesRegex(rooflinectl.Error, "not a rooflinectl run"):
            rooflinectl.load(self.folder).rows("points")

    def test_needs_the_program_only_where_it_derives_something(self):
        run = rooflinectl.load(RECORDINGS / "reductions-h200")
        with mock.patch.dict(os.environ, {"PATH": "", "ROOFLINECTL": ""}):
            self.assertTrue(run.rows("ceilings"))
            with self.assertRaisesRegex(rooflinectl.Error, "add its folder to the PATH, or set ROOFLINECTL"):
                run.rows("points")
        with mock.patch.dict(os.environ, {"ROOFLINECTL": "/nowhere/rooflinectl"}), self.assertRaisesRegex(rooflinectl.Error, "/nowhere/rooflinectl"):
            rooflinectl.find_program()


class Rows(RunTest):
    def test_points_are_those_of_points_csv(self):
        folder = self.report("training-step-h200")
        rows = rooflinectl.load(folder).rows("points")
        with open(folder / "points.csv", newline="", encoding="utf-8") as file:
            fields = list(csv.DictReader(file))
        self.assertEqual([list(row) for row in rows], [list(row) for row in fields])
        for row, texts in zip(rows, fields):
            for name, text in texts.items():
                self.assertEqual(None if row[name] is None else type(row[name])(text), row[name])
                self.assertEqual(text == "", row[name] is None, name)
        first = rows[0]
        self.assertEqual((first["block"], first["launches"], first["rank"]), ("384", 2500, None))
        self.assertAlmostEqual(first["time_s"], 3.47e-05, places=7)

    def test_points_are_those_beside_the_run_unless_it_is_newer(self):
        folder = self.report("reductions-h200")
        (folder / "points.csv").write_text("label\nmine\n")
        self.assertEqual(rooflinectl.load(folder).rows("points"), [{"label": "mine"}])
        os.utime(folder / "points.csv", (0, 0))
        self.assertEqual(rooflinectl.load(folder).rows("points")[0]["label"], "V0")

    def test_leave_nothing_beside_a_run_without_reports(self):
        shutil.copy(RECORDINGS / "reductions-h200/run.json.gz", self.folder)
        run = rooflinectl.load(self.folder)
        self.assertEqual(len(run.rows("points")), len(run.data["measurements"]))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["run.json.gz"])
        made = run.report()
        self.assertTrue(made.is_file())
        del run
        self.assertFalse(made.exists())

    def test_ranges_have_the_times_of_device_and_host(self):
        run = recorded("training-step-h200")
        ranges = {row["path"]: row for row in run.rows("ranges")}
        backward = ranges["backward"]
        self.assertEqual((backward["count"], backward["device"], backward["experiment"]), (100, 0, "training_step"))
        of_points = sum(point["total_time_s"] for point in run.rows("points") if (point["path"] or "").split("/")[0] == "backward")
        self.assertAlmostEqual(backward["total_time_s"], of_points, places=6)
        self.assertAlmostEqual(sum(row["share_of_gpu_time"] for path, row in ranges.items() if "/" not in path), 1, places=3)

    def test_launches_are_named_like_their_points(self):
        for recording in ["training-step-h200", "data-parallel-two-h200", "jax-training-step-h200"]:
            run = recorded(recording)
            points = {(row["label"], row["experiment"], row["device"]): row for row in run.rows("points")}
            launches = run.rows("launches")
            self.assertGreater(len(launches), len(points))
            for row in launches:
                point = points[row["label"], row["experiment"], row["device"]]
                self.assertEqual((point["kernel"], point["code"]), (row["kernel"], row["code"]))
                self.assertLessEqual(row["shortest_s"], row["longest_s"])

    def test_ceilings_and_devices_of_every_recording(self):
        for folder in RECORDINGS.iterdir():
            run = recorded(folder.name)
            self.assertEqual(len(run.rows("ceilings")), len(run.data["ceilings"]))
            self.assertEqual({row["device"] for row in run.rows("ceilings")}, set(range(len(run.rows("devices")))))
            self.assertNotIn(None, {row["unit"] for row in run.rows("ceilings")})
            self.assertEqual({row["name"] for row in run.rows("devices")}, {"NVIDIA H200"})

    def test_are_copies(self):
        run = recorded("reductions-h200")
        run.rows("devices")[0]["name"] = "mine"
        self.assertEqual(run.rows("devices")[0]["name"], "NVIDIA H200")
        with self.assertRaisesRegex(ValueError, "points, ranges"):
            run.rows("kernels")

    def test_explanations_are_the_programs(self):
        run = recorded("reductions-h200")
        self.assertEqual(run.explain("V1")["experiments"][0]["points"][0]["bound"], "issue-slots")
        self.assertEqual(run.explain(budget=300)["format"], "rooflinectl-brief")
        with self.assertRaisesRegex(rooflinectl.Error, "no point 'V77'"):
            run.explain("V77")


@needs("pandas")
class Frames(RunTest):
    def test_have_documented_types(self):
        run = recorded("training-step-h200")
        points = run.points
        types = {name: str(points[name].dtype) for name in ["label", "grid", "launches", "rank", "time_s", "fadd2", "flops_useful"]}
        self.assertEqual(types, {"label": "string", "grid": "string", "launches": "Int64", "rank": "Int64", "time_s": "float64",
                                 "fadd2": "float64", "flops_useful": "float64"})
        self.assertTrue(points["fadd2"].isna().all())
        self.assertTrue(points["rank"].isna().all())
        self.assertAlmostEqual(points["share_of_gpu_time"].sum(), 1, places=2)
        self.assertEqual(str(run.devices["ecc_enabled"].dtype), "boolean")

    def test_exist_for_every_recording(self):
        for folder in RECORDINGS.iterdir():
            run = recorded(folder.name)
            for table in TABLES:
                frame = run.frame(table)
                self.assertEqual(len(frame), len(run.rows(table)), (folder.name, table))
                self.assertEqual(frame.columns.is_unique, True)

    def test_columns_are_documented(self):
        document = (SOURCE / "docs/python.md").read_text()
        run = recorded("training-step-h200")
        for table in ["ranges", "launches", "ceilings"]:
            row = next(line for line in document.splitlines() if line.startswith(f"| `{table}`"))
            for column in run.frame(table):
                self.assertIn(f"`{column}`", row)


class WithoutPackages(unittest.TestCase):
    def test_names_what_to_install(self):
        run = recorded("reductions-h200")
        with mock.patch.dict(sys.modules, {"pandas": None, "matplotlib.figure": None}):
            self.assertEqual(len(run.rows("devices")), 1)
            with self.assertRaisesRegex(rooflinectl.Error, "run.points needs pandas: pip install pandas"):
                run.points
            with self.assertRaisesRegex(rooflinectl.Error, "roofline needs matplotlib: pip install matplotlib"):
                rooflinectl.roofline(run)

    def test_the_package_imports_the_standard_library_alone(self):
        program = "import sys, rooflinectl; print(*{name.split('.')[0] for name in sys.modules})"
        loaded = subprocess.run([sys.executable, "-S", "-c", program], env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=True)
        self.assertEqual({"pandas", "matplotlib", "numpy", "IPython", "torch", "nvtx", "cloudpickle"} & set(loaded.stdout.split()), set())


@needs("matplotlib")
class Roofline(unittest.TestCase):
    def test_draws_points_under_roofs(self):
        figure = rooflinectl.roofline(recorded("training-step-h200"))
        axes = figure.axes[0]
        self.assertEqual((axes.get_xscale(), axes.get_yscale()), ("log", "log"))
        texts = [text.get_text() for text in axes.texts]
        self.assertIn("dram_write 4.70, dram_read 4.63, dram_copy 4.29 TB/s", texts)
        self.assertIn("bf16_tensor 907 TFLOP/s", texts)
        points = recorded("training-step-h200").rows("points")
        drawn = [point for point in points if point["ai_executed"] and point["executed_flop_per_s"]]
        self.assertEqual(sum(len(marks.get_offsets()) for marks in axes.collections), len(drawn))
        largest = max(marks.get_sizes().max() for marks in axes.collections)
        self.assertAlmostEqual(largest, min(600, 40 * len(drawn) * max(point["share_of_gpu_time"] for point in drawn)))

    def test_draws_one_experiment_of_one_device(self):
        figure = rooflinectl.roofline(recorded("reductions-h200"), "ladder")
        run = recorded("reductions-h200")
        ladder = [point for point in run.rows("points") if point["experiment"] == "ladder"]
        self.assertEqual(sum(len(marks.get_offsets()) for marks in figure.axes[0].collections), len(ladder))
        with self.assertRaisesRegex(rooflinectl.Error, "no point of stairs"):
            rooflinectl.roofline(run, "stairs")

    def test_is_a_picture(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "roofline.png"
            rooflinectl.roofline(recorded("data-parallel-two-h200"), device=1).savefig(file)
            self.assertTrue(file.read_bytes().startswith(b"\x89PNG"))


class Page(RunTest):
    def test_a_notebook_shows_the_page(self):
        folder = self.report("reductions-h200")
        shown = rooflinectl.load(folder)._repr_html_()
        page = shown.split('srcdoc="')[1].split('"')[0]
        self.assertEqual(html.unescape(page), (folder / "report.html").read_text(encoding="utf-8"))


class Package(unittest.TestCase):
    def test_python_m_is_the_program(self):
        environment = dict(os.environ, PYTHONPATH=str(PACKAGE))
        result = subprocess.run([sys.executable, "-m", "rooflinectl", "version", "--json"], env=environment, capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(result.stdout)["command"], "version")
        refused = subprocess.run([sys.executable, "-m", "rooflinectl", "explain", "/nowhere"], env=environment, capture_output=True, check=False)
        self.assertEqual(refused.returncode, 2)

    def test_has_the_version_of_the_program(self):
        printed = subprocess.run([os.environ["ROOFLINECTL"], "version", "--json"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f'\nversion = "{json.loads(printed)["version"]}"\n', (PACKAGE / "pyproject.toml").read_text())

    @unittest.skipUnless(shutil.which("mypy"), "there is no mypy (Debian: mypy)")
    def test_has_types(self):
        with tempfile.TemporaryDirectory() as cache:
            for version in ["3.8", "3.11"]:
                result = subprocess.run(["mypy", "--strict", "--python-version", version, "--cache-dir", cache, "rooflinectl"], cwd=PACKAGE,
                                        capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stdout)


if __name__ == "__main__":
    unittest.main()
