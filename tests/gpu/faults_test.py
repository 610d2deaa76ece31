#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a run handles faults on a real GPU: broken kernels, no memory, a collector that dies or stops, signals, two runs at
once. Prints a line per fault. Needs `rooflinectl` and `rooflinectl-collector-faulty` in one folder: that of the environment
variable ROOFLINECTL, or bin/ of an installed folder. Exits with 77 where there is no GPU."""

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from this_machine import no_gpu

PROGRAM = pathlib.Path(os.environ.get("ROOFLINECTL", "rooflinectl")).resolve()
COLLECTOR = PROGRAM.with_name("rooflinectl-collector-faulty")
SILENCE_LIMIT_S = 4

SUMS = "sum_block_shuffle"
SLOW = "sum_atomic"  # about 0.5 s per launch at 2^28


def plan(*experiments, time_limit="1 s"):
    """A plan with one ceiling; an experiment is (variants, sizes)."""
    text = "name: faults\nceilings: dram_read\nexperiments:\n"
    for number, (variants, sizes) in enumerate(experiments):
        text += f"  e{number}: {{variants: [{variants}], sizes: [{sizes}], timing: {{time_limit: {time_limit}}}}}\n"
    return text


class Hog:
    """Holds all but `free_bytes` of the GPU's memory."""

    def __init__(self, free_bytes):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.context = ctypes.c_void_p()
        self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0)
        self.driver.cuCtxPushCurrent_v2(self.context)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        self.memory = ctypes.c_uint64()
        result = self.driver.cuMemAlloc_v2(ctypes.byref(self.memory), ctypes.c_size_t(free.value - free_bytes))
        assert result == 0, f"cuMemAlloc: {result}"

    def release(self):
        self.driver.cuMemFree_v2(self.memory)
        self.driver.cuCtxPopCurrent_v2(ctypes.byref(self.context))
        self.driver.cuDevicePrimaryCtxRelease_v2(0)


class Faults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, text, *arguments, output="runs", **extra):
        (self.folder / "plan.yaml").write_text(text)
        environment = dict(os.environ, ROOFLINECTL_COLLECTOR=str(COLLECTOR), XDG_CACHE_HOME=str(self.folder / "cache"),
                           ROOFLINECTL_SILENCE_LIMIT=str(SILENCE_LIMIT_S), **extra)
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml", "--require-gpu", "--output", output, *arguments],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        self.output, self.errors = process.communicate(timeout=100)
        return process.returncode

    def run_plan(self, text, *arguments):
        return self.finish(self.start(text, *arguments))

    def run_json(self, output="runs"):
        (file,) = [path for path in (self.folder / output).glob("faults/*/run.json") if not path.parent.is_symlink()]
        return json.loads(file.read_text())

    def points(self, output="runs"):
        """Status, cause and whether it was counted, by variant or, where that is not unique, size."""
        measurements = self.run_json(output)["measurements"]
        by_size = len({m["subject"] for m in measurements}) == 1
        return {m["axes"]["n"] if by_size else m["subject"]: m for m in measurements}

    def tell(self, fault, code, outcome):
        print(f"{fault} | {code} | {outcome}", flush=True)

    def assert_finished(self, measurement, counted=True):
        self.assertEqual(measurement["status"], "ok", measurement.get("cause"))
        self.assertGreater(measurement["time"]["median_s"], 0)
        if counted and self.run_json_counts:
            self.assertTrue(any(isinstance(value, (int, float)) for value in measurement["counters"].values()))

    @property
    def run_json_counts(self):
        return all(json.loads(path.read_text())["counter_session"]["available"]
                   for path in self.folder.glob("*/faults/*/run.json"))

    def line_of(self, stream, word):
        for line in stream:
            if word in line:
                return line
        self.fail(f"never printed {word}")

    def collector_of(self, process):
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        return int(children[0])

    # -- kernels --

    def test_kernels(self):
        faults = {"fault_illegal_address": ("failed", "illegal memory access"),
                  "fault_illegal_address_later": ("failed", "illegal memory access"),
                  "fault_misaligned_access": ("failed", "misaligned address"),
                  "fault_endless_loop": ("failed", f"hung (no output for {SILENCE_LIMIT_S} s) while verifying"),
                  "fault_endless_loop_later": ("failed", f"hung (no output for {SILENCE_LIMIT_S} s) while timing"),
                  "fault_trap": ("failed", "unspecified launch failure"),
                  "fault_wrong_sum": ("unverified", "expected"),
                  "fault_wrong_sum_later": ("unverified", "right at first, wrong after"),
                  "fault_ticket_never_reset": ("unverified", "right at first, wrong after"),
                  "fault_not_a_number": ("unverified", "nan")}
        for variant, (status, cause) in faults.items():
            with self.subTest(variant):
                self.setUp()
                code = self.run_plan(plan(("fault_none", 1000), (variant, 1000), (SUMS, "2^20")))
                self.assertEqual(code, 1, self.output + self.errors)
                points = self.points()
                self.assertEqual(len(points), 3)
                self.assert_finished(points["fault_none"])
                self.assert_finished(points[SUMS])
                self.assertEqual(points[variant]["status"], status)
                self.assertIn(cause, points[variant]["cause"])
                self.assertNotIn("time", points[variant])
                self.tell(variant, code, f"{status}: {points[variant]['cause']}; the other 2 points measured and counted")

    def test_kernels_that_go_wrong_launch_by_launch(self):
        for variant in ["fault_wrong_sum_later", "fault_ticket_never_reset"]:
            with self.subTest(variant):
                self.setUp()
                code = self.run_plan(plan((variant, 1000)).replace("timing:", "launch: plain, timing:"))
                self.assertEqual(code, 1, self.output + self.errors)
                (measurement,) = self.run_json()["measurements"]
                cause = measurement["cause"]
                self.assertRegex(cause, r"^right at first, wrong after \d+ timed launches: result 0 of 1 ")
                self.tell(f"{variant}, launch by launch", code, f"unverified: {cause}")

    # -- memory --

    def test_no_memory_at_the_start(self):
        hog = Hog(100 << 20)
        try:
            code = self.run_plan(plan((SUMS, "2^20")))
        finally:
            hog.release()
        self.assertEqual(code, 3, self.output + self.errors)
        self.assertIn("memory", self.output + self.errors)
        self.tell("no memory at the start", code, self.errors.strip().splitlines()[0])

    def test_no_memory_in_the_middle(self):
        code = self.run_plan(plan((SUMS, "2^20, 2^40, 2^22")))
        self.assertEqual(code, 1, self.output + self.errors)
        points = self.points()
        self.assertEqual(points[2**40]["status"], "failed")
        self.assertIn("memory", points[2**40]["cause"])
        self.assert_finished(points[2**20])
        self.assert_finished(points[2**22])
        self.tell("no memory in the middle", code, f"failed: {points[2**40]['cause']}; the other 2 points measured and counted")

    # -- the collector --

    def strike(self, number):
        """Sends a signal to the collector while it times the second of three points."""
        process = self.start(plan((SUMS, "2^20"), (SLOW, "2^28"), (SUMS, "2^22")))
        self.line_of(process.stderr, "[1/3]")
        time.sleep(1)
        os.kill(self.collector_of(process), number)
        code = self.finish(process)
        self.assertEqual(code, 1, self.output + self.errors)
        first, struck, last = self.run_json()["measurements"]
        self.assert_finished(first)
        self.assert_finished(last)
        self.assertEqual(struck["status"], "failed")
        return code, struck["cause"]

    def test_a_collector_that_is_killed(self):
        code, cause = self.strike(signal.SIGKILL)
        self.assertRegex(cause, "^crashed with SIGKILL while (verifying|timing)$")
        self.tell("collector killed (SIGKILL)", code, f"failed: {cause}; the other 2 points measured and counted")

    def test_a_collector_that_is_stopped(self):
        code, cause = self.strike(signal.SIGSTOP)
        self.assertRegex(cause, "^hung ")
        self.tell("collector stopped (SIGSTOP)", code, f"failed: {cause}; the other 2 points measured and counted")

    # -- signals, and resuming after them --

    def interrupt(self, number, word, text, delay_s):
        process = self.start(text)
        self.line_of(process.stderr if "/" in word or "ceiling" in word or "counting" in word else process.stdout, word)
        time.sleep(delay_s)
        process.send_signal(number)
        begin = time.monotonic()
        code = self.finish(process)
        self.assertEqual(code, 128 + number, self.output + self.errors)
        return code, time.monotonic() - begin

    def test_signals_in_each_phase(self):
        three = plan((SUMS, "2^20"), (SLOW, "2^28"), (SUMS, "2^22"))
        many = plan((SUMS, ", ".join(str(n) for n in range(1000, 1200))), time_limit="50 ms")
        for phase, number, word, text, delay_s in [
                ("ceilings", signal.SIGINT, "results:", three.replace("dram_read", "[dram_*, f64_*]"), 0.1),
                ("timing", signal.SIGTERM, "[1/3]", three, 1.5),
                ("counting", signal.SIGINT, "counting 200 points", many, 0.1)]:
            with self.subTest(phase):
                self.setUp()
                code, seconds = self.interrupt(number, word, text, delay_s)
                kept = self.run_json()["measurements"]
                for measurement in kept:
                    self.assert_finished(measurement, counted=False)
                (folder,) = (self.folder / "runs/faults").glob("*")
                resumed = subprocess.run([PROGRAM, "run", "--resume", folder], cwd=self.folder, capture_output=True, text=True,
                                         env=dict(os.environ, ROOFLINECTL_COLLECTOR=str(COLLECTOR),
                                                  XDG_CACHE_HOME=str(self.folder / "cache")), timeout=100, check=False)
                self.assertEqual(resumed.returncode, 0, resumed.stdout + resumed.stderr)
                run = self.run_json()
                for measurement in run["measurements"]:
                    self.assert_finished(measurement)
                for before, after in zip(kept, run["measurements"]):
                    self.assertEqual(before["time"], after["time"])
                self.tell(f"{signal.Signals(number).name} while {phase}", code,
                          f"ended after {seconds:.1f} s, {len(kept)} of {len(run['measurements'])} points kept; "
                          "--resume measured the rest")

    # -- others --

    def test_two_runs_at_once(self):
        text = plan((SUMS, "2^20, 2^24, 2^26, 2^28"), (SLOW, "2^26"))
        first = self.start(text, output="first")
        self.line_of(first.stderr, "[1/5]")
        second = self.start(text, output="second")
        codes = []
        for process, output in [(first, "first"), (second, "second")]:
            codes.append(self.finish(process))
            if codes[-1] != 0:
                self.assertEqual(codes[-1], 1, self.output + self.errors)
                self.assertIn("another program is using the performance counters", self.errors)
            for measurement in self.run_json(output)["measurements"]:
                self.assert_finished(measurement, counted=False)
        self.assertRegex(self.errors, rf"rooflinectl.*\b{first.pid}\b")
        self.tell("two runs at once", codes, [line for line in self.errors.splitlines() if str(first.pid) in line][0])


if __name__ == "__main__":
    why = no_gpu() or (None if COLLECTOR.exists() else f"{COLLECTOR} is missing")
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    print("fault | exit code | result")
    unittest.main()
