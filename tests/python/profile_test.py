# SPDX-License-Identifier: Apache-2.0
"""rooflinectl.profile, .measure, .region and %%rooflinectl, with a program that plays a CUDA program (tests/cli/fake_guest.py)."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import types
import unittest
from unittest import mock

from package import needs

import rooflinectl
from guest import GUEST, play
from program import FAKE_COLLECTOR, ProgramTest


class ProfileTest(ProgramTest):
    def setUp(self):
        super().setUp()
        injection = {"ROOFLINECTL_INJECTION": "/lib/librooflinectl-injection.so"}
        environment = mock.patch.dict(os.environ, {**self.environment(), **injection})
        environment.start()
        self.addCleanup(environment.stop)
        self.assertEqual(os.environ["ROOFLINECTL_COLLECTOR"], FAKE_COLLECTOR)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def printed(self, call):
        """What `call` returns or raises, and what it printed on both streams."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            try:
                result = call()
            except rooflinectl.Error as raised:
                result = raised
        return result, out.getvalue(), error.getvalue()

    def nvtx(self):
        """Lets new Pythons import a package `nvtx` that writes down its ranges; returns the file."""
        (self.folder / "packages").mkdir()
        self.write("packages/nvtx.py", """
import os
def note(text):
    with open(os.environ["NVTX_LOG"], "a") as file:
        file.write(text + "\\n")
def push_range(name):
    note("push " + name)
def pop_range():
    note("pop")
""")
        sys.path.insert(0, str(self.folder / "packages"))
        self.addCleanup(sys.path.remove, sys.path[0])
        os.environ["NVTX_LOG"] = str(self.folder / "ranges")
        return self.folder / "ranges"


class Profile(ProfileTest):
    def test_runs_a_command(self):
        run, out, error = self.printed(lambda: rooflinectl.profile([sys.executable, GUEST, "often"], options=["--samples", "5"]))
        self.assertEqual(out, "guest: out\n")
        self.assertIn("guest: error\n", error)
        self.assertEqual(run.folder.parent, (self.folder / "runs/fake_guest").resolve())
        self.assertEqual({row["label"]: row["launches"] for row in run.rows("points")}["add"], 100)
        self.assertIn("5", run.data["command_line"])

    def test_takes_folder_environment_and_output(self):
        (self.folder / "there").mkdir()
        program = "import os, pathlib, runpy, sys; pathlib.Path('here').write_text(os.environ['MINE']); sys.argv[1:] = []; runpy.run_path(sys.argv0, run_name='__main__')"
        command = [sys.executable, "-c", program.replace("sys.argv0", repr(GUEST))]
        run, _, _ = self.printed(lambda: rooflinectl.profile(command, output="out", cwd="there", env={**os.environ, "MINE": "yes"}))
        self.assertEqual((self.folder / "there/here").read_text(), "yes")
        self.assertTrue((self.folder / "out").resolve() in run.file.parents)

    def test_a_program_that_fails_has_a_run(self):
        failure, _, _ = self.printed(lambda: rooflinectl.profile([sys.executable, GUEST, "exit:7"]))
        self.assertIsInstance(failure, rooflinectl.ProgramFailed)
        self.assertEqual((failure.exit_code, failure.run.data["application"]["exit_code"]), (7, 7))
        self.assertIn("exit code 7", str(failure))

    def test_a_program_without_cuda_has_none(self):
        failure, _, _ = self.printed(lambda: rooflinectl.profile([sys.executable, GUEST, "silent"]))
        self.assertIsInstance(failure, rooflinectl.Error)
        self.assertIn("CUDA", str(failure))

    def test_refuses_what_is_not_a_list(self):
        for wrong in [lambda: rooflinectl.profile("python3 train.py"), lambda: rooflinectl.profile(["true"], options="--samples 5"),
                      lambda: rooflinectl.profile(["true"], (1,))]:
            with self.assertRaisesRegex(rooflinectl.Error, "list"):
                wrong()

    def test_calls_a_function_of_a_module(self):
        run, out, _ = self.printed(lambda: rooflinectl.profile(play, ("often",), {"note": "called"}))
        self.assertIn("called\n", out)
        self.assertEqual(run.folder.parent.name, "play")
        self.assertIn("add", [row["label"] for row in run.rows("points")])

    def test_calls_a_function_of_a_script(self):
        self.write("script.py", f"""
import subprocess, sys
import rooflinectl
def step(count):
    for _ in range(count):
        subprocess.run([sys.executable, {GUEST!r}], check=True)
if __name__ == "__main__":
    print(len(rooflinectl.profile(step, (1,)).rows("points")) > 0)
""")
        with mock.patch.dict(os.environ, {"PYTHONPATH": str(pathlib.Path(rooflinectl.__file__).parent.parent)}):
            result = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False)
        self.assertEqual(result.stdout.splitlines()[-1:], ["True"], result.stderr)

    def test_a_function_that_raises_has_failed(self):
        failure, _, error = self.printed(lambda: rooflinectl.profile(play, ("no such accident", 1, 2, 3, 4)))
        self.assertIsInstance(failure, rooflinectl.ProgramFailed)
        self.assertIn("TypeError", error)
        self.assertIn("TypeError", str(failure))

    def test_names_cloudpickle_where_a_function_needs_it(self):
        with mock.patch.dict(sys.modules, {"cloudpickle": None}), self.assertRaisesRegex(rooflinectl.Error, "pip install cloudpickle"):
            rooflinectl.profile(lambda: None)


class Measure(ProfileTest):
    def test_measures_calls_in_a_range(self):
        ranges = self.nvtx()
        work = {"flops": 1e9, "bytes": 2e6}
        measured, _, _ = self.printed(lambda: rooflinectl.measure(play, ("often",), work=work, calls=2, warmup=1, options=["--once"]))
        self.assertEqual(ranges.read_text(), "push rooflinectl.measure\npop\n")
        # In each of three processes, `add` took 10 µs 100 times, and `gemm` 1 ms 10 times.
        self.assertEqual(measured.calls, 2)
        points = measured.run.rows("points")
        self.assertAlmostEqual(measured.time_s, sum(row["time_s"] * row["launches"] for row in points) / 2)
        self.assertAlmostEqual(measured.time_s, 3 * 11e-3 / 2, delta=2e-3)
        self.assertAlmostEqual(measured.flop_per_s, 1e9 / measured.time_s)
        self.assertAlmostEqual(measured.bytes_per_s, 2e6 / measured.time_s)
        self.assertIn("nvtx:rooflinectl.measure", measured.run.data["command_line"])

    def test_needs_ranges(self):
        calls = []
        with mock.patch("pickle.dumps", return_value=b""), mock.patch("pickle.loads", side_effect=[{}, (calls.append, (1,), {}, 2, 3)]), \
                mock.patch("multiprocessing.spawn.prepare"), mock.patch("rooflinectl._call.find_nvtx", return_value=None):
            rooflinectl._call.write_script(self.folder, play, (), {})
            with self.assertRaisesRegex(SystemExit, "measure needs NVTX: pip install nvtx"):
                rooflinectl._call.call(str(self.folder))
        self.assertEqual(calls, [1, 1, 1])  # to warm up

    def test_refuses_what_is_not_work(self):
        with self.assertRaisesRegex(rooflinectl.Error, "flops and bytes, not seconds"):
            rooflinectl.measure(play, work={"seconds": 1})
        with self.assertRaisesRegex(rooflinectl.Error, "calls"):
            rooflinectl.measure(play, calls=0)


class Regions(unittest.TestCase):
    def setUp(self):
        self.ranges = []
        for cached in [rooflinectl._ranges._of_package, rooflinectl._ranges._of_library]:
            cached.cache_clear()
            self.addCleanup(cached.cache_clear)

    def module(self, name, push, pop):
        module = types.ModuleType(name)
        setattr(module, push, lambda text: self.ranges.append(text))
        setattr(module, pop, lambda: self.ranges.append("end"))
        return module

    def mark(self):
        @rooflinectl.region("function")
        def function():
            self.ranges.append("called")

        with rooflinectl.region("block"):
            function()
        with self.assertRaises(ZeroDivisionError), rooflinectl.region("raises"):
            1 / 0

    MARKED = ["block", "function", "called", "end", "end", "raises", "end"]

    def test_by_the_package(self):
        with mock.patch.dict(sys.modules, {"nvtx": self.module("nvtx", "push_range", "pop_range")}):
            self.mark()
        self.assertEqual(self.ranges, self.MARKED)

    def test_by_pytorch_that_is_in_use(self):
        torch = types.ModuleType("torch")
        torch.cuda = types.SimpleNamespace(is_initialized=lambda: True, nvtx=self.module("nvtx", "range_push", "range_pop"))
        with mock.patch.dict(sys.modules, {"nvtx": None, "torch": torch}):
            self.mark()
        self.assertEqual(self.ranges, self.MARKED)

    def test_by_the_library(self):
        library = types.SimpleNamespace(nvtxRangePushA=lambda text: self.ranges.append(text.decode()),
                                        nvtxRangePop=lambda: self.ranges.append("end"))
        with mock.patch.dict(sys.modules, {"nvtx": None, "torch": None}), mock.patch("ctypes.CDLL", return_value=library):
            self.mark()
        self.assertEqual(self.ranges, self.MARKED)

    def test_do_nothing_without_any(self):
        with mock.patch.dict(sys.modules, {"nvtx": None, "torch": None}), mock.patch("ctypes.CDLL", side_effect=OSError):
            self.mark()
        self.assertEqual(self.ranges, ["called"])


@needs("IPython")
class Notebook(ProfileTest):
    def test_a_cell_is_profiled_and_its_page_shown(self):
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.run_line_magic("load_ext", "rooflinectl")
        cell = f"import runpy, sys\nsys.argv = [{GUEST!r}, 'often']\nrunpy.run_path({GUEST!r}, run_name='__main__')\n"
        run, out, _ = self.printed(lambda: shell.run_cell_magic("rooflinectl", "--samples 5", cell))
        self.assertIn("guest: out\n", out)
        self.assertEqual(run.folder.parent.name, "notebook_cell")
        self.assertIn("5", run.data["command_line"])
        shown = shell.display_formatter.format(run)[0]
        self.assertIn("<iframe srcdoc=", shown["text/html"])


if __name__ == "__main__":
    unittest.main()
