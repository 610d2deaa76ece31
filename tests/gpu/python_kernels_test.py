#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels in Python on a real GPU: Triton, PyTorch, CuPy and numba beside CUDA, as far as this Python has them. Needs `rooflinectl`,
its collector and its library for programs (environment variable ROOFLINECTL, or on the PATH), NumPy and PyTorch. Exits with 77 where
there is no GPU or no PyTorch."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from this_machine import environment_with_ceilings, no_gpu

PROGRAM = pathlib.Path(shutil.which(os.environ.get("ROOFLINECTL", "rooflinectl")) or "rooflinectl").resolve()
N = 1 << 26
DESCRIPTION = """\
function: scale
axes: {{n: {n}}}
arguments:
  x: {{in: f32, count: n}}
  y: {{out: f32, count: n}}
  a: {{scalar: f32, value: 3}}
  n: {{scalar: i32, value: n}}
work: {{read: 4 * n, written: 4 * n, flops: n}}
reference: {{python: expected.py, function: expected}}
cache: [cold]
"""
EXPECTED = "def expected(x, a):\n    return a * x\n"
CUDA = """\
__global__ void scale(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}
"""
TRITON = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x, y, a, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, a * tl.load(x + i, mask=i < n), mask=i < n)


def scale(x, y, a, n):
    scale_kernel[(triton.cdiv(n, 1024),)](x, y, a, n, BLOCK=1024)
"""
TORCH = "import torch\n\n\ndef scale(x, y, a):\n    torch.mul(x, a, out=y)\n"
# Several functions, one of which each value of the axis `how` calls, need only one Python.
TORCH_WAYS = """\
import torch


def written(x, y, a):
    torch.mul(x, a, out=y)


def returned(x, a):
    return a * x


def two(x, y, a):
    torch.mul(x, a - 1, out=y)
    y.add_(x)


def wrong(x, y, a):
    torch.mul(x, a, out=y)
    y[7] = -1
"""
CUPY = """\
import cupy

kernel = cupy.ElementwiseKernel("float32 x, float32 a", "float32 y", "y = a * x", "scale")


def scale(x, y, a):
    kernel(x, cupy.float32(a), y)
"""
NUMBA = """\
import cupy
from numba import cuda


@cuda.jit
def kernel(x, y, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i]


def scale(x, y, a, n):
    kernel[(n + 255) // 256, 256](x, y, a)
"""


def described(text, n=N, mark="#", more=""):
    return "".join(f"{mark} rooflinectl: {line}\n" for line in (DESCRIPTION.format(n=n) + more).splitlines()) + text


def in_ways(text, *ways):
    """With an axis of functions."""
    return text.replace("function: scale", "function: \"{how}\"").replace("axes: {", f"axes: {{how: [{', '.join(ways)}], ")


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


class PythonKernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # `python3` is this Python.
        cls.environment = dict(environment_with_ceilings(cls, PROGRAM), PATH=f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measure(self, files, code=0, *options):
        """The measurements of a folder with these kernels, by subject."""
        folder = self.folder / "kernels"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in {"expected.py": EXPECTED, **files}.items():
            (folder / name).write_text(text)
        finished = subprocess.run([PROGRAM, "run", "kernels", "--require-gpu", *options], cwd=self.folder, capture_output=True, text=True,
                                  env=self.environment, timeout=500, check=False)
        self.assertEqual(finished.returncode, code, finished.stdout + finished.stderr)
        self.output = finished.stdout + finished.stderr
        self.run_json = json.loads((self.folder / "runs/kernels/latest/run.json").read_text())
        return {m["subject"]: m for m in self.run_json["measurements"]}

    def assert_scales(self, measurement, n=N):
        self.assertEqual(measurement["status"], "ok", measurement.get("cause"))
        self.assertTrue(measurement["verification"]["passed"])
        self.assertGreater(measurement["time"]["median_s"], 0)
        if self.run_json["counter_session"]["available"]:
            counters = measurement["counters"]
            self.assertEqual(counters["fmul"], n)
            self.assertAlmostEqual(counters["dram_read_bytes"] / (4 * n), 1, delta=0.02)

    @unittest.skipUnless(has("triton"), "no Triton")
    def test_a_triton_kernel_and_its_cuda_twin(self):
        launch = 'launch: {grid: "ceil_div(n, 256)", block: 256}\n'
        measured = self.measure({"v1.cu": described(CUDA, mark="//", more=launch), "v2.py": described(TRITON)})
        self.assert_scales(measured["v1"])
        self.assert_scales(measured["v2"])
        self.assertEqual(measured["v2"]["launch"]["grid"], N // 1024)
        # Both are bound by DRAM; Triton's loads 16 bytes per thread at a time, and may be faster.
        ratio = measured["v2"]["time"]["median_s"] / measured["v1"]["time"]["median_s"]
        self.assertTrue(0.5 < ratio < 1.1, ratio)
        self.assertIn("v2", self.output)

    def test_pytorch(self):
        self.measure({"v1.py": in_ways(described(TORCH_WAYS), "written", "returned", "two")})
        written, returned, two = self.run_json["measurements"]
        self.assert_scales(written)
        self.assert_scales(returned)
        self.assertEqual(two["status"], "ok", two.get("cause"))
        self.assertIn("a call launches 2 kernels", two["counters"]["dram_read_bytes"]["unavailable"])
        self.assertGreater(two["time"]["median_s"], 1.5 * written["time"]["median_s"])

    @unittest.skipUnless(has("cupy"), "no CuPy")
    def test_cupy(self):
        self.assert_scales(self.measure({"v1.py": described(CUPY)})["v1"])

    @unittest.skipUnless(has("numba", "cupy"), "no numba with CuPy")
    def test_numba(self):
        program = "import numpy; from numba import cuda; cuda.jit(lambda x: None)[1, 1](cuda.to_device(numpy.zeros(1)))"
        tried = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        if tried.returncode:
            self.skipTest(f"numba does not work here: {tried.stderr.splitlines()[-1]}")
        self.assertEqual(self.measure({"v1.py": described(NUMBA)})["v1"]["status"], "ok")

    def test_warm_launches_find_their_data_in_l2(self):
        n = 1 << 20
        measured = self.measure({"v1.py": described(TORCH, n).replace("cache: [cold]", "cache: [cold, warm]")})
        self.assertEqual(measured["v1"]["status"], "ok", measured["v1"].get("cause"))
        cold, warm = self.run_json["measurements"]
        self.assertEqual((cold["axes"]["cache"], warm["axes"]["cache"]), ("cold", "warm"))
        if self.run_json["counter_session"]["available"]:
            self.assertAlmostEqual(cold["counters"]["dram_read_bytes"] / (4 * n), 1, delta=0.1)
            self.assertLess(warm["counters"]["dram_read_bytes"], 0.2 * 4 * n)

    def test_every_type(self):
        text = in_ways(described(TORCH_WAYS, 1000), "returned").replace("f32", "type").replace("4 * n", "n")
        text = text.replace("axes: {", "axes: {type: [f64, f32, f16, bf16, i64, i32, i16, i8, u8], ")
        self.measure({"v1.py": text}, 0, "--no-counters")
        self.assertEqual(len(self.run_json["measurements"]), 9)
        for measured in self.run_json["measurements"]:
            with self.subTest(measured["axes"]["type"]):
                self.assertEqual(measured["status"], "ok", measured.get("cause"))
                self.assertTrue(measured["verification"]["passed"])

    def test_wrong_results_and_crashes_are_named(self):
        illegal = TRITON.replace("y + i, a", "y + i + (1 << 40), a")
        files = {"v1.py": in_ways(described(TORCH_WAYS, 1000), "wrong", "written")}
        if has("triton"):
            files["v2.py"] = described(illegal, 1000)
        measured = self.measure(files, 1, "--no-counters")
        wrong, written = (m for m in self.run_json["measurements"] if m["subject"] == "v1")
        self.assertRegex(wrong["cause"], r"^element 7 of 'y' is -1, expected ")
        self.assertEqual(written["status"], "ok", written.get("cause"))
        if has("triton"):
            self.assertEqual(measured["v2"]["status"], "failed")
            self.assertRegex(measured["v2"]["cause"], "illegal memory access|Python ended")

    @unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
    def test_results_are_compared_with_those_in_cpp(self):
        text = in_ways(described(TORCH_WAYS, 1000), "written", "wrong").replace("python: expected.py", "cpp: expected.cpp")
        cpp = "void expected(const double* x, double* y, double a, int n) {\n  for (int i = 0; i < n; ++i) y[i] = a * x[i];\n}\n"
        self.measure({"v1.py": text, "expected.cpp": cpp}, 1, "--no-counters")
        written, wrong = self.run_json["measurements"]
        self.assertTrue(written["verification"]["passed"], written)
        self.assertRegex(wrong["cause"], r"^element 7 of 'y' is -1, expected ")

    @unittest.skipUnless(shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists() or os.environ.get("CUDA_HOME"), "no nvcc")
    def test_compiled_kernels_are_compared_with_numpy(self):
        launch = 'launch: {grid: "ceil_div(n, 256)", block: 256}\n'
        good = described(CUDA, 100_000, "//", launch)
        measured = self.measure({"v1.cu": good, "v2.cu": good.replace("a * x[i]", "i == 9 ? 1 : a * x[i]")}, 1, "--no-counters")
        self.assertEqual(measured["v1"]["verification"], {"passed": True, "worst_error_over_bound": 0.0,
                                                          "detail": "as 'expected': worst error 0 of the bound"})
        self.assertRegex(measured["v2"]["cause"], "^element 9 of 'y' is 1, expected ")


if __name__ == "__main__":
    why = no_gpu() or (None if has("torch", "numpy") else "no PyTorch")
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
