#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels from files on a real GPU: right, wrong, out of bounds, endless, of every type. Needs `rooflinectl` and its collector
(environment variable ROOFLINECTL, or on the PATH) and nvcc. Exits with 77 where there is no GPU or no nvcc."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from this_machine import environment_with_ceilings, no_gpu

PROGRAM = pathlib.Path(shutil.which(os.environ.get("ROOFLINECTL", "rooflinectl")) or "rooflinectl").resolve()
SILENCE_LIMIT_S = 4
TYPES = {"f64": "double", "f32": "float", "f16": "__half", "bf16": "__nv_bfloat16", "i64": "long long", "i32": "int",
         "i16": "short", "i8": "signed char", "u64": "unsigned long long", "u32": "unsigned int", "u16": "unsigned short",
         "u8": "unsigned char"}


def examples():
    for folder in [pathlib.Path(__file__).resolve().parents[2] / "examples", PROGRAM.parents[1] / "share/rooflinectl/examples"]:
        if (folder / "versions").is_dir():
            return folder
    return None


def kernel(body, n=1000, arguments="  y: {out: f32, count: n}", parameters="float* y, int n",
           launch='{grid: "ceil_div(n, block)", block: block}', more=""):
    """A file with one kernel `f` of `n` elements."""
    lines = ["function: f", f"axes: {{n: [{n}], block: 256}}", "arguments:", *arguments.splitlines(), "  n: {scalar: i32, value: n}",
             f"launch: {launch}", "timing: {time_limit: 500 ms}", *more.splitlines()]
    text = "".join(f"// rooflinectl: {line}\n" for line in lines)
    return text + "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + \
        f"__global__ void f({parameters}) {{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  {body}\n}}\n"


# reduce_v3_sequential.
BUILT_IN = """\
template <int kBlock>
__global__ void sum(const float* d_input, float* d_output, unsigned long long n) {
  __shared__ float shared[kBlock];
  const unsigned tid = threadIdx.x;
  const unsigned long long i = (unsigned long long)blockIdx.x * kBlock + tid;
  shared[tid] = i < n ? d_input[i] : 0.0F;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) shared[tid] += shared[tid + stride];
    __syncthreads();
  }
  if (tid == 0) d_output[blockIdx.x] = shared[0];
}
"""
# Those that are the same in every launch of the same code.
EXACT_COUNTERS = ["fadd", "fmul", "ffma", "dadd", "hadd", "integer_ops", "shared_bytes", "l1_bytes", "warp_instructions_sass", "branch_targets",
                  "branch_targets_divergent", "shared_load_instructions", "shared_store_instructions", "shared_load_wavefronts",
                  "shared_store_wavefronts"]
GOOD = "if (i < n) y[i] = 2 * i;"


class FileKernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.environment = environment_with_ceilings(cls, PROGRAM)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_plan(self, plan, code=0, **extra):
        finished = subprocess.run([PROGRAM, "run", plan, "--require-gpu"], cwd=self.folder, capture_output=True, text=True,
                                  env=dict(self.environment, **extra), timeout=300, check=False)
        self.assertEqual(finished.returncode, code, finished.stdout + finished.stderr)
        self.output = finished.stdout + finished.stderr
        (file,) = [path for path in (self.folder / "runs").glob("*/*/run.json") if not path.parent.is_symlink()]
        run = json.loads(file.read_text())
        shutil.rmtree(self.folder / "runs")
        return run

    def measure(self, files, code=0, beside=None, **extra):
        """The measurements of a folder with these kernels, and files beside them, by subject."""
        folder = self.folder / "kernels"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, text in files.items():
            (folder / f"{name}.cu").write_text(text)
        for name, text in (beside or {}).items():
            (folder / name).write_text(text)
        return {m["subject"]: m for m in self.run_plan("kernels", code, **extra)["measurements"]}

    def assert_ok(self, measurement):
        self.assertEqual(measurement["status"], "ok", measurement.get("cause"))
        self.assertGreater(measurement["time"]["median_s"], 0)

    def test_the_new_file(self):
        subprocess.run([PROGRAM, "new", "scale.cu"], cwd=self.folder, check=True, capture_output=True)
        run = self.run_plan("scale.cu")
        self.assertEqual(len(run["measurements"]), 8)
        for measurement in run["measurements"]:
            self.assert_ok(measurement)
            n, counters = measurement["axes"]["n"], measurement["counters"]
            self.assertGreater(measurement["resources"]["blocks_per_sm"], 0)
            self.assertEqual(measurement["launch"], {"grid": n // 256, "block": 256})
            if run["counter_session"]["available"]:
                self.assertEqual(counters["fmul"], n)
                if n == 2**26 and measurement["axes"]["cache"] == "cold":
                    size = {"f32": 4, "f16": 2}[measurement["axes"]["dtype"]]
                    self.assertAlmostEqual(counters["dram_read_bytes"] / (size * n), 1, delta=0.02)
        # Its products are those of FP32, in which halves are computed too.
        self.assertEqual({code["has_half_arithmetic"] for code in run["compiled_kernels"]}, {False})
        by_registers = {code["function"]: code["registers"] for code in run["compiled_kernels"]}
        measured = {m["axes"]["dtype"]: m["resources"]["registers_per_thread"] for m in run["measurements"]}
        self.assertEqual(measured, {"f32": by_registers["scale_kernel<float>"], "f16": by_registers["scale_kernel<__half>"]})

    def test_it_takes_seconds_from_a_save_to_the_verdict(self):
        text = kernel(GOOD).replace("[1000]", "[2^20]").replace("timing: {time_limit: 500 ms}", "cache: cold")
        (self.folder / "f.cu").write_text(text)
        self.run_plan("f.cu")
        (self.folder / "f.cu").write_text(text + f"// saved again {time.time()}\n")
        begin = time.monotonic()
        self.run_plan("f.cu")
        took = time.monotonic() - begin
        compiled = re.search(r"compiled in ([\d.]+ m?s)\n", self.output)
        print(f"from save to verdict: {took:.2f} s, of which compiling took {compiled and compiled[1]}", file=sys.stderr)
        self.assertLess(took, 5)
        self.assertTrue(compiled, self.output)
        self.assertRegex(self.output, r"\nf +2\^20 .* µs ")

    def test_a_kernel_is_measured_as_the_same_one_built_in(self):
        (self.folder / "v3.cu").write_text(BUILT_IN)
        (self.folder / "same.yaml").write_text(
            "name: same\n"
            "kernels:\n"
            "  mine:\n"
            "    source: v3.cu\n"
            "    function: sum<{block}>\n"
            "    axes: {dtype: f32, n: 2^28, block: 256}\n"
            "    arguments:\n"
            "      x: {in: f32, count: n, fill: integers}\n"  # the data of the built-in one
            "      sums: {out: f32, count: n / block}\n"
            "      n: {scalar: u64, value: n}\n"
            "    launch: {grid: n / block, block: block}\n"
            "    work: {read: 4 * n, written: 4 * n / block, flops: n - n / block}\n"
            "experiments:\n"
            "  both: {kernels: mine, variants: reduce_v3_sequential, sizes: 2^28, block: 256}\n")
        mine, built_in = (next(m for m in self.run_plan("same.yaml")["measurements"] if m["subject"] == subject)
                          for subject in ["mine", "reduce_v3_sequential"])
        self.assert_ok(mine)
        self.assert_ok(built_in)
        times = [m["time"] for m in (mine, built_in)]
        ratio = times[0]["median_s"] / times[1]["median_s"]
        overlap = max(t["ci_low_s"] for t in times) <= min(t["ci_high_s"] for t in times)
        print(f"from its file / built in: {ratio:.5f}, their intervals {'overlap' if overlap else 'do not overlap'}", file=sys.stderr)
        # As narrow as an interval must become before timing ends.
        self.assertTrue(overlap or abs(ratio - 1) < 0.005, times)
        if "unavailable" in str(mine["counters"]["fadd"]):
            self.skipTest("no counters")
        for key in EXACT_COUNTERS:
            self.assertEqual(mine["counters"][key], built_in["counters"][key], key)

    def test_versions_are_verified_and_stand_side_by_side(self):
        run = self.run_plan(examples() / "versions")
        self.assertEqual(len(run["measurements"]), 12)
        for measurement in run["measurements"]:
            self.assert_ok(measurement)
            if measurement["subject"] != "v1_simple":
                self.assertEqual(measurement["verification"], {"passed": True, "worst_error_over_bound": 0.0,
                                                               "detail": "as 'v1_simple': worst error 0 of the bound"})
        self.assertIn("v2_vector", self.output)

    def test_writes_beside_an_argument_are_named(self):
        behind = self.measure({"f": kernel("y[i] = 2 * i;"), "g": kernel(GOOD)}, 1)
        self.assertEqual(behind["f"]["status"], "unverified")
        self.assertRegex(behind["f"]["cause"], r"^wrote outside 'y' \(1000 elements of f32\): bytes 1 to 96 behind its end$")
        self.assertNotIn("time", behind["f"])
        self.assert_ok(behind["g"])
        before = self.measure({"f": kernel("y[i] = 1; if (i == 0) y[-2] = 1;", 1024)}, 1)["f"]
        self.assertRegex(before["cause"], r"^wrote outside 'y' \(1024 elements of f32\): bytes [56] to [78] before its beginning$")

    @unittest.skipUnless(shutil.which("compute-sanitizer") or pathlib.Path("/usr/local/cuda/bin/compute-sanitizer").exists(),
                         "no compute-sanitizer")
    def test_the_sanitizer_finds_reads_out_of_bounds(self):
        reads = kernel("y[i < n ? i : 0] = x[i];", arguments="  x: {in: f32, count: n}\n  y: {out: f32, count: n}",
                       parameters="const float* x, float* y, int n")
        folder = self.folder / "kernels"
        folder.mkdir()
        (folder / "f.cu").write_text(reads)
        (folder / "g.cu").write_text(kernel(GOOD))
        finished = subprocess.run([PROGRAM, "run", "kernels", "--require-gpu", "--sanitize"], cwd=self.folder, capture_output=True,
                                  text=True, env=self.environment, timeout=300, check=False)
        self.assertEqual(finished.returncode, 1, finished.stdout + finished.stderr)
        measured = {m["subject"]: m for m in json.loads((self.folder / "runs/kernels/latest/run.json").read_text())["measurements"]}
        self.assertRegex(measured["f"]["cause"], r"^compute-sanitizer: Invalid __global__ read of size 4 bytes at f.cu:\d+, by thread "
                                                 r"\(\d+,0,0\) in block \(3,0,0\); \d+ errors")
        self.assert_ok(measured["g"])

    def test_a_copy_that_is_too_long_is_noticed(self):
        copied = self.measure({"f": kernel("y[i] = x[i];", arguments="  x: {in: f32, count: n}\n  y: {out: f32, count: n}",
                                           parameters="const float* x, float* y, int n")}, 1)["f"]
        self.assertIn("wrote outside 'y'", copied["cause"])

    def test_arguments_that_may_only_be_read_stay_as_they_are(self):
        changed = self.measure({"f": kernel("if (i < n) { y[i] = x[i]; if (i == 5) x[i] += 1; }",
                                            arguments="  x: {in: f32, count: n}\n  y: {out: f32, count: n}",
                                            parameters="float* x, float* y, int n")}, 1)["f"]
        self.assertEqual(changed["cause"], "changed element 5 of 'x', which is described as 'in'; what is read and written is 'inout'")

    def test_wrong_results_are_shown(self):
        wrong = self.measure({"f": kernel("if (i < n) y[i] = i == 7 ? 15 : 2 * i;", more="reference: g"), "g": kernel(GOOD)}, 1)["f"]
        self.assertEqual((wrong["status"], wrong["cause"]), ("unverified", "element 7 of 'y' is 15, expected 14 ± 1.82e-05"))
        close = self.measure({"f": kernel("if (i < n) y[i] = 2.0001f * i;", more="reference: g\ntolerance: {relative: 1e-3}"),
                              "g": kernel(GOOD)})["f"]
        self.assert_ok(close)
        self.assertAlmostEqual(close["verification"]["worst_error_over_bound"], 0.05, delta=0.001)

    def test_results_that_become_wrong_are_noticed(self):
        body = "__shared__ int seen; if (threadIdx.x == 0) seen = atomicAdd(&launches, 1); __syncthreads(); " \
               "if (i < n) y[i] = 2 * i + (seen > 400);"
        text = kernel(body, more="reference: g").replace("__global__", "__device__ int launches;\n__global__")
        wrong = self.measure({"f": text, "g": kernel(GOOD)}, 1)["f"]
        self.assertEqual(wrong["status"], "unverified")
        self.assertRegex(wrong["cause"], r"^right at first, wrong after \d+ timed launches: element 0 of 'y' is 1, expected 0")

    def test_results_that_are_no_longer_written_are_noticed(self):
        body = "__shared__ int seen; if (threadIdx.x == 0) seen = atomicAdd(&launches, 1); __syncthreads(); " \
               "if (i < n && seen < 400) y[i] = 2 * i;"
        text = kernel(body, more="reference: g").replace("__global__", "__device__ int launches;\n__global__")
        self.assertEqual(self.measure({"f": text, "g": kernel(GOOD)}, 1)["f"]["status"], "unverified")

    def test_kernels_that_end_the_process(self):
        faults = {"endless": ("for (;;) __nanosleep(1000);", f"hung (no output for {SILENCE_LIMIT_S} s) while verifying"),
                  "illegal": ("*reinterpret_cast<float*>(8) = 1;", "illegal memory access"),
                  "trap": ("__trap();", "unspecified launch failure")}
        measured = self.measure({**{name: kernel(body) for name, (body, _) in faults.items()}, "z": kernel(GOOD)}, 1,
                                ROOFLINECTL_SILENCE_LIMIT=str(SILENCE_LIMIT_S))
        for name, (_, cause) in faults.items():
            self.assertEqual(measured[name]["status"], "failed")
            self.assertIn(cause, measured[name]["cause"])
        self.assert_ok(measured["z"])

    def test_arguments_that_are_read_and_written(self):
        inout = {"arguments": "  y: {inout: f32, count: n, fill: index}", "more": "cache: [cold, warm]\nreference: g"}
        text = kernel("if (i < n) y[i] = 3 * y[i];", 2**16, **inout)
        folder = self.folder / "kernels"
        folder.mkdir()
        (folder / "f.cu").write_text(text)
        (folder / "g.cu").write_text(text.replace("reference: g", "title: g"))
        run = self.run_plan("kernels")
        self.assertEqual(len(run["measurements"]), 4)
        for measurement in run["measurements"]:
            self.assert_ok(measurement)

    def test_every_type(self):
        files = {"wide": kernel("if (i < n) y[i] = x[i] * a;",
                                arguments="  x: {in: f64, count: n}\n  y: {out: f64, count: n}\n  a: {scalar: f64, value: 3}",
                                parameters="const double* x, double* y, double a, int n")}
        for name, cpp in TYPES.items():
            arguments = f"  x: {{in: {name}, count: n}}\n  y: {{out: {name}, count: n}}\n  a: {{scalar: {name}, value: 3}}"
            files[f"f_{name}"] = kernel("if (i < n) y[i] = x[i] * a;", arguments=arguments,
                                        parameters=f"const {cpp}* x, {cpp}* y, {cpp} a, int n", more="reference: wide\ncounters: none")
        measured = self.measure(files)
        for name in TYPES:
            with self.subTest(name):
                self.assert_ok(measured[f"f_{name}"])
                self.assertTrue(measured[f"f_{name}"]["verification"]["passed"])

    @unittest.skipUnless(shutil.which("c++"), "no C++ compiler")
    def test_references_in_cpp(self):
        expected = "void expected(double* y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = 2.0 * i;\n}\n"
        reference = "reference: {cpp: expected.cpp, function: expected}"
        crash = expected.replace("{\n", "{\n  if (n == 1000) *(volatile int*)8 = 1;\n", 1)
        halves = {"arguments": "  x: {in: f16, count: n}\n  y: {out: f16, count: n}", "parameters": "const __half* x, __half* y, int n"}
        files = {"good": kernel(GOOD, more=reference), "wrong": kernel("if (i < n) y[i] = i == 7 ? 15 : 2 * i;", more=reference),
                 "half": kernel("if (i < n) y[i] = __hmul(x[i], __float2half(3.0f));", **halves,
                                more="reference: {cpp: half.cpp, function: \"expected(x, y, n)\"}"),
                 "dead": kernel(GOOD, more=reference.replace("expected.cpp", "crash.cpp")),
                 # In its own file, which nvcc compiles.
                 "own": kernel(GOOD, more=reference.replace("expected.cpp", "own.cu")) + "static " + expected}
        half = "void expected(const float* x, float* y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = 3 * x[i];\n}\n"
        measured = self.measure(files, 1, beside={"expected.cpp": expected, "crash.cpp": crash, "half.cpp": half})
        for name in ["good", "half", "own"]:
            self.assert_ok(measured[name])
            self.assertTrue(measured[name]["verification"]["passed"])
        self.assertEqual(measured["good"]["verification"]["detail"], "as 'expected': worst error 0 of the bound")
        self.assertEqual((measured["wrong"]["status"], measured["wrong"]["cause"]),
                         ("unverified", "element 7 of 'y' is 15, expected 14 ± 1.82e-05"))
        self.assertEqual((measured["dead"]["status"], measured["dead"]["cause"]),
                         ("failed", "the reference 'expected' crashed with SIGSEGV"))

    def test_cases_take_the_place_of_combinations(self):
        text = kernel(GOOD, more="reference: {cpp: expected.cpp, function: expected}\ncases: {few: {n: 1000, block: 64}, many: {n: 2^20}}")
        expected = "void expected(double* y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = 2.0 * i;\n}\n"
        folder = self.folder / "kernels"
        folder.mkdir()
        (folder / "f.cu").write_text(text)
        (folder / "expected.cpp").write_text(expected)
        measured = self.run_plan("kernels")["measurements"]
        self.assertEqual([(m["axes"]["case"], m["axes"]["n"], m["launch"]["block"]) for m in measured], [("few", 1000, 64), ("many", 2**20, 256)])
        for measurement in measured:
            self.assert_ok(measurement)

    def test_shared_memory_and_clusters(self):
        body = "extern __shared__ float room[]; room[threadIdx.x + 20000] = i; __syncthreads(); " \
               "unsigned size; asm volatile(\"mov.u32 %0, %%cluster_nctaid.x;\" : \"=r\"(size)); " \
               "if (i < n) y[i] = 2 * room[threadIdx.x + 20000] + (size - 2);"
        measured = self.measure({"f": kernel(body, 1024, launch='{grid: 4, block: block, shared: 100000, cluster: 2}',
                                             more="reference: g"), "g": kernel(GOOD, 1024)})["f"]
        self.assert_ok(measured)
        self.assertGreaterEqual(measured["resources"]["shared_bytes_per_block"], 100000)

    def test_blocks_that_the_code_does_not_allow(self):
        text = kernel(GOOD, launch="{grid: 1, block: 1024}").replace("__global__ void", "__global__ void __launch_bounds__(128)")
        measured = self.measure({"f": text}, 1)["f"]
        self.assertEqual(measured["status"], "failed")
        self.assertIn("f cannot have blocks of 1024 threads", measured["cause"])

    def test_stored_results(self):
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000,), }".ljust(117) + b"\n"
        values = [2.0 * i for i in range(1000)]
        (self.folder / "y.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<1000d", *values))
        (self.folder / "y.bin").write_bytes(struct.pack("<1000f", *values))
        (self.folder / "short.bin").write_bytes(struct.pack("<999f", *values[:999]))
        for name in ["y.npy", "y.bin"]:
            measured = self.measure({"f": kernel(GOOD, more=f"reference: {{y: ../{name}}}")})["f"]
            self.assert_ok(measured)
            self.assertEqual(measured["verification"]["detail"], "as the stored results: worst error 0 of the bound")
        short = self.measure({"f": kernel(GOOD, more="reference: {y: ../short.bin}")}, 1)["f"]
        self.assertRegex(short["cause"], "^'y' has 1000 elements, but 999 in .*/short.bin$")

    def test_without_work_only_what_was_executed_is_shown(self):
        run = self.run_plan(self.scale_without_work())
        (measurement,) = run["measurements"]
        self.assert_ok(measurement)
        self.assertEqual(measurement["work"], {"read_bytes": 0, "written_bytes": 0, "operations": {}})

    def scale_without_work(self):
        (self.folder / "f.cu").write_text(kernel(GOOD, 2**24))
        return "f.cu"


if __name__ == "__main__":
    has_nvcc = shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists() or os.environ.get("CUDA_HOME")
    why = no_gpu() or (None if has_nvcc else "no nvcc")
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
