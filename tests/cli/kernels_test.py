# SPDX-License-Identifier: Apache-2.0
"""Kernels from files: their description, and how they are compiled, with a compiler that only seems to be nvcc."""

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

    def test_measuring_is_refused(self):
        result = self.call("run", "scale.cu")
        self.assert_exit(result, 3)
        self.assertIn("this version cannot measure kernels from files", result.stderr)
        self.assert_nothing_written()

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


if __name__ == "__main__":
    unittest.main()
