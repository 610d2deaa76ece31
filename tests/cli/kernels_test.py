# SPDX-License-Identifier: Apache-2.0
"""Kernels from files: their description, and how they are compiled, with a compiler that only seems to be nvcc."""

import json
import os
import shutil
import unittest

from program import ProgramTest

SOURCE = """\
// rooflinectl: function: scale
// rooflinectl: options: -DFACTOR=2
// rooflinectl: axes: {n: [2^20, 2^28], block: 256}
// rooflinectl: arguments:
// rooflinectl:   y: {inout: f32, count: n}
// rooflinectl: launch: {grid: "ceil_div(n, block)", block: block}
__global__ void scale(float* y) { y[0] *= FACTOR; }
"""
FAKE_NVCC = r"""#!/bin/sh
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.0, V13.0.48"; exit 0; fi
echo "$@" >> "$(dirname "$0")/calls"
if [ -e "$(dirname "$0")/mistake" ]; then echo "scale.cu(7): error: expected a \";\"" >&2; exit 2; fi
while [ "$1" != -o ]; do shift; done
printf '\000_ZN18rooflinectl_kernel6markerIXadL_Z5scalePfEEEE\000.text._Z5otherPf\000.text._Z5scalePf\000' > "$2"
cat >&2 <<'END'
scale.cu(7): warning #177-D: variable "i" was declared but never referenced

ptxas info    : Compiling entry function '_Z5scalePf' for 'sm_90'
ptxas info    : Function properties for _Z5scalePf
    0 bytes stack frame, 12 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers
END
"""


class Kernels(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", SOURCE)
        self.toolkit = self.folder / "toolkit/bin"
        self.toolkit.mkdir(parents=True)
        (self.toolkit / "nvcc").write_text(FAKE_NVCC)
        (self.toolkit / "nvcc").chmod(0o755)

    def environment(self, accidents="", **extra):
        return super().environment(accidents, **dict({"CUDA_HOME": str(self.toolkit.parent)}, **extra))

    def calls(self):
        file = self.toolkit / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def test_a_dry_run_lists_the_points_and_compiles_the_kernel(self):
        result = self.call("run", "scale.cu", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("plan: scale\n", result.stdout)
        self.assertRegex(result.stdout, r"scale +2\^20 +256 +cold +graph\n")
        self.assertRegex(result.stdout, r"scale +2\^28 +256 +cold +graph\n")
        self.assertIn("\nkernels, compiled for sm_90\n"
                      "  scale: 40 registers, 16 bytes spilled; nvcc 13.0.48\n"
                      '    scale.cu(7): warning #177-D: variable "i" was declared but never referenced\n', result.stdout)
        self.assertRegex(self.calls()[0], r"-cubin -arch=sm_90 .* -DFACTOR=2$")
        self.assert_nothing_written()

    def test_compiled_code_is_kept_by_its_content(self):
        self.write("scale.cu", '#include "factor.h"\n' + SOURCE)
        self.write("factor.h", "#define OTHER 1\n")
        first = self.call("run", "scale.cu", "--dry-run")
        self.assertEqual(self.call("run", "scale.cu", "--dry-run").stdout, first.stdout)
        self.assertEqual(len(self.calls()), 1)
        self.write("factor.h", "#define OTHER 2\n")
        self.call("run", "scale.cu", "--dry-run")
        self.assertEqual(len(self.calls()), 2)

    def test_a_compile_error_shows_the_message_at_the_users_line(self):
        (self.toolkit / "mistake").touch()
        result = self.call("run", "scale.cu", "--dry-run")
        self.assert_exit(result, 2)
        self.assertIn('scale does not compile:\nscale.cu(7): error: expected a ";"\n', result.stderr)

    def test_mistakes_are_named_with_file_line_and_column(self):
        self.write("scale.cu", SOURCE.replace("inout: f32", "inout: f33"))
        result = self.call("run", "scale.cu", "--dry-run")
        self.assert_exit(result, 2)
        self.assertIn("scale.cu:5:30: unknown type 'f33'; did you mean 'f32'? (in kernels.scale.n1048576.b256)\n", result.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_plan_names_files_beside_it(self):
        self.write("mine.yaml", "name: mine\nkernels:\n  twice: {source: scales.cu, function: scale, launch: {grid: 1, block: 32}}\n")
        result = self.call("run", "mine.yaml", "--dry-run")
        self.assert_exit(result, 2)
        self.assertIn("mine.yaml:3:19: scales.cu: cannot be read: No such file or directory\n", result.stderr)

    def test_a_folder_is_a_plan_of_all_its_versions(self):
        (self.folder / "ladder").mkdir()
        for name in ["v10.cu", "v2.cu"]:
            self.write(f"ladder/{name}", SOURCE)
        self.write("ladder/common.cu", "// nothing\n")
        result = self.call("run", "ladder/", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("plan: ladder\n", result.stdout)
        self.assertRegex(result.stdout, r"v2 +2\^20 .*\n +v10 +2\^20 .*\n +v2 +2\^28 .*\n +v10 +2\^28 ")

    def test_a_file_without_a_description_is_refused(self):
        self.write("plain.cu", "__global__ void f() {}\n")
        result = self.call("run", "plain.cu", "--dry-run")
        self.assert_exit(result, 2)
        self.assertIn("plain.cu: nothing tells how to launch its kernel", result.stderr)

    def run_of(self, name):
        return json.loads((self.folder / f"runs/{name}/latest/run.json").read_text())

    def test_a_kernel_is_measured(self):
        result = self.call("run", "scale.cu")
        self.assert_exit(result, 0)
        (code,) = self.sent_requests()[0]["compiled_kernels"]
        self.assertEqual((code["kernel"], code["function"], code["architecture"]), ("scale", "scale", 90))
        self.assertEqual(code["symbol"], "_Z5scalePf")
        self.assertTrue(os.path.exists(code["file"]))
        run = self.run_of("scale")
        self.assertEqual([m["axes"]["n"] for m in run["measurements"]], [2**20, 2**28])
        for measured in run["measurements"]:
            self.assertEqual(measured["status"], "ok")
            self.assertNotIn("verification", measured)
        self.assertEqual(run["compiled_kernels"], [code])
        self.assertEqual((code["registers"], code["spill_bytes"], code["compiler"]), (40, 16, "nvcc 13.0.48"))
        self.assertEqual(code["warnings"], ['scale.cu(7): warning #177-D: variable "i" was declared but never referenced'])

    def test_each_architecture_is_compiled_for_once(self):
        result = self.call("run", "scale.cu", "--device", "all", FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 0)
        self.assertEqual(len(self.calls()), 1)
        self.assertEqual(len(self.run_of("scale")["measurements"]), 4)

    def test_without_a_gpu_it_compiles_and_says_what_is_missing(self):
        result = self.call("run", "scale.cu", accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no CUDA device was found; no recording contains any point of this plan", result.stderr)
        self.assertEqual(len(self.calls()), 1)
        (self.toolkit / "mistake").touch()
        self.write("scale.cu", SOURCE + "// changed\n")
        result = self.call("run", "scale.cu", accidents="no_gpu@start")
        self.assert_exit(result, 2)
        self.assertIn("scale does not compile", result.stderr)
        self.assert_nothing_written()

    @unittest.skipIf(os.path.exists("/usr/local/cuda/bin/nvcc"), "the toolkit is where it usually is")
    def test_without_a_compiler_nothing_is_measured(self):
        result = self.call("run", "scale.cu", CUDA_HOME=str(self.folder), PATH="/usr/bin:/bin")
        self.assert_exit(result, 3)
        self.assertIn("no nvcc was found: kernels from files cannot be compiled", result.stderr)
        self.assert_nothing_written()

    def test_a_run_is_resumed_with_the_same_source_and_compiler(self):
        self.assert_exit(self.call("run", "scale.cu", accidents="segv@time:1"), 1)
        folder = (self.folder / "runs/scale/latest").resolve()
        self.assertIn("crashed", self.run_of("scale")["measurements"][1]["cause"])
        (self.toolkit / "nvcc").write_text(FAKE_NVCC.replace("13.0.48", "13.1.2"))
        result = self.call("run", "--resume", folder)
        self.assert_exit(result, 2)
        self.assertIn("compiled by nvcc 13.0.48 when the run began, and now by nvcc 13.1.2", result.stderr)
        (self.toolkit / "nvcc").write_text(FAKE_NVCC)
        self.write("scale.cu", SOURCE + "\n")
        result = self.call("run", "--resume", folder)
        self.assert_exit(result, 2)
        self.assertIn("has changed since the run began", result.stderr)
        self.write("scale.cu", SOURCE)
        self.assert_exit(self.call("run", "--resume", folder), 0)
        self.assertEqual([m["status"] for m in self.run_of("scale")["measurements"]], ["ok", "ok"])

    def test_a_dry_run_prints_the_request_with_the_code(self):
        result = self.call("run", "scale.cu", "--dry-run", "--json")
        self.assert_exit(result, 0)
        (code,) = json.loads(result.stdout)["compiled_kernels"]
        self.assertEqual(code["symbol"], "_Z5scalePf")
        result = self.call("run", "scale.cu", "--dry-run", "--json", accidents="no_gpu@start")
        self.assert_exit(result, 0)
        self.assertEqual(json.loads(result.stdout)["compiled_kernels"], [code])

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_the_real_compiler_instantiates_templates(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        self.write("scale.cu", SOURCE.replace("function: scale", "function: scale<float, {block}>").replace(
            "__global__", "template <typename T, int kBlock> __global__").replace("float* y", "T* y"))
        result = self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"\n  scale<float, 256>: \d+ registers, no spills; nvcc [\d.]+\n")
        self.write("scale.cu", SOURCE.replace("function: scale", "function: scales"))
        result = self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
        self.assert_exit(result, 2)
        self.assertIn('function of scale(1): error: identifier "scales" is undefined', result.stderr)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_arguments_that_the_function_does_not_have_are_refused(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        for parameters, mistake in [
                ("float* y, int n", "1 argument is described, and the function has another number of parameters"),
                ("float y", "'y' is described as memory, and its parameter is no pointer")]:
            self.write("scale.cu", SOURCE.replace("float* y) { y[0] *= FACTOR; }", f"{parameters}) {{}}"))
            result = self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
            self.assert_exit(result, 2)
            self.assertIn("arguments of scale(", result.stderr)
            self.assertIn(mistake, result.stderr)


if __name__ == "__main__":
    unittest.main()
