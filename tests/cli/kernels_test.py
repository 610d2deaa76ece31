# SPDX-License-Identifier: Apache-2.0
"""Kernels from files: their description, and how they are compiled, with a compiler that only seems to be nvcc."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest
from program import SOURCE as SOURCE_FOLDER

SOURCE = """\
// rooflinectl: function: scale
// rooflinectl: options: -DFACTOR=2
// rooflinectl: axes: {n: [2^20, 2^28], block: 256}
// rooflinectl: arguments:
// rooflinectl:   y: {inout: f32, count: n}
// rooflinectl: launch: {grid: "ceil_div(n, block)", block: block}
__global__ void scale(float* y) { y[0] *= FACTOR; }
"""
TUNING = """\
{
  "General": {"BenchmarkName": "scale"},
  "ConfigurationSpace": {
    "TuningParameters": [{"Name": "block_size_x", "Type": "int", "Values": "[64 * i for i in range(1, 3)]", "Default": 64},
                         {"Name": "tile", "Type": "int", "Values": "[1, 2]"}],
    "Conditions": [{"Expression": "tile == 1 or block_size_x > 64", "Parameters": ["tile", "block_size_x"]}]
  },
  "KernelSpecification": {
    "Language": "CUDA",
    "CompilerOptions": ["-std=c++11", "-DFACTOR=3"],
    "KernelName": "scale",
    "KernelFile": "scale.cu",
    "LocalSize": {"X": "block_size_x", "Y": "1"},
    "GlobalSize": {"X": "(1048576 // block_size_x) // tile"},
    "Stream": null,
    "Arguments": [
      {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadWrite", "FillType": "Random", "Size": "1024 * 1024"}
    ]
  }
}
"""
FAKE_NVCC = r"""#!/bin/sh
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.0, V13.0.48"; exit 0; fi
echo "$@" >> "$(dirname "$0")/calls"
if [ -e "$(dirname "$0")/mistake" ]; then echo "scale.cu(7): error: expected a \";\"" >&2; exit 2; fi
while [ "$1" != -o ]; do shift; done
printf '\000_ZN18rooflinectl_kernel6markerIXadL_Z5scalePfEEEE\000.text._Z5otherPf\000.text._Z5scalePf\000' > "$2"
cat >&2 <<'END'
scale.cu(7): warning #177-D: variable "i" was declared but never referenced

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : Compiling entry function '_Z5scalePf' for 'sm_90'
ptxas info    : Function properties for _Z5scalePf
    0 bytes stack frame, 12 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers
END
"""
# Of points with 2^28 elements it finds two errors.
FAKE_SANITIZER = """#!/usr/bin/env python3
import json, sys
arguments = dict(zip(sys.argv, sys.argv[1:]))
request = json.load(open(arguments["--plan"]))
points = [point for e in request["plan"]["experiments"] for point in e["points"]]
(measured,) = set(range(len(points))) - set(request["skip_points"])
assert request["mode"] == "sanitize" and request["compiled_kernels"], request
with open(arguments["--log-file"], "w") as log:
    print("========= COMPUTE-SANITIZER", file=log)
    if points[measured]["axes"]["n"] == 2**28:
        for thread in [96, 97]:
            print("========= Invalid __global__ read of size 4 bytes", file=log)
            print("=========     at scale(float *)+0x70 in /home/me/scale.cu:7", file=log)
            print(f"=========     by thread ({thread},0,0) in block (3,0,0)", file=log)
            print("=========     Access at 0x7f0000000fa0 is out of bounds", file=log)
            print("=========         Host Frame: main [0x1] in app", file=log)
            print("========= ", file=log)
        print("========= ERROR SUMMARY: 2 errors", file=log)
    else:
        print("========= ERROR SUMMARY: 0 errors", file=log)
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
        self.assertRegex(self.calls()[0], r"-cubin .* -arch=sm_90 -DFACTOR=2$")
        self.assert_nothing_written()

    def test_options_may_name_the_architecture(self):
        self.write("scale.cu", SOURCE.replace("-DFACTOR=2", "[-DFACTOR=2, -arch=sm_90a]"))
        self.assert_exit(self.call("run", "scale.cu", "--dry-run"), 0)
        self.assertRegex(self.calls()[0], r" -DFACTOR=2 -arch=sm_90a$")
        self.assertNotIn("-arch=sm_90 ", self.calls()[0])

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

    def test_a_file_of_an_auto_tuner_is_a_plan(self):
        self.write("tuning.json", TUNING)
        result = self.call("run", "tuning.json", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("plan: tuning\n", result.stdout)
        self.assertEqual(re.findall(r"scale +cold +graph +(\d+) +(\d+)\n", result.stdout), [("64", "1"), ("128", "1"), ("128", "2")])
        self.assertIn("\n  scale -Dblock_size_x=128 -Dtile=2 -DFACTOR=3 -Dkernel_tuner=1 -Dblock_size_y=1 -Dblock_size_z=1: 40 registers", result.stdout)
        self.assertRegex("\n".join(self.calls()), r" -arch=sm_90 -Dblock_size_x=64 -Dtile=1 -DFACTOR=3 -Dkernel_tuner=1 -Dblock_size_y=1 ")
        self.assert_exit(self.call("run", "tuning.json"), 0)
        self.assertEqual([m["axes"]["block_size_x"] for m in self.run_of("tuning")["measurements"]], [64, 128, 128])
        self.write("tuning.json", TUNING.replace('"ReadWrite"', '"ReadWrite", "MemType": "Constant"'))
        result = self.call("run", "tuning.json", "--dry-run")
        self.assert_exit(result, 2)
        self.assertRegex(result.stderr, r"tuning.json:17:\d+: 'Constant': rooflinectl fills global memory only\n")

    def test_a_folder_is_a_plan_of_all_its_versions(self):
        (self.folder / "ladder").mkdir()
        for name in ["v10.cu", "v2.cu"]:
            self.write(f"ladder/{name}", SOURCE)
        self.write("ladder/common.cu", "// nothing\n")
        result = self.call("run", "ladder/", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("plan: ladder\n", result.stdout)
        self.assertRegex(result.stdout, r"v2 +2\^20 .*\n +v10 +2\^20 .*\n +v2 +2\^28 .*\n +v10 +2\^28 ")

    def test_new_writes_a_kernel_file(self):
        result = self.call("new", "my-kernel.cu")
        self.assert_exit(result, 0)
        self.assertIn("rooflinectl run my-kernel.cu --dry-run", result.stdout)
        text = (self.folder / "my-kernel.cu").read_text()
        self.assertIn("__global__ void my_kernel_kernel(", text)
        self.assertNotRegex(text, "@|FILE|HEADER")
        (self.toolkit / "mistake").touch()  # the description is read before the compiler is asked
        result = self.call("run", "my-kernel.cu", "--dry-run")
        self.assertIn("my_kernel_kernel<float> does not compile", result.stderr)
        again = self.call("new", "my-kernel.cu")
        self.assert_exit(again, 2)
        self.assertIn("my-kernel.cu: cannot be written: File exists", again.stderr)
        self.assertEqual((self.folder / "my-kernel.cu").read_text(), text)
        for name in ["kernel.txt", "kernel", "my kernel.cu", ".cu"]:
            self.assert_exit(self.call("new", name), 2)
        self.assert_exit(self.call("new", "missing/kernel.cu"), 3)

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

    def test_reports_show_what_the_compiler_made_of_it(self):
        result = self.call("run", "scale.cu")
        self.assert_exit(result, 0)
        self.assertIn("scale (scale for sm_90) spills: its 40 registers per thread do not suffice", result.stdout)
        self.assertIn('scale (scale for sm_90): the compiler warns: scale.cu(7): warning #177-D: variable "i"', result.stdout)
        folder = self.folder / "runs/scale/latest"
        self.assertIn("| kernel scale | scale, nvcc 13.0.48 for sm\\_90: 40 registers, 16 bytes spilled |\n"
                      "| compiler's warning | scale.cu(7): warning", (folder / "summary.md").read_text())

    def test_versions_in_a_folder_are_a_ladder(self):
        (self.folder / "ladder").mkdir()
        work = "// rooflinectl: work: {read: 4 * n, written: 4 * n, flops: n}\n"
        self.write("ladder/v1.cu", SOURCE + work)
        self.write("ladder/v2.cu", SOURCE + work + "// rooflinectl: reference: v1\n")
        self.assert_exit(self.call("run", "ladder"), 0)
        folder = self.folder / "runs/ladder/latest"
        self.assertIn("- v1 2²⁰ → v2 2²⁰: 2.00× slower\n- v1 2²⁸ → v2 2²⁸: 1.33× slower\n", (folder / "summary.md").read_text())
        explained = self.call("explain", folder).stdout
        self.assertIn("  register-spills: Registers do not suffice", explained)
        self.assertIn("    bytes spilled per thread: 16, registers per thread: 40\n", explained)
        verified = {m["subject"]: "verification" in m for m in self.run_of("ladder")["measurements"]}
        self.assertEqual(verified, {"v1": False, "v2": True})

    def test_runs_of_it_are_compared_and_followed_like_others(self):
        for _ in range(2):
            self.assert_exit(self.call("run", "scale.cu"), 0)
        runs = sorted(path for path in (self.folder / "runs/scale").iterdir() if not path.is_symlink())
        self.assertIn("2 points: 2 same", self.call("compare", *runs).stdout)
        self.assertIn("PASSED", self.call("gate", *runs).stdout)
        self.assert_exit(self.call("run", "scale.cu", accidents="sluggish@device:0"), 0)
        slower = (self.folder / "runs/scale/latest").resolve()
        self.assertIn("2 points: 2 slower", self.call("compare", runs[0], slower).stdout)
        self.assert_exit(self.call("gate", runs[0], slower), 4)
        self.assertRegex(self.call("history", "runs/scale").stdout, r"(?m)^scale 2\^28 .* \+10\.0 %")

    def test_a_recording_is_replayed_for_the_same_source_alone(self):
        self.assert_exit(self.call("run", "scale.cu"), 0)
        recording = (self.folder / "runs/scale/latest").resolve()
        result = self.call("run", "scale.cu", "--replay", recording, CUDA_HOME=str(self.folder))
        self.assert_exit(result, 0)
        self.assertIn("replayed, not measured", result.stdout)
        self.write("scale.cu", SOURCE.replace("y[0] *=", "y[0] +="))
        result = self.call("run", "scale.cu", "--replay", recording, CUDA_HOME=str(self.folder))
        self.assert_exit(result, 3)
        self.assertIn("contains no point of this plan", result.stderr)

    def sanitizer(self, text=FAKE_SANITIZER):
        (self.toolkit / "compute-sanitizer").write_text(text)
        (self.toolkit / "compute-sanitizer").chmod(0o755)
        return {"PATH": f"{self.toolkit}:{self.environment()['PATH']}"}

    def test_points_with_errors_in_memory_fail(self):
        self.write("scale.cu", SOURCE + "// rooflinectl: cache: [cold, warm]\n")
        result = self.call("run", "scale.cu", "--sanitize", **self.sanitizer())
        self.assert_exit(result, 1)
        finding = "compute-sanitizer: Invalid __global__ read of size 4 bytes at scale.cu:7, by thread (96,0,0) in block (3,0,0); 2 errors"
        for measured in self.run_of("scale")["measurements"]:
            if measured["axes"]["n"] == 2**28:
                self.assertEqual((measured["status"], measured["cause"]), ("unverified", finding))
                self.assertNotIn("time", measured)
            else:
                self.assertEqual(measured["status"], "ok")
        self.assertIn(finding, result.stdout.replace("\n", " "))
        self.assertIn("compute-sanitizer: Invalid", (self.folder / "runs/scale/latest/summary.md").read_text())

    def test_a_sanitizer_that_does_not_work_is_named(self):
        self.assertNotIn("compute-sanitizer", os.listdir(self.toolkit))
        if not shutil.which("compute-sanitizer"):
            result = self.call("run", "scale.cu", "--sanitize")
            self.assert_exit(result, 3)
            self.assertIn("--sanitize: compute-sanitizer was not found", result.stderr)
        result = self.call("run", "scale.cu", "--sanitize", **self.sanitizer("#!/bin/sh\necho no driver >&2; exit 7\n"))
        self.assert_exit(result, 3)
        self.assertIn("compute-sanitizer exited with code 7: no driver", result.stderr)
        result = self.call("run", "plan.yaml", "--sanitize", **self.sanitizer())
        self.assert_exit(result, 2)
        self.assertIn("--sanitize: the plan has no kernels from CUDA files", result.stderr)
        self.assert_nothing_written()

    def test_watch_measures_again_at_each_save(self):
        with open(self.folder / "output", "w") as output:
            process = subprocess.Popen([PROGRAM, "run", "scale.cu", "--watch"], cwd=self.folder, stdout=output, stderr=subprocess.STDOUT,
                                       env=self.environment())
        self.addCleanup(process.kill)

        def wait_for(text, count):
            for _ in range(600):
                printed = (self.folder / "output").read_text()
                if printed.count(text) >= count:
                    return printed
                time.sleep(0.05)
            self.fail(f"never printed {text!r} {count} times: {printed}")
        waiting = "waiting for changes in scale.cu; Ctrl-C ends\n"
        self.assertNotIn("since the last version", wait_for(waiting, 1))
        (self.toolkit / "mistake").touch()
        self.write("scale.cu", SOURCE + "// no longer right\n")
        self.assertIn('scale does not compile:\nscale.cu(7): error: expected a ";"', wait_for(waiting, 2))
        (self.toolkit / "mistake").unlink()
        self.write("scale.cu", SOURCE.replace("2^20, ", "2^21, "))
        self.assertRegex(wait_for(waiting, 3), r"(?m)^since the last version: .*2\^20 missing, .*2\^21 added, 1 point same$")
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(timeout=10), 0)

    def test_without_declared_work_only_what_was_executed_is_shown(self):
        result = self.call("run", "scale.cu")
        self.assertRegex(result.stdout, r"\nscale 2\^28 +2\^28 +– +graph +200.0 µs +– +– ")
        explained = self.call("explain", self.folder / "runs/scale/latest").stdout
        self.assertIn("no roof: L2 bytes, operations, L1 bytes, FP64 operations, ", explained)
        self.assertNotIn("declared work is wrong", explained)

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

    def has_nvrtc(self):
        script = (SOURCE_FOLDER / "runner/compiling/nvrtc.py").read_text()
        return subprocess.run(["python3", "-c", script, "--version"], capture_output=True, check=False).returncode == 0

    def test_nvrtc_compiles_where_there_is_no_nvcc(self):
        if not self.has_nvrtc():
            self.skipTest("requires NVRTC")
        (self.folder / "ladder").mkdir()
        self.write("ladder/v1.cu", "#include <cuda_fp16.h>\n" + SOURCE.replace("function: scale", "function: scale<float, {block}>").replace(
            "__global__", "template <typename T, int kBlock> __global__").replace("float* y", "T* y"))
        self.write("ladder/v2.cu", SOURCE)
        # A toolkit without nvcc, with what the usual one has else.
        toolkit = self.folder / "library"
        toolkit.mkdir()
        for name in ["lib64", "include"]:
            (toolkit / name).symlink_to(f"/usr/local/cuda/{name}")
        environment = {"CUDA_HOME": str(toolkit)}
        result = self.call("run", "ladder", "--dry-run", **environment)
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"\n  v1, scale<float, 256>: \d+ registers, no spills; NVRTC [\d.]+\n  v2, scale: \d+ registers")
        self.write("ladder/v1.cu", SOURCE.replace("function: scale", "function: scales"))
        self.write("ladder/v2.cu", SOURCE.replace("float* y", "double* y"))
        result = self.call("run", "ladder", "--dry-run", **environment)
        self.assert_exit(result, 2)
        self.assertIn('ladder/v1.cu:1:27: error: identifier "scales" is undefined\n', result.stderr)
        self.assertIn("ladder/v2.cu:5:19: 'y' is described as memory of f32, and its parameter points to another type\n", result.stderr)

    @unittest.skipIf(os.path.exists("/usr/local/cuda/bin/nvcc"), "the toolkit is where it usually is")
    def test_without_a_compiler_nothing_is_measured(self):
        result = self.call("run", "scale.cu", CUDA_HOME=str(self.folder), PATH="/usr/bin:/bin")
        self.assert_exit(result, 3)
        self.assertIn("no nvcc was found, nor an NVRTC that python3 can load: kernels from files cannot be compiled", result.stderr)
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
        self.assertRegex(result.stdout, r"\n  scale, scale<float, 256>: \d+ registers, no spills; nvcc [\d.]+\n")
        self.write("scale.cu", SOURCE.replace("function: scale", "function: scales"))
        result = self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
        self.assert_exit(result, 2)
        self.assertIn('scale.cu:1:27: scales does not compile:\nscale.cu:1:27: error: identifier "scales" is undefined\n', result.stderr)
        self.assertEqual(result.stderr.count("error: "), 1)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_the_real_compilers_messages_are_those_on_the_users_lines(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        (self.folder / "ladder").mkdir()
        template = SOURCE.replace("__global__", "template <typename T, int kBlock> __global__")
        described = "function: scale"
        for name, text in {
                "v1_include": '#include "nothing.h"\n' + SOURCE,
                "v2_type": template.replace(described, "function: scale<floot, 256>"),
                "v3_order": template.replace(described, "function: scale<256, float>"),
                "v4_few": template.replace(described, "function: scale<float>"),
                "v5_open": template.replace(described, "function: scale<float, 256"),
                "v6_syntax": SOURCE.replace("FACTOR;", "FACTOR").replace("2^20, 2^28", "2^20").replace("256}", "[128, 256]}").replace(
                    described, "function: scale<{block}>").replace("__global__", "template <int kBlock> __global__"),
                "v7_host": SOURCE.replace("__global__ ", "")}.items():
            self.write(f"ladder/{name}.cu", text)
        result = self.call("run", "ladder", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
        self.assert_exit(result, 2)
        lines = result.stderr.splitlines()
        errors = [line.removeprefix(str(self.folder) + "/") for line in lines if "error: " in line]
        self.assertEqual([re.split(r"(?<=error): ", line)[0] for line in errors], [
            "ladder/v1_include.cu:1:10: fatal error", "ladder/v2_type.cu:1:27: error", "ladder/v3_order.cu:1:27: error",
            "ladder/v4_few.cu:1:27: error", "ladder/v5_open.cu:1:27: error", "ladder/v6_syntax.cu(7): error"])
        self.assertIn("ladder/v7_host.cu:1:27: scale is no kernel (__global__)", result.stderr)
        self.assertNotIn("rooflinectl_kernel", result.stderr)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_the_real_compiler_takes_the_new_file_and_the_examples(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        self.assert_exit(self.call("new", "double.cu"), 0)
        for plan, kernels in [("double.cu", ["double_kernel<float>", "double_kernel<__half>"]),
                              (SOURCE_FOLDER / "examples/versions", ["scale<256>"] * 3),
                              (SOURCE_FOLDER / "examples/ladder", ["global", "shared", "strided", "sequential", "add_on_load",
                                                                   "last_warp", "shuffle"])]:
            result = self.call("run", plan, "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
            self.assert_exit(result, 0)
            compiled = re.findall(r"\n  (?:\w+, )?(\S+): \d+ registers, no spills; nvcc", result.stdout)
            self.assertEqual(compiled, kernels)
            self.assertNotIn("warning", result.stdout)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_the_machine_code_tells_whether_halves_are_computed_or_converted(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        half = SOURCE.replace("f32", "f16").replace("float* y", "__half* y").replace("// rooflinectl: function", "#include <cuda_fp16.h>\n// rooflinectl: function")
        self.write("scale.cu", half.replace("y[0] *= FACTOR", "y[0] = __float2half(FACTOR * __half2float(y[0]))"))
        self.write("other.cu", half.replace("y[0] *= FACTOR", "y[0] = __hmul(y[0], y[1])"))
        for file, has_half_arithmetic in [("scale.cu", False), ("other.cu", True)]:
            result = self.call("run", file, "--dry-run", "--json", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
            self.assert_exit(result, 0)
            (code,) = json.loads(result.stdout)["compiled_kernels"]
            self.assertIs(code["has_half_arithmetic"], has_half_arithmetic)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_arguments_that_the_function_does_not_have_are_refused(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        for parameters, mistake in [
                ("float* y, int n", "1 argument is described, and the function has another number of parameters"),
                ("float y", "'y' is described as memory, and its parameter is no pointer"),
                ("double* y", "'y' is described as memory of f32, and its parameter points to another type"),
                ("int* y", "'y' is described as memory of f32, and its parameter points to another type"),
                ("const float* y", "'y' is described as written, and its parameter points to what is constant")]:
            self.write("scale.cu", SOURCE.replace("float* y) { y[0] *= FACTOR; }", f"{parameters}) {{}}"))
            result = self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
            self.assert_exit(result, 2)
            place = "scale.cu:1:27: " if mistake.startswith("1") else "scale.cu:5:19: "
            self.assertTrue(any(line == place + mistake for line in result.stderr.splitlines()), result.stderr)
        for parameters in ["float4* y", "void* y", "char* __restrict__ y"]:
            self.write("scale.cu", SOURCE.replace("float* y) { y[0] *= FACTOR; }", f"{parameters}) {{}}"))
            self.assert_exit(self.call("run", "scale.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc))), 0)

    @unittest.skipUnless(shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc"), "requires nvcc")
    def test_scalars_have_the_type_that_is_described(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        self.assert_exit(self.call("new", "double.cu"), 0)
        text = (self.folder / "double.cu").read_text()
        for scalar in ["scalar: f32, value: n", "scalar: i64, value: n"]:
            self.write("double.cu", text.replace("scalar: i32, value: n", scalar))
            result = self.call("run", "double.cu", "--dry-run", CUDA_HOME=os.path.dirname(os.path.dirname(nvcc)))
            self.assert_exit(result, 2)
            self.assertIn("'n' is described as a scalar, ", result.stderr)


if __name__ == "__main__":
    unittest.main()
