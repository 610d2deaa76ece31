# SPDX-License-Identifier: Apache-2.0
"""Kernels and references in Python files, with a PyTorch that only seems to launch something (fake_torch)."""

import json
import os
import platform
import struct
import unittest

from kernels_test import FAKE_NVCC, SOURCE
from program import HERE, ProgramTest

try:
    import numpy as np
except ImportError:
    np = None

KERNEL = """\
# rooflinectl: function: scale
# rooflinectl: axes: {n: [2^10, 2^12], factor: 3}
# rooflinectl: arguments:
# rooflinectl:   x: {in: f32, count: n}
# rooflinectl:   y: {out: f32, count: n}
# rooflinectl:   a: {scalar: f32, value: factor}
# rooflinectl: work: {read: 4 * n, written: 4 * n, flops: n}
# rooflinectl: reference: {python: expected.py, function: expected}
import torch


def memory(argument):
    return argument.data.base


def scale(x, y, a):
    y[:] = a * x
"""
EXPECTED = "def expected(x, a):\n    return a * x\n"


@unittest.skipIf(np is None, "requires NumPy")
class PythonKernels(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("scale.py", KERNEL)
        self.write("expected.py", EXPECTED)
        toolkit = self.folder / "toolkit/bin"
        toolkit.mkdir(parents=True)
        (toolkit / "nvcc").write_text(FAKE_NVCC)
        (toolkit / "nvcc").chmod(0o755)

    def environment(self, accidents="", **extra):
        return super().environment(accidents, **{"ROOFLINECTL_INJECTION": "/lib/librooflinectl-injection.so", "PYTHONPATH": str(HERE / "fake_torch"),
                                                 "CUDA_HOME": str(self.folder / "toolkit"), "PYTHONDONTWRITEBYTECODE": "1", **extra})

    def measured(self, plan="scale"):
        return json.loads((self.folder / f"runs/{plan}/latest/run.json").read_text())["measurements"]

    def test_a_dry_run_names_the_functions(self):
        result = self.call("run", "scale.py", "--dry-run", CUDA_HOME="/nowhere")
        self.assert_exit(result, 0)
        self.assertIn("functions that python3 calls\n  scale: scale in ", result.stdout)
        self.assertRegex(result.stdout, r"scale +2\^10 .* cold +plain")

    def test_a_function_is_a_point_like_any_other(self):
        result = self.call("run", "scale.py")
        self.assert_exit(result, 0)
        run = json.loads((self.folder / "runs/scale/latest/run.json").read_text())
        self.assertEqual([m["axes"]["n"] for m in run["measurements"]], [2**10, 2**12])
        for measurement in run["measurements"]:
            self.assertEqual((measurement["status"], measurement["subject"]), ("ok", "scale"), measurement)
            self.assertEqual(measurement["time"]["median_s"], 1e-5)
            self.assertEqual((measurement["counters"]["dram_read_bytes"], measurement["counters"]["fmul"]), (8e6, 1e6))
            self.assertEqual(measurement["launch"], {"grid": 1024, "block": 128})
            self.assertEqual(measurement["work"]["read_bytes"], 4 * measurement["axes"]["n"])
            self.assertEqual(measurement["verification"], {"passed": True, "worst_error_over_bound": 0.0,
                                                           "detail": "as 'expected': worst error 0 of the bound"})
            self.assertNotIn("launches", measurement)
            self.assertIs(measurement["resources"]["has_half_arithmetic"], False)
        self.assertNotIn("application", run)
        self.assertEqual(run["python_versions"], {"python": platform.python_version(), "torch": "2.9.0"})
        self.assertIn(f"| kernels in Python | python {platform.python_version()}, torch 2.9.0 |", (self.folder / "runs/scale/latest/summary.md").read_text())
        self.assertFalse((self.folder / "runs/scale/latest/python").exists())
        self.assertIn("scale 2^10", result.stdout)

    def test_a_version_in_python_stands_beside_one_in_cuda(self):
        (self.folder / "ladder").mkdir()
        self.write("ladder/expected.py", EXPECTED)
        self.write("ladder/v1.cu", SOURCE)
        self.write("ladder/v2.py", KERNEL)
        self.assert_exit(self.call("run", "ladder", "--no-counters"), 0)
        self.assertEqual([(m["subject"], m["axes"]["mode"], m["status"]) for m in self.measured("ladder")],
                         [("v1", "graph", "ok"), ("v1", "graph", "ok"), ("v2", "plain", "ok"), ("v2", "plain", "ok")])

    def test_several_kernels_of_a_call_are_added_up_and_not_counted(self):
        self.assert_exit(self.call("run", "scale.py", FAKE_TORCH="two"), 0)
        for measurement in self.measured():
            self.assertAlmostEqual(measurement["time"]["median_s"], 3e-5)
            self.assertIn("a call launches 2 kernels", measurement["counters"]["dram_read_bytes"]["unavailable"])

    def test_without_counters_it_is_timed_only(self):
        self.assert_exit(self.call("run", "scale.py", "--no-counters"), 0)
        for measurement in self.measured():
            self.assertEqual(measurement["time"]["median_s"], 1e-5)
            self.assertFalse(any(isinstance(value, float) for value in measurement.get("counters", {}).values()))

    def test_what_goes_wrong_is_named(self):
        for old, new, status, cause in [
                ("y[:] = a * x", "y[:] = a * x\n    y[5] = 1", "unverified", r"^element 5 of 'y' is 1, expected .* ± "),
                ("y[:] = a * x", "y[:] = a * x\n    memory(y)[16384 + y.data.size + 2] = 9", "unverified",
                 r"^wrote outside 'y' \(\d+ elements of f32\): bytes 9 to 12 behind its end$"),
                ("y[:] = a * x", "y[:] = a * x\n    memory(x)[:16383] = 0", "unverified",
                 r"^wrote outside 'x' \(\d+ elements of f32\): bytes 5 to 65536 before its beginning, or more$"),
                ("y[:] = a * x", "x[7] = 9", "unverified", r"^changed element 7 of 'x', which is described as 'in'"),
                ("y[:] = a * x", "y[:] = b * x", "failed", r"scale.py:17: NameError: name 'b' is not defined$"),
                ("def scale(x, y, a)", "def scale(x, y, a, m)", "failed", r"no argument or axis is called 'm'"),
                ("def scale", "def scales", "failed", r"it has no function 'scale'"),
                ("import torch", "import torch, nothing", "failed", r"scale.py:9: ModuleNotFoundError: No module named 'nothing'"),
                ("y[:] = a * x", "return 1 +", "failed", r"scale.py:17: SyntaxError")]:
            with self.subTest(new):
                self.write("scale.py", KERNEL.replace(old, new))
                self.assert_exit(self.call("run", "scale.py", "--no-counters"), 1)
                for measurement in self.measured():
                    self.assertEqual(measurement["status"], status, measurement)
                    self.assertRegex(measurement["cause"], cause)
                    self.assertNotIn("time", measurement)

    def test_a_process_that_dies_fails_its_points(self):
        self.assert_exit(self.call("run", "scale.py", "--no-counters", FAKE_TORCH="crash"), 1)
        # Those of the first died with the process.
        self.assertEqual([m["cause"] for m in self.measured()], ["Python ended with exit code 139"] * 2)
        self.assert_exit(self.call("run", "--no-counters", "--resume", (self.folder / "runs/scale/latest").resolve()), 0)
        self.assertEqual([m["status"] for m in self.measured()], ["ok", "ok"])

    def test_nothing_launched_is_no_time(self):
        self.assert_exit(self.call("run", "scale.py", "--no-counters", FAKE_TORCH="silent"), 1)
        self.assertEqual({m["cause"] for m in self.measured()}, {"the function launched no kernel"})

    def test_functions_may_return_their_results(self):
        self.write("scale.py", KERNEL.replace("def scale(x, y, a):\n    y[:] = a * x", "def scale(x, factor):\n    return factor * x"))
        self.assert_exit(self.call("run", "scale.py", "--no-counters"), 0)
        self.assertTrue(all(m["verification"]["passed"] for m in self.measured()))

    def test_inout_arguments_begin_each_call_as_described(self):
        self.write("scale.py", KERNEL.replace("  x: {in: f32, count: n}\n", "  y: {inout: bf16, count: n, fill: index}\n").replace(
            "# rooflinectl:   y: {out: f32, count: n}\n", "").replace("(x, y, a):\n    y[:] = a * x", "(y, a):\n    y[:] = a * y"))
        self.write("expected.py", "def expected(y, a):\n    return a * y\n")
        self.assert_exit(self.call("run", "scale.py", "--no-counters"), 0)
        self.assertTrue(all(m["verification"]["passed"] for m in self.measured()))

    def test_mistakes_of_the_description_are_named(self):
        for old, new, mistake in [
                ("work: {", "launch: {grid: 1, block: 1}\n# rooflinectl: work: {", "scale.py:7:16: a function in Python has no 'launch'"),
                ("# rooflinectl: work", "# rooflinctl: work", "scale.py:7:3: 'rooflinctl' begins no description"),
                (", function: expected", "", "'reference' has no 'function'")]:
            self.write("scale.py", KERNEL.replace(old, new))
            result = self.call("run", "scale.py", "--dry-run")
            self.assert_exit(result, 2)
            self.assertIn(mistake, result.stderr)
        self.write("scale.py", KERNEL.replace("expected.py", "other.py"))
        self.assertIn("other.py, the reference of 'scale', is not there", self.call("run", "scale.py", "--dry-run").stderr)
        self.write("train.py", "import torch\n")
        self.assert_exit(self.call("run", "train.py", "--dry-run"), 2)

    def test_references_of_compiled_kernels_are_stored_for_the_collector(self):
        arguments = "y: {inout: f32, count: n, fill: integers, seed: 3}"
        self.write("scale.cu", SOURCE.replace("2^20, 2^28", "2^10, 2^22").replace("y: {inout: f32, count: n}", arguments) +
                   "// rooflinectl: reference: {python: expected.py, function: expected}\n// rooflinectl: cache: [cold, warm]\n")
        self.write("expected.py", "import os, shutil\n\ndef expected(y, n):\n    open(os.environ['CALLED'], 'a').write(f'{n}:{y[:3]}:{y.dtype}\\n')\n"
                                  "    return 2.0 * y\n")
        called = self.folder / "called"
        self.assert_exit(self.call("run", "scale.cu", CALLED=str(called)), 0)
        self.assertEqual([line.split(":")[0::2] for line in called.read_text().splitlines()], [["1024", "float32"], [str(2**22), "float32"]])
        references = self.sent_requests()[0]["references"]
        self.assertFalse(os.path.exists(references))  # it was there for the run alone
        self.write("expected.py", "def expected(y, n):\n    return nothing\n")
        result = self.call("run", "scale.cu")
        self.assert_exit(result, 2)
        self.assertIn("expected.py:2: NameError: name 'nothing' is not defined", result.stderr)

    def test_data_are_those_of_compiled_kernels(self):
        """As kernels/data.h has them: of the first positions, computed by hand."""
        def hashed(position):
            mask = 2**64 - 1
            z = (position + 1) * 0x9E3779B97F4A7C15 & mask
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
            z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
            return z ^ z >> 31
        self.write("values.py", KERNEL.replace("2^10, 2^12", "2^10").replace("factor: 3", "factor: 1").replace("count: n}", "count: n, seed: 5}", 1).replace(
            "y[:] = a * x", f"open({str(self.folder / 'values')!r}, 'wb').write(x.data[:100].tobytes())\n    y[:] = a * x"))
        self.assert_exit(self.call("run", "values.py", "--no-counters"), 0)
        seed = 5 * 0xD1342543DE82EF95
        expected = [(hashed((i + seed) % 2**64) >> 40) / 2**24 for i in range(100)]
        self.assertEqual(list(struct.unpack("<100f", (self.folder / "values").read_bytes())), expected)


if __name__ == "__main__":
    unittest.main()
