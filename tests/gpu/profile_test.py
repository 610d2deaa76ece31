#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl profile` on a real GPU: whether its numbers are those of known work, and what happens on bad days. Prints a
line per program.

usage: profile_test.py [--install FOLDER] [--rooflinectl FILE] [--programs FOLDER] [--only NAME]... [--keep FOLDER]
                       [--list]

--install is a folder that `cmake --install` made; --programs is the folder with `rooflinectl-profiled-programs`,
`rooflinectl-profiled-device-launches` and `rooflinectl-profiled-tensor`, by default that of rooflinectl. --only runs the tests whose names contain NAME; --keep leaves all runs and output there. Exits with 77 where
there is no GPU."""

import argparse
import contextlib
import gzip
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from this_machine import no_gpu

HERE = pathlib.Path(__file__).resolve().parent
PYTHON_PROGRAMS = HERE / "profiled/python_programs.py"
SKIPPED = 77
TIME_LIMIT_S = 45

FLOAT_OPERATIONS = ["fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"]
OPERATIONS = [*FLOAT_OPERATIONS, "integer_ops", "shared_bytes", "warp_instructions_sass", "branch_targets",
              "branch_targets_divergent", "shared_load_instructions", "shared_store_instructions"]

rooflinectl = None  # of the command line
programs = None
kept = None


def library_path():
    """Also of the libraries that came with Python packages: a machine may have no others."""
    spec = importlib.util.find_spec("nvidia")
    folders = [str(folder) for root in (spec.submodule_search_locations if spec else []) for folder in
               pathlib.Path(root).glob("**/lib")]
    return ":".join([*filter(None, [os.environ.get("LD_LIBRARY_PATH")]), *folders])


class ProfileTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.profiled = self.timeline = None  # the run, and what lies beside it
        self.output = self.errors = ""

    def environment(self, **extra):
        """With a collector that measures nothing, no time is spent on ceilings."""
        collector = self.folder / "collector"
        if not collector.exists():
            collector.write_text(f"""\
#!/bin/sh
case "$1" in --devices|--checks|--catalogue|--watch) exec {self.collector()} "$@";; esac
exit 1
""")
            collector.chmod(0o755)
        return dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"), ROOFLINECTL_COLLECTOR=str(collector), **extra)

    @staticmethod
    def collector():
        return rooflinectl.with_name("rooflinectl-collector")

    def call(self, command, limit=TIME_LIMIT_S, environment=None):
        """Runs it, and ends it with all of its children when it takes too long."""
        begin = time.monotonic()
        with subprocess.Popen(list(map(str, command)), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", env=environment or self.environment(),
                              start_new_session=True) as process:
            try:
                self.output, self.errors = process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.output, self.errors = process.communicate()
                self.fail(f"hung: not done after {limit} s\n{self.output}{self.errors}")
        self.code, self.seconds = process.returncode, time.monotonic() - begin
        return self.code

    def profile(self, *program, options=("--once",), limit=TIME_LIMIT_S, **extra):
        """Profiles one of our programs, and returns the run."""
        return self.profile_command([programs, *program], options, limit, **extra)

    def profile_python(self, name, options=("--once",), **extra):
        return self.profile_command([sys.executable, PYTHON_PROGRAMS, name], options, **extra)

    def profile_command(self, command, options=(), limit=TIME_LIMIT_S, **extra):
        runs = self.folder / f"runs-{time.monotonic_ns()}"
        try:
            self.call([rooflinectl, "profile", "--quiet", "--output", runs, *options, "--", *command], limit,
                      self.environment(**extra))
        finally:
            self.keep(runs)
        if self.code == SKIPPED:
            self.skipTest(next((line for line in self.output.splitlines() if line.startswith("skipped")), "skipped"))
        files = list(runs.glob("*/*Z/run.json"))
        self.profiled = json.loads(files[0].read_text()) if files else None
        timelines = list(runs.glob("*/*Z/timeline.json.gz"))
        self.timeline = json.loads(gzip.decompress(timelines[0].read_bytes())) if timelines else None
        return self.profiled

    def keep(self, runs):
        if kept is None:
            return
        folder = kept / f"{self.id().split('.')[-1].removeprefix('test_')}-{runs.name.split('-')[-1]}"
        folder.mkdir(parents=True)
        (folder / "output").write_text(self.output)
        (folder / "errors").write_text(self.errors)
        for file in [*runs.glob("*/*Z/run.json"), *runs.glob("*/*Z/timeline.json.gz"), *runs.glob("*/*Z/records-*/*")]:
            shutil.copy(file, folder)

    def tell(self, result=""):
        """A line of the log."""
        name = self.id().split(".")[-1].removeprefix("test_")
        problems = [problem["cause"] + (f" ({problem['subject'][:40]})" if problem.get("subject") else "")
                    for problem in (self.profiled or {}).get("application", {}).get("problems", [])
                    if "the ceilings of GPU" not in problem["cause"]]
        print(f"{name} | {self.code} | {self.seconds:.1f} s | {result}{'; ' if result and problems else ''}{'; '.join(problems)}",
              flush=True)

    def assert_code(self, code):
        self.assertEqual(self.code, code, self.output + self.errors)

    def problems(self):
        return "\n".join(problem["cause"] for problem in self.profiled["application"].get("problems", []))

    def points(self, word):
        """Whose kernel has this word in its name."""
        return [point for point in self.profiled["measurements"] if word in point["subject"]]

    def point(self, word):
        found = self.points(word)
        subjects = [(point["subject"][:60], point["axes"]) for point in self.profiled["measurements"]]
        self.assertEqual(len(found), 1, f"{word} in {subjects}\n{self.errors}")
        return found[0]

    def launches(self, word):
        return sum(point["launches"]["count"] for point in self.points(word))

    def steps(self):
        return int(re.search(r"(\d+) steps", self.output)[1])

    def counted(self, point, key):
        """A number, or 0 where it was not counted because nothing of it ran."""
        value = point["counters"].get(key, 0)
        self.assertIsInstance(value, (int, float), f"{key} of {point['subject'][:60]}: {value}")
        return value

    def assert_counted(self, point, **expected):
        for key, value in expected.items():
            self.assertEqual(self.counted(point, key), value, f"{key} of {point['subject'][:60]}")

    def assert_near(self, value, expected, share, what=""):
        self.assertLessEqual(abs(value - expected), share * expected, f"{what}: {value} instead of {expected}")


class KnownWork(ProfileTest):
    """Counters are those of work that is known, to the last digit."""

    def assert_saxpy(self, point, elements, **operations):
        """One multiply-add for each element, or other operations."""
        self.assert_counted(point, **{key: operations.get(key, 0) for key in FLOAT_OPERATIONS})
        self.assert_near(self.counted(point, "l2_bytes"), 12 * elements, 0.001, "bytes of L2")
        self.assert_near(self.counted(point, "dram_read_bytes"), 8 * elements, 0.02, "bytes read")
        self.assert_near(self.counted(point, "dram_write_bytes"), 4 * elements, 0.1, "bytes written")

    def test_every_way_to_launch(self):
        kinds = {"plain": "PlainLaunch", "long-name": "integer_sequence", "ended-thread": "EndedThread",
                 "cooperative": "saxpy_cooperative", "cluster": "saxpy_cluster", "programmatic": "saxpy_programmatic",
                 "driver": "DriverLaunch>", "driver-attributes": "DriverLaunchWithAttributes",
                 "stream-per-thread": "StreamPerThread"}
        self.profile("launches", *kinds, options=())
        self.assert_code(0)
        found = []
        for kind, word in kinds.items():
            with self.subTest(kind):
                point = self.point(word)
                self.assertEqual(point["launches"]["count"], self.steps() * (2 if kind == "stream-per-thread" else 1))
                self.assertGreater(point["time"]["median_s"], 0)
                if kind == "plain":
                    self.assert_saxpy(point, 1 << 26, ffma=1 << 26)
                self.assert_counted(point, **{key: 1 << (26 if kind == "plain" else 22) if key == "ffma" else 0
                                              for key in FLOAT_OPERATIONS})
                found.append(kind)
        self.assertEqual(self.point("saxpy_cluster")["axes"]["cluster"], 4)
        self.assertLessEqual(len(self.point("integer_sequence")["subject"]), 4096)
        self.tell(f"{self.steps()} steps, exact: {', '.join(found)}")

    def test_long_kernels(self):
        self.profile("long-kernels", options=())
        self.assert_code(0)
        for word, launches, times in [("Once", 1, 700), ("FiveTimes", 5, 350)]:
            point = self.point(word)
            self.assertEqual(point["launches"]["count"], launches)
            self.assert_near(self.counted(point, "l2_bytes"), 12 * times << 26, 0.01, f"bytes of L2 of {word}")
        self.tell(f"{self.point('Once')['time']['median_s']:.2f} s once, {self.point('FiveTimes')['time']['median_s']:.2f} s five times")

    def test_failing_launches(self):
        self.profile("failing-launches")
        self.assert_code(0)
        points = [point for point in self.points("BesideFailures") if point["launches"]["count"] > 0]
        self.assertEqual([point["launches"]["count"] for point in points], [self.steps()])
        self.assert_near(self.counted(points[0], "l2_bytes"), 12 << 26, 0.001, "bytes of L2")
        self.assert_near(self.counted(points[0], "dram_read_bytes"), 8 << 26, 0.02, "bytes read")
        self.assertRegex(self.problems(), "launches failed with CUDA_ERROR_")
        self.tell(f"{self.steps()} launches beside as many that failed")

    def test_functions_of_cuda_1(self):
        self.profile("launches", "cuda-1")
        self.assert_code(0)
        self.assertEqual(self.point("counts_blocks")["launches"]["count"], self.steps())
        self.tell(f"{self.steps()} launches by cuLaunchGrid")

    def test_products_of_cublas(self):
        operations = 2 * 4096**3
        types = {"f64": "tensor_f64_ops", "tf32": "tensor_tf32_ops", "f16": "tensor_f16_ops", "bf16": "tensor_bf16_ops",
                 "i8": "tensor_i8_ops"}
        self.profile("products", "f32", *types, options=(), limit=80, LD_LIBRARY_PATH=library_path())
        self.assert_code(0)
        told = []
        for name, key in types.items():
            with self.subTest(name):
                values = {point["subject"]: point["counters"].get(key) for point in self.profiled["measurements"]}
                found = [subject for subject, value in values.items() if value == operations]
                self.assertTrue(found, f"{key} is nowhere {operations}: {values}")
                told.append(f"{name} by {found[0][:30]}")
        with self.subTest("f32"):
            counted = [point for point in self.profiled["measurements"] if isinstance(point["counters"].get("ffma"), (int, float))]
            most = max(counted, key=lambda point: point["counters"]["ffma"])
            epilogue = {key: (most["counters"][key] - (operations // 2 if key == "ffma" else 0)) / 4096**2
                        for key in ["ffma", "fmul", "fadd"]}
            self.assertTrue(all(0 <= value <= 2 and value == int(value) for value in epilogue.values()), epilogue)
            told.append(f"f32 mnk FFMA and for each result {epilogue}")
        self.tell(f"{self.profiled['application']['runs']} runs; exactly 2mnk: {', '.join(told)}")

    def profile_tensor(self, *kinds, options=()):
        self.profile_command([programs.with_name("rooflinectl-profiled-tensor"), "products", *kinds], options, 80)
        self.assert_code(0)
        return {use["pass"] for use in self.profiled["application"]["passes"]}

    def test_tensor_operations_from_the_code(self):
        """264 blocks of four warps, each with 512 instructions: their operations are known after one run without any pass by type."""
        kinds = {"warp-bf16": ("WarpBf16,", "bf16", 2 * 16 * 8 * 16), "warp-f16": ("WarpF16,", "f16", 2 * 16 * 8 * 16),
                 "warp-tf32": ("WarpTf32,", "tf32", 2 * 16 * 8 * 8), "warp-i8": ("WarpI8,", "i8", 2 * 16 * 8 * 32),
                 "warp-f64": ("WarpF64,", "f64", 2 * 8 * 8 * 4), "group-bf16": ("GroupBf16,", "bf16", 2 * 64 * 64 * 16 // 4),
                 "group-f8": ("GroupF8,", "f8", 2 * 64 * 64 * 32 // 4), "group-i8": ("GroupI8,", "i8", 2 * 64 * 64 * 32 // 4)}
        passes = self.profile_tensor(*kinds, options=("--once",))
        self.assertFalse({name for name in passes if name.startswith("tensor_")}, passes)
        instructions = 264 * 4 * 512
        for word, type, operations in kinds.values():
            with self.subTest(word):
                point = self.point(word)
                self.assert_counted(point, tensor_pipe_instructions=instructions,
                                    **{f"tensor_{other}_ops": instructions * operations if other == type else 0
                                       for _, other, _ in kinds.values()})
        self.tell(f"exact: {', '.join(kinds)}")

    def test_tensor_operations_of_two_types(self):
        """Which the code does not tell: they are counted by type."""
        passes = self.profile_tensor("warp-bf16-and-f16")
        self.assertTrue({"tensor_bf16", "tensor_f16"} <= passes, passes)
        self.assert_counted(self.point("WarpBf16AndF16"), tensor_bf16_ops=264 * 4 * 512 * 4096, tensor_f16_ops=264 * 4 * 512 * 4096)
        self.tell("exact, in passes by type")

    def test_launches_that_differ(self):
        for launches in [25, 48]:
            with self.subTest(launches=launches):
                self.profile("steps-that-differ", launches, 10)
                self.assert_code(0)
                known = float(re.search(r"(\S+) FFMA in a launch", self.output)[1])
                point = self.point("repeat_fma")
                self.tell(f"{launches} launches a step, counted by period {point['launches'].get('period')}, "
                          f"{self.counted(point, 'ffma') / known:.6f} of the known FFMA")
                self.assertEqual(point["launches"]["period"] % launches, 0)
                self.assert_near(self.counted(point, "ffma"), known, 1e-6, "ffma")
                self.assert_clusters(point, known)

    def assert_clusters(self, point, known):
        """Means of the clusters of work, by their shares, are the mean."""
        clusters = point["launches"].get("clusters")
        self.tell(f"clusters: {clusters}")
        if clusters and clusters["counter"] == "ffma":
            self.assertAlmostEqual(sum(part["share"] for part in clusters["parts"]), 1, places=6)
            self.assert_near(sum(part["share"] * part["mean"] for part in clusters["parts"]), known, 1e-6, "mean of clusters")

    def test_transforms_of_cufft(self):
        self.profile("transforms", options=(), LD_LIBRARY_PATH=library_path())
        self.assert_code(0)
        self.assert_transform()

    def assert_transform(self):
        """2^25 complex elements, 4096 at once: two passes at most through memory, and 4 to 6 operations for each element and
        level of a radix-2 transform."""
        elements = 1 << 25
        flops = read = written = 0
        transforms = [point for point in self.profiled["measurements"] if "fft" in point["subject"].lower()]
        for point in transforms:
            flops += sum(self.counted(point, key) for key in ["fadd", "fmul"]) + 2 * self.counted(point, "ffma")
            read += self.counted(point, "dram_read_bytes")
            written += self.counted(point, "dram_write_bytes")
        self.assertIn(len(transforms), [1, 2])
        self.assert_near(read, len(transforms) * 8 * elements, 0.02, "bytes read")
        self.assert_near(written, len(transforms) * 8 * elements, 0.1, "bytes written")
        per_level = flops / elements / 12
        self.assertTrue(2.5 < per_level < 6, per_level)
        self.tell(f"{per_level:.2f} operations per element and level (radix 2: 5), bytes as expected")

    def test_source_lines(self):
        self.profile("source-lines", options=("--once",))
        self.assert_code(0)
        sampled = self.point("follows")["launches"]["sampled"]
        hottest = sampled["lines"][0]
        source = pathlib.Path(__file__).with_name("profiled") / "source_lines.cu"
        lines = source.read_text().splitlines() if source.exists() else []
        self.assertTrue(hottest["file"].endswith("/profiled/source_lines.cu"), hottest)
        if lines:
            self.assertIn("next[at]", lines[hottest["line"] - 1])
        self.assertEqual(hottest["stall"], "long_scoreboard", hottest)
        self.assertGreater(hottest["stalled"], 0.5 * sampled["samples"], sampled)
        self.assertLessEqual(sum(line["samples"] for line in sampled["lines"]), sampled["samples"])
        self.tell(f"{sampled['samples']} samples, {hottest['samples'] / sampled['samples']:.1%} at one line")

    def test_cupy(self):
        self.profile_python("cupy_saxpy", options=())
        self.assert_code(0)
        self.assert_saxpy(self.point("saxpy"), 1 << 26, ffma=1 << 26)
        self.tell("exact")

    def test_triton(self):
        self.profile_python("triton_add", options=())
        self.assert_code(0)
        self.assert_saxpy(self.point("add_kernel"), 1 << 26, fadd=1 << 26)
        self.tell("exact")

    def test_jax(self):
        self.profile_python("jax_multiply_add", options=())
        self.assert_code(0)
        point = max(self.profiled["measurements"], key=lambda point: point["launches"]["total_s"])
        operations = {key: self.counted(point, key) / (1 << 26) for key in FLOAT_OPERATIONS}
        self.assertEqual(operations["ffma"] * 2 + operations["fadd"] + operations["fmul"], 2, operations)
        self.tell(f"{point['subject']}: two operations per element")

    def test_our_own_collector(self):
        """Its points as a program: operations are those of `run`, bytes differ by 2 % at most."""
        (self.folder / "plan.yaml").write_text("""\
name: exact
ceilings: dram_read
defaults: {sizes: 2^26, timing: {time_limit: 0.1 s}}
experiments:
  sums:
    variants: [reduce_v3_sequential, reduce_v4_add_on_load, reduce_v6_unroll_complete, reduce_v8_warp_shuffle, sum_smem_tree,
               sum_block_shuffle, sum_last_block, sum_vector]
  types: {variants: [sum_block_shuffle], dtypes: [f64, bf16, i32]}
""")
        environment = self.environment() | {"ROOFLINECTL_COLLECTOR": str(self.collector())}
        self.call([rooflinectl, "run", "plan.yaml", "--output", "measured"], environment=environment)
        self.assert_code(0)
        measured = json.loads(next((self.folder / "measured/exact").glob("*Z/run.json")).read_text())
        self.call([rooflinectl, "run", "plan.yaml", "--dry-run", "--json"], environment=environment)
        (self.folder / "plan.json").write_text(self.output)
        run = self.profile_command([self.collector(), "--plan", "plan.json", "--mode", "once"], limit=100)
        self.assert_code(0)
        by_range = {}
        for point in run["measurements"]:
            by_range.setdefault(point["axes"].get("path", "").split("/")[0], []).append(point)
        largest = 0
        for point in measured["measurements"]:
            axes = point["axes"]
            name = f"{point['experiment']}.{point['subject']}.{axes['dtype']}.n{axes['n']}.b{axes['block']}" + \
                   (f".e{axes['elements']}" if "elements" in axes else "") + f".{axes['cache']}"
            with self.subTest(name):
                self.assertIn(name, by_range)
                sums = lambda key: sum(self.counted(kernel, key) for kernel in by_range[name])
                for key in OPERATIONS:
                    self.assertEqual(sums(key), self.counted(point, key), key)
                for key, share in [("l1_bytes", 1e-6), ("l2_bytes", 0.001)]:
                    self.assert_near(sums(key), self.counted(point, key), share, key)
                dram = [reader("dram_read_bytes") + reader("dram_write_bytes")
                        for reader in (sums, lambda key: self.counted(point, key))]
                largest = max(largest, abs(dram[0] / dram[1] - 1))
                self.assert_near(*dram, 0.02, "bytes of DRAM")
        self.tell(f"{run['application']['runs']} runs: operations of {len(measured['measurements'])} points are those of `run`, "
                  f"bytes of DRAM differ by {100 * largest:.2f} % at most")


class Graphs(ProfileTest):
    def test_whole_graph(self):
        self.profile("graph", options=["--whole-graphs"])
        self.assert_code(0)
        point = self.point("CUDA graph")
        self.assertEqual(point["launches"]["count"], self.steps())
        self.assertEqual(self.launches("OutsideOfGraph"), self.steps())
        self.assertEqual(point["launches"]["graph_nodes"], 3)
        (kernel,) = point["launches"]["graph_kernels"]  # and none of CUPTI's
        self.assertIn("InGraph", kernel["kernel"])
        self.assertEqual(kernel["launches"], 3 * point["launches"]["traced"])
        self.assert_near(self.counted(point, "l2_bytes"), 3 * 12 << 20, 0.01, "bytes of L2")
        operations = point["counters"]["ffma"]
        self.assertTrue(operations == 3 << 20 or "unavailable" in operations, operations)
        self.tell(f"{point['launches']['count']} graphs of 3 launches; ffma: {operations}")

    def test_kernels_in_a_graph(self):
        """Its kernels are counted as if the program had launched each."""
        self.profile("graph", options=["--once"])
        self.assert_code(0)
        point = self.point("InGraph")
        self.assertRegex(point["axes"]["path"], "CUDA graph of 3 nodes")
        self.assertEqual(point["launches"]["count"], 3 * self.steps())
        self.assertEqual(self.launches("OutsideOfGraph"), self.steps())
        self.assertEqual(self.points("CUDA graph"), [])
        self.assert_near(self.counted(point, "l2_bytes"), 12 << 20, 0.01, "bytes of L2")
        self.assertEqual(self.counted(point, "ffma"), 1 << 20)
        self.tell(f"{self.steps()} graphs of 3 launches, of which {point['launches']['counted']} were counted")

    def assert_runs(self, program, word):
        """It runs to its end; what is known about the kernels that no call launches is reported."""
        self.profile_command([programs.with_name("rooflinectl-profiled-device-launches"), program], ["--once"])
        self.assert_code(0)
        self.assertEqual(self.launches(word), 200)
        inside = [kernel for point in self.points("CUDA graph") for kernel in point["launches"].get("graph_kernels", [])]
        kernels = {kernel["kernel"][:50]: kernel["launches"] for kernel in inside}
        kernels.update((point["subject"][:50], point["launches"]["count"]) for point in self.profiled["measurements"])
        self.tell(f"seen: {kernels}")

    def test_conditional_graph(self):
        self.assert_runs("conditional-graph", "CUDA graph")

    def test_graph_launched_by_a_kernel(self):
        self.assert_runs("device-graph", "CUDA graph")

    def test_kernels_launched_by_a_kernel(self):
        self.assert_runs("nested-launches", "launches_kernel")

    def test_capture_while_another_thread_launches(self):
        self.profile("capture-beside-launches")
        self.assert_code(0)
        self.assertEqual(self.launches("profiled::Captured"), 100)
        self.assertGreater(self.launches("BesideCapture"), 100)
        self.tell("captures are intact, captured launches are not counted")


class OverTime(ProfileTest):
    """What the hardware saw of known work, when the trace says that it ran."""

    def sampled(self, interval):
        self.profile("over-time", options=("--once", f"--timeline={interval}"))
        self.assert_code(0)
        self.assertIsNotNone(self.timeline, self.problems())
        [device] = self.timeline["devices"]
        samples = zip(device["start_ns"], device["duration_ns"])
        self.samples = [dict(zip(device["values"], values), start=start, end=start + duration)
                        for (start, duration), values in zip(samples, zip(*device["values"].values()))]
        return device

    def bursts(self, device, word):
        """First start and last end of launches that overlap, of kernels with that word in their name."""
        found = []
        for point, _, start, duration in device["launches"]:
            if word not in self.profiled["measurements"][point]["subject"]:
                continue
            if found and start < found[-1][1]:
                found[-1][1] = max(found[-1][1], start + duration)
            else:
                found.append([start, start + duration])
        # The first and the last may not lie within the window as a whole.
        return [burst for burst in found[1:-1] if self.is_sampled(burst, 3 * device["interval_ns"])]

    def samples_around(self, burst, margin):
        return [sample for sample in self.samples
                if sample["end"] > burst[0] - margin and sample["start"] < burst[1] + margin]

    def is_sampled(self, burst, margin):
        """Whether no sample around it is missing: some are, where counter data was begun anew."""
        around = self.samples_around(burst, margin)
        return all(next_one["start"] - one["end"] < 1_000 for one, next_one in zip(around, around[1:]))

    def around(self, burst, key, margin):
        return sum(sample[key] for sample in self.samples_around(burst, margin))

    def check_known_work(self, device):
        interval = device["interval_ns"]
        for word in ["Alone", "BesideAnother"]:
            bursts = self.bursts(device, word)
            self.assertGreater(len(bursts), 10, word)
            for burst in bursts:
                around = [(sample["start"] - burst[0], sample["end"] - burst[0], sample["dram_read_bytes"])
                          for sample in self.samples_around(burst, 3 * interval)]
                self.assert_near(self.around(burst, "dram_read_bytes", 2 * interval), 2 << 30, 0.02,
                                 f"read by {word} in {burst[1] - burst[0]} ns; samples: {around}")
                # What is written reaches DRAM when L2 needs the room: some of it after the burst, and some of an earlier one.
                self.assert_near(self.around(burst, "dram_write_bytes", 2 * interval), 1 << 30, 0.05, f"written by {word}")
        for burst in self.bursts(device, "computes"):
            self.assertLess(self.around(burst, "dram_read_bytes", 2 * interval), 1 << 24)
            inside = [sample["fp64_active"] for sample in self.samples
                      if sample["start"] >= burst[0] + interval and sample["end"] <= burst[1] - interval]
            self.assertGreater(sorted(inside)[len(inside) // 10], 0.9)

    def counted_bytes(self, device):
        """Of the launches in the window: what counters saw of some of their group."""
        begin, end = self.samples[0]["start"], self.samples[-1]["end"]
        total = 0
        for point, _, start, duration in device["launches"]:
            counters = self.profiled["measurements"][point]["counters"]
            part = max(0, min(start + duration, end) - max(start, begin)) / duration
            total += part * (counters["dram_read_bytes"] + counters["dram_write_bytes"])
        return total

    def check_clock(self, device):
        """Samples and trace have one clock: SMs are active while kernels run, and at no other time."""
        busy = sorted([start, start + duration] for _, _, start, duration in device["launches"])
        inside, outside = [], []
        for sample in self.samples:
            if busy[0][0] <= sample["start"] and sample["end"] <= busy[-1][0]:
                if any(start + 5_000 <= sample["start"] and sample["end"] <= end - 5_000 for start, end in busy):
                    inside.append(sample["sm_active"])
                elif all(sample["end"] <= start - 5_000 or sample["start"] >= end + 5_000 for start, end in busy):
                    outside.append(sample["sm_active"])
        self.assertGreater(len(inside), 20)
        self.assertGreater(len(outside), 20)
        # Some of a kernel's last blocks end earlier than others.
        self.assertGreater(sorted(inside)[len(inside) // 10], 0.9)
        self.assertLess(sorted(outside)[-len(outside) // 100], 0.01)
        return f"{len(inside)} samples within kernels, {len(outside)} beside them"

    def test_window_of_samples(self):
        device = self.sampled("20us")
        self.check_known_work(device)
        window_s = (self.samples[-1]["end"] - self.samples[0]["start"]) / 1e9
        self.assert_near(window_s, 8192 * 20e-6, 0.05, "window")
        clock = self.check_clock(device)
        self.tell(f"{len(self.samples)} samples in {window_s:.3f} s; {clock}")

    def test_samples_until_the_end(self):
        device = self.sampled("200us")
        self.check_known_work(device)
        time_s = (self.samples[-1]["end"] - device["began_ns"]) / 1e9
        taken_s = sum(sample["end"] - sample["start"] for sample in self.samples) / 1e9
        self.assertGreater(time_s, 1)
        self.assertGreater(taken_s, 0.99 * time_s)
        last = max(start + duration for _, _, start, duration in device["launches"])
        self.assertLess(last - self.samples[-1]["end"], 5e7, "the last samples are missing")
        sampled = sum(sample["dram_read_bytes"] + sample["dram_write_bytes"] for sample in self.samples)
        self.assert_near(sampled, self.counted_bytes(device), 0.03, "DRAM bytes")
        clock = self.check_clock(device)
        self.tell(f"{len(self.samples)} samples in {time_s:.3f} s; {clock}")

    def test_what_is_not_captured_is_not_sampled(self):
        self.profile("captured-over-time", options=("--once", "--timeline=1ms", "--capture", "cuda-profiler"))
        self.assert_code(0)
        [device] = self.timeline["devices"]
        starts = device["start_ns"]
        pauses = [(after - before) / 1e9 for before, after in zip(starts, starts[1:])]
        long = [pause for pause in pauses if pause > 0.1]
        self.assertEqual([1.9 < pause < 2.6 for pause in long], [True], long)
        pause = pauses.index(max(pauses))
        self.assertGreater(pause, 100, "samples of the first part")
        self.assertGreater(len(starts) - pause, 500, "samples of the second part")
        self.tell(f"{len(starts)} samples, a pause of {max(pauses):.2f} s")

    def test_a_device_that_is_reset_is_sampled_again(self):
        self.profile("reset-over-time", options=("--once", "--timeline=1ms"))
        self.assert_code(0)
        [device] = self.timeline["devices"]
        for kernel in ["BeforeReset", "AfterReset"]:
            launches = [launch for launch in device["launches"] if kernel in self.profiled["measurements"][launch[0]]["subject"]]
            self.assertGreater(len(launches), 100, kernel)
            first, last = launches[0][2], launches[-1][2]
            self.assertGreater(sum(first <= start <= last for start in device["start_ns"]), 100, kernel)
        self.tell(f"{len(device['start_ns'])} samples")

    def test_two_gpus(self):
        self.profile("two-gpus-over-time", options=("--once", "--timeline=200us"))
        self.assert_code(0)
        devices = self.timeline["devices"]
        self.assertEqual(len(devices), 2, self.problems())
        links = ["nvlink_sent_bytes", "nvlink_received_bytes"]
        self.assertTrue(all(link in device["values"] for device in devices for link in links))
        sent, received = devices[0]["values"][links[0]], devices[1]["values"][links[1]]
        copies = [transfer for transfer in devices[0]["transfers"] if transfer[0] == "peer_to_peer"]
        begin = max(device["start_ns"][0] for device in devices)
        end = min(device["start_ns"][-1] for device in devices)
        whole = [copy for copy in copies if begin < copy[1] and copy[1] + copy[2] < end]
        self.assertGreater(len(whole), 50)

        def between(device, values, from_ns, to_ns):
            return sum(value for start, value in zip(device["start_ns"], values) if from_ns <= start < to_ns)
        window = whole[0][1] - 400_000, whole[-1][1] + whole[-1][2] + 400_000
        for device, values, what in ((devices[0], sent, "sent"), (devices[1], received, "received")):
            self.assert_near(between(device, values, *window), len(whole) << 30, 0.02, what)
        self.tell(f"{len(whole)} copies of 1 GiB, {sum(sent) / 1e12:.3f} TB sent")

    def test_watch_sees_what_another_program_does(self):
        folder = self.folder / "watched"
        with subprocess.Popen([programs, "over-time"], stdout=subprocess.DEVNULL) as program:
            time.sleep(1.5)
            self.call([rooflinectl, "watch", "--device", "0", "--for", "4s", "--output", folder], 60)
            self.assert_code(0)
            self.assertEqual(program.wait(), 0)
        [device] = json.loads(gzip.decompress((folder / "watch/latest/timeline.json.gz").read_bytes()))["devices"]
        self.assertGreater(len(device["start_ns"]), 2500)
        self.assertGreater(sum(device["values"]["dram_read_bytes"]), 100 << 30)
        self.assertGreater(max(device["values"]["fp64_active"]), 0.9)
        self.assertGreater(len(device.get("power", [])), 50)
        self.tell(self.output.splitlines()[-3].strip())


class BadDays(ProfileTest):
    # -- kernels that wait --

    WAITS = "its launches did not finish while the program was held for them"

    def test_dependent_streams(self):
        self.profile("dependent-streams", CUDA_MODULE_LOADING="EAGER")
        self.assert_code(0)
        self.assertEqual((self.launches("waits_for"), self.launches("sets_flag")), (100, 100))
        self.tell(f"100 launches of each; {self.point('waits_for')['counters']['l2_bytes']}")

    def test_fed_by_host(self):
        self.profile("fed-by-host", CUDA_MODULE_LOADING="EAGER")
        self.assert_code(0)
        self.assertEqual(self.launches("waits_for"), 100)
        self.assertIn(self.WAITS, self.problems())
        self.assertIn(self.WAITS, self.point("waits_for")["counters"]["l2_bytes"]["unavailable"])
        self.tell("100 launches")

    def test_persistent_kernel(self):
        self.profile("persistent-kernel", CUDA_MODULE_LOADING="EAGER")
        self.assert_code(0)
        self.assertEqual((self.launches("waits_for"), self.launches("BesidePersistent")), (1, 201))
        self.tell("201 launches beside it")

    def test_dependent_devices(self):
        self.profile("dependent-devices", CUDA_MODULE_LOADING="EAGER")
        self.assert_code(0)
        self.assertEqual((self.launches("waits_for"), self.launches("sets_flag")), (50, 50))
        self.tell("50 launches on each")

    def test_endless_kernel(self):
        self.profile("endless-kernel", options=["--once", "--timeout", "6"], CUDA_MODULE_LOADING="EAGER")
        self.assert_code(128 + signal.SIGTERM)
        self.assertIn("the program was ended after 6 s", self.errors)
        self.assertEqual(self.launches("BesidePersistent"), 100)
        self.tell("what ran before it is kept")

    # -- how programs end --

    NOTICE = "it ended without notice: what it did in its last second may be missing"

    def test_exit_without_clean_up(self):
        self.profile("exit", 7)
        self.assert_code(7)
        self.assertGreater(self.launches("Plain"), 100)
        self.assertIn(self.NOTICE, self.problems())
        self.tell(f"{self.launches('Plain')} launches kept")

    def test_signals(self):
        for number in [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT]:
            with self.subTest(number.name):
                self.profile("signal", int(number))
                self.assert_code(128 + number)
                self.assertGreater(self.launches("Plain"), 100)
                self.assertIn(self.NOTICE, self.problems())
                self.tell(f"{number.name}: {self.launches('Plain')} launches kept")

    def test_illegal_address(self):
        self.profile("illegal-address")
        self.assert_code(3)
        self.assertIn("an illegal memory access was encountered", self.output)
        self.assertGreater(self.launches("Plain"), 100)
        self.tell(f"{self.launches('Plain')} launches kept")

    def test_launches_nothing(self):
        self.profile("context")
        self.assert_code(1)
        self.assertIn("no kernel was launched", self.errors)
        self.tell("no kernel was launched")

    def test_never_uses_cuda(self):
        self.profile("no-cuda")
        self.assert_code(1)
        self.assertIn("no process of the program used CUDA", self.errors)
        self.tell("no process of the program used CUDA")

    # -- processes --

    def test_fork(self):
        self.profile("fork")
        self.assert_code(0)
        self.assertEqual((self.launches("BeforeFork"), self.launches("AfterFork")), (100, 100))
        self.assertGreater(self.launches("Plain"), 0)
        self.assertEqual(len(self.profiled["application"]["processes"]), 2)
        self.assertNotIn(self.NOTICE, self.problems())
        self.tell("parent and the child that calls exec")

    def test_exec(self):
        self.profile("exec")
        self.assert_code(0)
        self.assertEqual((self.launches("BeforeExec"), self.launches("AfterExec")), (100, 100))
        self.tell("both are seen")

    def test_two_programs_at_once(self):
        command = [rooflinectl, "profile", "--once", "--output", "other", "--", programs, "plain", "6"]
        with subprocess.Popen(list(map(str, command)), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, env=self.environment()) as other:
            time.sleep(1.5)
            self.profile("plain", 2)
            code = self.code
            _, errors = other.communicate(timeout=TIME_LIMIT_S)
        self.assertEqual((code, other.returncode), (0, 0), self.errors + errors)
        self.assertEqual(self.launches("Plain"), self.steps())
        self.tell(f"{self.launches('Plain')} launches seen beside another profiled program")

    def test_another_process_on_the_gpu(self):
        with subprocess.Popen([programs, "plain", "8"], stdout=subprocess.DEVNULL) as other:
            time.sleep(1)
            self.profile("plain", 1)
            other.kill()
        self.assert_code(0)
        if "other programs are running on GPU" not in self.problems():
            self.skipTest("the driver does not show other processes here")
        self.tell()

    # -- what programs do to their process --

    def test_device_reset(self):
        self.profile("reset")
        self.assert_code(0)
        self.assertEqual((self.launches("BeforeReset"), self.launches("AfterReset")), (100, 100))
        self.tell("both contexts are seen")

    def test_closes_all_files(self):
        self.profile("close-files")
        self.assert_code(0)
        self.assertEqual(self.launches("Plain"), 100)
        self.tell(f"{self.launches('Plain')} launches seen")

    def test_changes_directory(self):
        runs = "relative"
        self.call([rooflinectl, "profile", "--once", "--output", runs, "--", programs, "chdir"])
        self.assert_code(0)
        self.profiled = json.loads(next((self.folder / runs).glob("*/*Z/run.json")).read_text())
        self.assertGreater(self.launches("Plain"), 100)
        self.tell(f"{self.launches('Plain')} launches seen")

    def test_unbalanced_ranges(self):
        self.profile("ranges")
        self.assert_code(0)
        self.assertNotIn("path", self.point("InNoRange")["axes"])
        path = self.point("InOpenRange")["axes"]["path"]
        self.assertEqual(sorted(path.split("/")), ["never closed", "never ended"])
        self.tell(path)

    def test_profiler_stop_without_start(self):
        self.profile("profiler-range", options=["--once", "--capture", "cuda-profiler"])
        self.assert_code(1)
        self.assertIn("no kernel was launched", self.errors)
        self.profile("profiler-range", "start", options=["--once", "--capture", "cuda-profiler"])
        self.assert_code(0)
        self.assertEqual(len(self.profiled["measurements"]), 1)
        self.assertEqual(self.launches("BetweenStartAndStop"), 100)
        self.tell("only what is between start and stop")

    def test_many_groups(self):
        self.profile("groups", 1500, options=["--once", "--samples", "1"])
        self.assert_code(0)
        self.assertEqual(len(self.points("Plain")), 1500)
        self.tell("1500 groups")

    # -- PyTorch --

    def test_torch_profiler(self):
        self.profile_python("torch_profiler")
        self.assert_code(0)
        self.assertGreaterEqual(self.launches("elementwise"), 200)
        untimed = sum(point["launches"]["count"] - point["launches"]["traced"] for point in self.profiled["measurements"])
        self.tell(f"{self.launches('elementwise')} launches, {untimed} without a time; {self.output.strip().splitlines()[-1]}")

    def test_torch_exit(self):
        self.profile_python("torch_exit")
        self.assert_code(7)
        self.assertGreaterEqual(self.launches("elementwise"), 3000)
        self.tell("all launches kept")

    def test_torch_fork(self):
        self.profile_python("torch_fork")
        self.assert_code(0)
        self.assertGreaterEqual(self.launches("elementwise"), 200)
        self.tell("the parent is seen")

    def test_torch_spawn(self):
        self.profile_python("torch_spawn")
        self.assert_code(0)
        self.assertGreaterEqual(self.launches("elementwise"), 400)
        self.assertGreaterEqual(len(self.profiled["application"]["processes"]), 2)
        self.tell(f"{len(self.profiled['application']['processes'])} processes")

    # -- the machine --

    def test_no_permission(self):
        parameters = pathlib.Path("/proc/driver/nvidia/params")
        if not parameters.exists() or "RmProfilingAdminOnly: 1" not in parameters.read_text():
            self.skipTest("the driver lets everybody count")
        prefix = []
        if os.geteuid() == 0:
            if not shutil.which("setpriv"):
                self.skipTest("root may count, and setpriv is missing")
            prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all",
                      "--bounding-set=-all"]
            self.folder.chmod(0o777)
        self.call([*prefix, rooflinectl, "profile", "--once", "--output", "runs", "--", programs, "plain", "1"],
                  environment=self.environment(HOME=str(self.folder)))
        self.assert_code(0)
        self.profiled = json.loads(next((self.folder / "runs").glob("*/*Z/run.json")).read_text())
        self.assertIn("memory was not counted", self.problems())
        self.assertGreater(self.point("Plain")["time"]["median_s"], 0)
        self.tell()

    @contextlib.contextmanager
    def service(self):
        """The daemon through which several processes share a GPU."""
        if not shutil.which("nvidia-cuda-mps-control"):
            self.skipTest("nvidia-cuda-mps-control is not installed")
        folder = tempfile.mkdtemp(prefix="mps", dir="/tmp")  # its socket has a short path
        environment = dict(os.environ, CUDA_MPS_PIPE_DIRECTORY=folder, CUDA_MPS_LOG_DIRECTORY=folder)
        started = subprocess.run(["nvidia-cuda-mps-control", "-d"], env=environment, capture_output=True, text=True, timeout=20,
                                 check=False)
        if started.returncode != 0:
            self.skipTest(f"MPS does not start here: {started.stdout}{started.stderr}")
        try:
            yield {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
        finally:
            subprocess.run(["nvidia-cuda-mps-control"], input="quit -t 1\n", env=environment, capture_output=True, text=True,
                           timeout=30, check=False)
            shutil.rmtree(folder, ignore_errors=True)

    def test_mps(self):
        with self.service() as environment:
            if self.call([programs, "plain", "0.1"], 20, self.environment(**environment)) != 0:
                self.skipTest(f"programs do not run under MPS here: {self.errors}")
            self.profile("plain", 1, **environment)
        self.assert_code(0)
        self.assertEqual(self.launches("Plain"), self.steps())
        self.tell(f"{self.launches('Plain')} launches, time: {'time' in self.point('Plain')}, l2_bytes: "
                  f"{self.point('Plain')['counters'].get('l2_bytes')}")

    def test_under_ncu(self):
        if not shutil.which("ncu"):
            self.skipTest("ncu is not on the PATH")
        ncu = ["ncu", "--launch-count", "1", "--metrics", "smsp__inst_executed.sum"]
        self.profile_command([*ncu, programs, "plain"], options=["--once"])
        inner = self.code
        self.tell(f"ncu inside of profile: {next((line for line in self.output.splitlines() if 'ERROR' in line), 'both ended')}")
        self.call([*ncu, "--target-processes", "all", rooflinectl, "profile", "--once", "--output", "outside", "--", programs,
                   "plain"])
        self.tell(f"profile inside of ncu: {(self.output + self.errors)[-600:]}")
        for code in [inner, self.code]:
            self.assertIn(code, [0, 1], self.output + self.errors)


class Lines(unittest.TextTestResult):
    """Reports a failure when it occurs, in a few lines."""

    def tell(self, test, error):
        print(f"{test.id().split('.')[-1].removeprefix('test_')} | FAILED | {str(error[1])[:2000]}", flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.tell(test, err)

    def addError(self, test, err):
        super().addError(test, err)
        self.tell(test, err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.tell(subtest, err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"{test.id().split('.')[-1].removeprefix('test_')} | skipped | {reason}", flush=True)

    def printErrors(self):
        pass  # they were told


def tests_named(names):
    loader = unittest.TestLoader()
    if names:
        loader.testNamePatterns = [f"*{name}*" for name in names]
    return loader.loadTestsFromModule(sys.modules[__name__])


def each(tests):
    for test in tests:
        yield from each(test) if isinstance(test, unittest.TestSuite) else [test]


def main():
    global rooflinectl, programs, kept
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--install", type=pathlib.Path)
    parser.add_argument("--rooflinectl", type=pathlib.Path)
    parser.add_argument("--programs", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    tests = tests_named(arguments.only)
    if arguments.list:
        print("\n".join(test.id().split(".", 1)[1] for test in each(tests)))
        return 0
    rooflinectl = arguments.rooflinectl or (arguments.install / "bin/rooflinectl" if arguments.install else None)
    rooflinectl = pathlib.Path(rooflinectl or shutil.which("rooflinectl") or "rooflinectl").resolve()
    programs = (arguments.programs or rooflinectl.parent).resolve() / "rooflinectl-profiled-programs"
    why = no_gpu() or next((f"{file} is missing" for file in [rooflinectl, programs] if not file.exists()), None)
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    print("test | exit code | time | result", flush=True)
    kept = arguments.keep
    result = unittest.TextTestRunner(verbosity=0, stream=sys.stdout, resultclass=Lines).run(tests)
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
