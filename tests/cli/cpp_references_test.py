# SPDX-License-Identifier: Apache-2.0
"""References that are functions in C++, of kernels in Python (fake_torch), whose results are compared with them here, and of kernels in
CUDA, whose collector only seems to."""

import json
import os
import shutil
import unittest

from kernels_test import FAKE_NVCC, SOURCE
from program import HERE, ProgramTest
from python_kernels_test import KERNEL, np

CPP = """\
#include <cmath>
void expected(const double* x, double* y, double a) {
  for (int i = 0; i < 1000; ++i) y[i] = a * x[i];
}
int main() { return 7; }
"""
REFERENCE = "{cpp: expected.cpp, function: expected}"
DESCRIBED = SOURCE.replace("2^20, 2^28", "2^10, 2^12") + f"// rooflinectl: reference: {REFERENCE}\n"
TYPES = ["f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8"]


@unittest.skipUnless(any(shutil.which(compiler) for compiler in ["c++", "g++", "clang++"]), "requires a C++ compiler")
class CppReferences(ProgramTest):
    def setUp(self):
        super().setUp()
        toolkit = self.folder / "toolkit/bin"
        toolkit.mkdir(parents=True)
        (toolkit / "nvcc").write_text(FAKE_NVCC)
        (toolkit / "nvcc").chmod(0o755)
        self.write("expected.cpp", CPP)

    def environment(self, accidents="", **extra):
        return super().environment(accidents, **{"ROOFLINECTL_INJECTION": "/lib/librooflinectl-injection.so", "PYTHONPATH": str(HERE / "fake_torch"),
                                                 "CUDA_HOME": str(self.folder / "toolkit"), "PYTHONDONTWRITEBYTECODE": "1", **extra})

    def python_kernel(self, reference=REFERENCE, **replaced):
        text = KERNEL.replace("{python: expected.py, function: expected}", reference).replace("[2^10, 2^12]", "1000")
        for old, new in replaced.items():
            text = text.replace(old, new)
        self.write("scale.py", text)

    def measured(self, code=0, plan="scale", **extra):
        self.assert_exit(self.call("run", f"{plan}.py", "--no-counters", **extra), code)
        return json.loads((self.folder / f"runs/{plan}/latest/run.json").read_text())["measurements"]

    def dry_run(self, code=0, file="scale.cu"):
        result = self.call("run", file, "--dry-run")
        self.assert_exit(result, code)
        return result

    @unittest.skipIf(np is None, "requires NumPy")
    def test_results_are_compared_with_it(self):
        self.python_kernel()
        (measurement,) = self.measured()
        self.assertEqual(measurement["verification"]["passed"], True)
        self.assertRegex(measurement["verification"]["detail"], r"^as 'expected': worst error 0\.\d+ of the bound$")
        self.write("expected.cpp", CPP.replace("a * x[i]", "i == 7 ? -1 : a * x[i]"))
        (measurement,) = self.measured(1)
        self.assertRegex(measurement["cause"], r"^element 7 of 'y' is [\d.]+, expected -1 ± ")

    @unittest.skipIf(np is None, "requires NumPy")
    def test_every_type_holds_the_values_of_the_kernel(self):
        # The kernel copies: what the function gets must be the same to the last digit, rounded or not.
        lines = ["function: copy", "axes: {n: 5000}", "arguments:"]
        body, cpp = [], []
        for type_name in TYPES:
            for fill in ["random", "index"]:
                name = f"{type_name}_{fill}"
                filled = {"random": "seed: 3", "index": "fill: index"}[fill]
                lines += [f"  {name}: {{in: {type_name}, count: n, {filled}}}", f"  out_{name}: {{out: {type_name}, count: n}}"]
                body.append(f"    out_{name}[:] = {name}")
                of_cpp = "double" if type_name[0] in "fb" else "long long" if type_name != "u64" else "unsigned long long"
                cpp.append((f"const {of_cpp}* {name}, {of_cpp}* out_{name}", f"  for (int i = 0; i < 5000; ++i) out_{name}[i] = {name}[i];"))
        lines += ["reference: {cpp: copied.cpp, function: copied}", "tolerance: {relative: 0}"]
        self.write("copy.py", "".join(f"# rooflinectl: {line}\n" for line in lines) + "import torch\n\n\ndef copy(" + ", ".join(
            line.split(":")[0].strip() for line in lines[3:-2]) + "):\n" + "\n".join(body) + "\n")
        self.write("copied.cpp", "void copied(" + ", ".join(parameters for parameters, _ in cpp) + ") {\n" + "\n".join(
            line for _, line in cpp) + "\n}\n")
        (measurement,) = self.measured(plan="copy")
        self.assertEqual(measurement["verification"], {"passed": True, "worst_error_over_bound": 0.0,
                                                       "detail": "as 'copied': worst error 0 of the bound"})

    @unittest.skipIf(np is None, "requires NumPy")
    def test_halves_may_be_a_type_of_its_own(self):
        self.write("expected.cpp", "#include <cstdint>\nstruct Half { std::uint16_t bits; };\n"
                                   "void expected(const Half* x, const Half* u, Half* y, Half* v) {\n"
                                   "  for (int i = 0; i < 1000; ++i) y[i] = x[i], v[i] = u[i];\n}\n")
        self.python_kernel("{cpp: expected.cpp, function: \"expected(x, u, y, v)\"}", **{
            "x: {in: f32, count: n}\n": "x: {in: f16, count: n}\n# rooflinectl:   u: {in: bf16, count: n}\n",
            "y: {out: f32, count: n}\n": "y: {out: f16, count: n}\n# rooflinectl:   v: {out: bf16, count: n}\n",
            "scale(x, y, a):\n    y[:] = a * x": "scale(x, u, y, v):\n    y[:], v[:] = x, u"})
        (measurement,) = self.measured()
        self.assertEqual(measurement["verification"]["worst_error_over_bound"], 0, measurement)

    @unittest.skipIf(np is None, "requires NumPy")
    def test_a_call_names_arguments_and_axes(self):
        self.write("expected.cpp", "#include <span>\ntemplate <typename T>\nvoid expected(std::span<T> y, int n, std::span<const float> x, const char* of) {\n"
                                   "  for (int i = 0; i < n && of[0] == 'f'; ++i) y[i] = 3 * x[i];\n}\n")
        self.python_kernel("{cpp: expected.cpp, function: \"expected<{dtype}>(y, n, x, dtype)\"}", **{"factor: 3": "factor: 3, dtype: f32"})
        (measurement,) = self.measured()
        self.assertTrue(measurement["verification"]["passed"], measurement)

    @unittest.skipIf(np is None, "requires NumPy")
    def test_its_end_is_not_that_of_the_run(self):
        self.python_kernel()
        self.write("expected.cpp", "#include <cstdlib>\n#include <stdexcept>\n" + CPP.replace("{\n", "{\n"
                   "  const char end = *std::getenv(\"END\");\n"
                   "  if (end == 'c') *(volatile int*)8 = 1;\n"
                   "  if (end == 't') throw 1;\n"
                   "  if (end == 'd') throw std::runtime_error(\"too deep\");\n"
                   "  for (volatile int i = 0; end == 'f'; i = 1) {}\n", 1))
        for end, cause in [("crash", "crashed with SIGSEGV"), ("throw", "ended with: an exception of another type"), ("deep", "ended with: too deep"),
                           ("forever", "did not end within 1 s")]:
            (measurement,) = self.measured(1, END=end, **({"ROOFLINECTL_SILENCE_LIMIT": "1"} if end == "forever" else {}))
            self.assertEqual(measurement["status"], "failed")
            self.assertIn(f"the reference 'expected' {cause}", measurement["cause"])

    def test_references_of_compiled_kernels_are_stored_for_the_collector(self):
        self.write("scale.cu", DESCRIBED + "// rooflinectl: cache: [cold, warm]\n")
        self.write("expected.cpp", "#include <cstdio>\n#include <cstdlib>\nvoid expected(float* y) {\n"
                                   "  std::FILE* f = std::fopen(std::getenv(\"CALLED\"), \"a\");\n  std::fprintf(f, \"%g\\n\", y[1000] * 0);\n}\n")
        called = self.folder / "called"
        self.assert_exit(self.call("run", "scale.cu", CALLED=str(called)), 0)
        self.assertEqual(called.read_text().splitlines(), ["0", "0"])  # cold and warm are the same
        references = self.sent_requests()[0]["references"]
        self.assertFalse(os.path.exists(references))  # it was there for the run alone

    def test_a_dry_run_compiles_it_once(self):
        self.write("scale.cu", DESCRIBED)
        self.write("expected.cpp", "#include \"more.h\"\nvoid expected(float* y) { y[0] = FACTOR * MORE; }\n")  # an option of the kernel
        self.write("more.h", "#define MORE 1\n")
        self.assertRegex(self.dry_run().stdout, r"\nreferences in C\+\+, compiled\n  scale: expected in \S+/expected\.cpp\n")
        programs = list((self.folder / "cache/rooflinectl/kernels").glob("*.reference"))
        self.assertEqual(len(programs), 1)
        changed = programs[0].stat().st_mtime_ns
        self.dry_run()
        self.assertEqual([path.stat().st_mtime_ns for path in (self.folder / "cache/rooflinectl/kernels").glob("*.reference")], [changed])
        self.write("more.h", "#define MORE 2\n")
        self.dry_run()
        self.assertEqual(len(list((self.folder / "cache/rooflinectl/kernels").glob("*.reference"))), 2)

    def test_mistakes_are_named_at_their_line(self):
        self.write("scale.cu", DESCRIBED)
        for cpp, mistake in [
                ("// a comment\nvoid expected(float* y) { y[0] = z; }\n", r"scale\.cu:8:58: the reference does not compile:\n(.*\n)*\S+/expected\.cpp:2:\d+: error: .*z"),
                ("void unexpected(float* y) {}\n", r"\n\S*scale\.cu:8:58: error: .*expected"),
                ("void expected(float* y, int n) {}\n", r"\n\S*scale\.cu:8:58: error: .*(few arguments|no matching function)"),
                ("void expected(int* y) {}\n", r"\n\S*scale\.cu:8:58: memory of numbers with a fraction is passed as integers\n"),
                ("#include \"nothing.h\"\n", r"expected\.cpp:1:\d+: fatal error: ")]:
            self.write("expected.cpp", cpp)
            self.assertRegex(self.dry_run(2).stderr, mistake)
        result = self.call("run", "scale.cu", accidents="no_gpu@start")
        self.assert_exit(result, 2)
        self.assertIn("nothing.h", result.stderr)
        self.write("scale.cu", DESCRIBED.replace("expected.cpp", "other.cpp"))
        self.assertIn("other.cpp, the reference of 'scale', is not there", self.dry_run(2).stderr)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_it_may_be_in_the_file_of_the_kernel(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        text = DESCRIBED.replace("expected.cpp", "scale.cu") + "static void expected(double* y) { y[0] *= FACTOR; }\nint main() { scale<<<1, 1>>>(nullptr); }\n"
        self.write("scale.cu", text)
        environment = {"CUDA_HOME": os.path.dirname(os.path.dirname(nvcc))}
        self.assert_exit(self.call("run", "scale.cu", "--dry-run", **environment), 0)
        self.write("scale.cu", text.replace("y[0] *= FACTOR; }\nint", "y[0] *= FACTORS; }\nint"))
        result = self.call("run", "scale.cu", "--dry-run", **environment)
        self.assert_exit(result, 2)
        self.assertRegex(result.stderr, r"scale\.cu\(9\): error: identifier \"FACTORS\" is undefined")


if __name__ == "__main__":
    unittest.main()
