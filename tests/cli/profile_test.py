# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl profile`, with a program that plays a CUDA program (fake_guest.py)."""

import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

from program import FAKE_COLLECTOR, HERE, PROGRAM, REPORTS, SOURCE, ProgramTest

GUEST = str(HERE / "fake_guest.py")


class ProfileTest(ProgramTest):
    def environment(self, accidents="", **extra):
        return super().environment(accidents, **{"ROOFLINECTL_INJECTION": "/lib/librooflinectl-injection.so", **extra})

    def profile(self, *guest, options=(), **extra):
        return self.call("profile", *options, "--", sys.executable, GUEST, *guest, **extra)

    def latest(self):
        return self.folder / "runs/fake_guest/latest"

    def profiled(self):
        return json.loads((self.latest() / "run.json").read_text())

    def points(self):
        return {point["subject"]: point for point in self.profiled()["measurements"]}

    def problems(self):
        return [problem["cause"] for problem in self.profiled()["application"].get("problems", [])]


class Profile(ProfileTest):
    def test_makes_a_run_of_a_program(self):
        result = self.profile("often")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, "guest: out\n")
        self.assertIn("guest: error\n", result.stderr)
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in self.latest().iterdir()})
        self.assertEqual([path for path in self.latest().iterdir() if path.is_dir()], [])
        run = self.profiled()
        self.assertEqual(run["devices"][0]["name"], "Fake GPU")
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})
        application = run["application"]
        self.assertEqual((application["exit_code"], application["runs"], application["launches"]), (0, 1, 110))
        self.assertEqual(application["transfers"][0]["bytes"], 1 << 20)
        add = self.points()["add(float*)"]
        self.assertEqual(add["axes"], {"block": 256, "grid": 1024})
        self.assertEqual(add["counters"]["fadd"], 1e6)
        self.assertEqual(add["launches"]["traced"], 100)
        self.assertNotIn("tensor_bf16_ops", add["counters"])
        gemm = self.points()["gemm<script>alert(1)</script>"]
        self.assertEqual(gemm["axes"], {"block": "16x8", "grid": "16x16"})
        self.assertEqual(gemm["counters"]["tensor_bf16_ops"], 2e9)
        self.assertNotIn("<script>alert", (self.latest() / "summary.md").read_text())

    def test_tells_the_library_what_it_was_told(self):
        result = self.call("profile", "--dry-run", "--samples", 5, "--kernel", "gemm|conv", "--nvtx", "step*", "--nvtx-scope",
                           "thread", "--capture", "nvtx:epoch", "--whole-graphs", "--skip", 7, "--limit", 9, "--", "train", "--steps", "2")
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout.splitlines()[-1], "train --steps 2")
        settings = json.loads(result.stdout.split("ROOFLINECTL_PROFILE='")[1].split("'")[0])
        self.assertTrue(settings["records"].startswith(str(self.folder.resolve())))
        self.assertEqual({key: settings[key] for key in ["samples", "kernel", "nvtx", "nvtx_scope", "capture", "capture_range",
                                                         "whole_graphs", "skip", "limit"]},
                         {"samples": 5, "kernel": "gemm|conv", "nvtx": "step*", "nvtx_scope": "thread", "capture": "nvtx",
                          "capture_range": "epoch", "whole_graphs": True, "skip": 7, "limit": 9})
        self.assert_nothing_written()

    def test_only_times_where_no_launch_may_be_counted(self):
        result = self.profile(options=["--limit", 0])
        self.assert_exit(result, 0)
        self.assertNotIn("again", result.stderr)
        add = self.points()["add(float*)"]
        self.assertEqual(add["counters"]["dram_read_bytes"]["unavailable"], "counting was switched off")
        self.assertEqual(add["launches"]["traced"], 100)

    def test_samples_over_time(self):
        self.assert_exit(self.profile("often", options=["--timeline=50us"]), 0)
        timeline = self.timeline()
        [device] = timeline["devices"]
        self.assertEqual((device["interval_ns"], len(device["start_ns"])), (50_000, 100))
        self.assertEqual(device["left_out"], {"nvlink_sent_bytes": "this device cannot sample it"})
        subjects = {list(self.points())[point] for point, *_ in device["launches"]}
        self.assertEqual(subjects, {"gemm<script>alert(1)</script>"})
        summary = (self.latest() / "summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn("Sampled for 5.000 ms every 50.00 µs: 100 samples", summary)

    def test_samples_every_100_us_unless_told(self):
        result = self.profile(options=["--timeline"])
        self.assert_exit(result, 0)
        self.assertIn("rooflinectl: at this interval the GPU's buffer holds 819.2 ms: the timeline covers that, once the kernels are counted\n",
                      result.stderr.replace("\N{NO-BREAK SPACE}", " "))
        self.assertEqual(self.timeline()["devices"][0]["interval_ns"], 100_000)

    def test_an_interval_that_is_none(self):
        for interval in ["fast", "100", "1us", "2s", "-5ms", "1e3us", ".us"]:
            result = self.profile(options=[f"--timeline={interval}"])
            self.assert_exit(result, 2)
            self.assertIn(f"'{interval}' is not an interval from 10us to 1s", result.stderr)
            self.assertNotIn("guest", result.stdout)

    def test_a_device_that_cannot_be_sampled(self):
        self.assert_exit(self.profile("unsampled", options=["--timeline"]), 0)
        self.assertFalse((self.latest() / "timeline.json.gz").exists())
        self.assertIn("the timeline is incomplete: no permission", (self.latest() / "summary.md").read_text())

    def test_exports_the_timeline(self):
        result = self.profile("often", options=["--timeline=50us", "--export", "perfetto"])
        self.assert_exit(result, 0)
        self.assertRegex(result.stderr, r"\nexport: .*/timeline\.perfetto-trace\n")
        self.assertIn(b"gemm", (self.latest() / "timeline.perfetto-trace").read_bytes())

    def test_nothing_is_lost_where_there_is_no_timeline_to_export(self):
        result = self.profile("unsampled", options=["--timeline", "--export", "perfetto"])
        self.assert_exit(result, 2)
        self.assertIn("this run has no timeline to export\nhint: ", result.stderr)
        self.assertTrue((self.latest() / "report.html").exists())
        self.assertFalse((self.latest() / "timeline.perfetto-trace").exists())

    def test_what_is_not_sampled_cannot_be_exported(self):
        result = self.profile(options=["--export", "perfetto"])
        self.assert_exit(result, 2)
        self.assertIn("--export requires --timeline", result.stderr)
        self.assertNotIn("guest", result.stdout)

    def timeline(self):
        return json.loads(gzip.decompress((self.latest() / "timeline.json.gz").read_bytes()))

    def test_selects_kernels(self):
        self.assert_exit(self.profile("often", options=["--kernel", "^_Z3add"]), 0)
        self.assertEqual(list(self.points()), ["add(float*)"])

    def test_tells_kernels_with_one_name_apart(self):
        self.assert_exit(self.profile("often", "twin"), 0)
        launches = {point["axes"].get("code"): point["launches"]["count"] for point in self.profiled()["measurements"]
                    if point["subject"] == "add(float*)"}
        self.assertEqual(launches, {None: 101, 2: 1})
        self.assertIn("| add code 2 |", (self.latest() / "summary.md").read_text())

    def test_puts_steps_together(self):
        self.assert_exit(self.profile("often", "steps"), 0)
        add = self.points()["add(float*)"]
        self.assertEqual(add["axes"]["path"], "step #")
        self.assertEqual(len(add["launches"]["over_time"]), 100)
        self.assertEqual(add["launches"]["over_time"][3], [6e-5, 1, 0, 1.0003e-5, 1.0003e-5, 1.0003e-5])
        self.assertEqual(self.profiled()["application"]["ranges"], [{"path": "step #", "count": 100, "undisturbed": 0}])

    def test_shows_processes_on_other_devices(self):
        result = self.profile("often", "child", "steps", options=["--once"], FAKE_COLLECTOR_TWO="1",
                              FAKE_COLLECTOR_SECOND_UUID="GPU-00000000-0000-0000-0000-000000000001")
        self.assert_exit(result, 0)
        run = self.profiled()
        self.assertEqual(len(run["application"]["processes"]), 2)
        self.assertEqual([device["name"] for device in run["devices"]], ["Fake GPU", "Fake GPU"])
        self.assertEqual(sorted({point["device"] for point in run["measurements"]}), [0, 1])
        self.assertNotIn("missing", result.stderr)

    def test_lists_the_kernels_of_a_graph(self):
        self.assert_exit(self.profile("often", "graph", options=["--once"]), 0)
        graph = self.points()["CUDA graph 3f2a"]
        self.assertEqual(graph["launches"]["graph_kernels"], [{"kernel": "add(float*)", "launches": 2, "total_s": 0.0015}])

    def test_prints_json_after_the_output_of_the_program(self):
        result = self.profile("often", options=["--json", "--quiet"])
        self.assert_exit(result, 0)
        first, summary = result.stdout.splitlines()
        self.assertEqual(first, "guest: out")
        self.assertEqual(json.loads(summary)["application"]["launches"], 110)
        self.assertEqual(result.stderr.splitlines()[0], "guest: error")
        self.assertEqual(pathlib.Path(result.stderr.splitlines()[1]).name, "report.html")
        self.assertEqual(len(result.stderr.splitlines()), 2)

    def test_redraws_compares_and_explains_it(self):
        self.assert_exit(self.profile("often"), 0)
        for command in ["report", "explain"]:
            self.assert_exit(self.call(command, self.latest()), 0)
        self.assert_exit(self.call("compare", self.latest(), self.latest()), 0)

    def test_the_program_reads_our_input(self):
        result = subprocess.run([PROGRAM, "profile", "--", sys.executable, GUEST, "often", "input"], cwd=self.folder, input="hello\n",
                                capture_output=True, text=True, timeout=60, env=self.environment(), check=False)
        self.assert_exit(result, 0)
        self.assertEqual(result.stdout, "guest: out\nhello\n")


class InAPlan(ProfileTest):
    """`rooflinectl run` of a plan with a program."""

    def run_with(self, application, variants="", *arguments):
        self.write("plan.yaml", f"""\
name: demo
experiments:
  sums:
    {variants}
    application: {application}
""")
        return self.run_plan("", *arguments)

    def command(self, *guest):
        return json.dumps([sys.executable, GUEST, *guest])

    def test_measures_variants_and_program_onto_one_chart(self):
        result = self.run_with(f"{{command: {self.command('often')}, kernels: add}}", "variants: reduce_v0_global\n    sizes: 2^20")
        self.assert_exit(result, 0)
        run = self.run_json()
        self.assertEqual([(m["experiment"], m["subject"]) for m in run["measurements"]],
                         [("sums", "reduce_v0_global"), ("sums", "add(float*)")])
        self.assertEqual(len(run["devices"]), 1)
        self.assertEqual(run["application"]["launches"], 110)
        self.assertEqual(run["plan"]["experiments"][0]["application"]["kernels"], "add")
        self.assertEqual([p.name for p in (self.folder / "runs/demo/latest").iterdir() if p.is_dir()], [])

    def test_the_shipped_plan_shows_our_program_beside_sums(self):
        (self.folder / "matrix_sums").write_text(f'#!/bin/sh\nexec {sys.executable} {GUEST} often "$@"\n')
        (self.folder / "matrix_sums").chmod(0o755)
        plan = re.sub("variants: .*", "variants: [reduce_v3_sequential, sum_atomic]", (SOURCE / "experiments/application.yaml").read_text())
        self.write("application.yaml", plan)
        self.assert_exit(self.call("run", "application.yaml"), 0)
        run = json.loads((self.folder / "runs/application/latest/run.json").read_text())
        self.assertEqual({(m["experiment"], m["subject"]) for m in run["measurements"]},
                         {("sums", name) for name in ["reduce_v3_sequential", "sum_atomic", "add(float*)",
                                                      "gemm<script>alert(1)</script>"]})
        self.assertEqual(run["application"]["command_line"][-2:], ["--steps", "400"])

    def test_measures_a_program_alone(self):
        self.assert_exit(self.run_with(f"{{command: {self.command('often')}}}"), 0)
        self.assertEqual(len(self.run_json()["measurements"]), 2)
        self.assertEqual({c["id"] for c in self.run_json()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_a_program_that_fails_is_a_failure_of_the_run(self):
        result = self.run_with(f"{{command: {self.command('often', 'exit:9')}}}")
        self.assert_exit(result, 1)
        self.assertIn("ended with exit code 9", result.stdout)
        self.assertEqual(self.run_json()["application"]["exit_code"], 9)

    def test_a_program_that_is_not_there(self):
        result = self.run_with("{command: no-such-program}", "variants: reduce_v0_global\n    sizes: 2^20")
        self.assert_exit(result, 2)
        self.assertIn("no-such-program: no such program", result.stderr)
        self.assertEqual(len(self.run_json()["measurements"]), 1)

    def test_a_resumed_run_makes_up_for_it(self):
        self.run_with("{command: ./later}", "variants: reduce_v0_global\n    sizes: 2^20")
        (self.folder / "later").write_text(f"#!/bin/sh\nexec {sys.executable} {GUEST} often\n")
        (self.folder / "later").chmod(0o755)
        self.assert_exit(self.call("run", "--resume", "runs/demo/latest"), 0)
        self.assertEqual(len(self.run_json()["measurements"]), 3)

    def test_a_dry_run_names_it(self):
        result = self.run_with("{command: [python3, train.py]}", "", "--dry-run")
        self.assert_exit(result, 0)
        self.assertIn("program: python3 train.py", result.stdout)
        self.assert_nothing_written()


class Killed(ProfileTest):
    """rooflinectl itself is killed while the program runs, which outlives it."""

    def killed(self, *options):
        """The run's folder, with the records of a process that is still there."""
        with subprocess.Popen([PROGRAM, "profile", *options, "--", sys.executable, GUEST, "often", "abrupt", "hang"], cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment()) as process:
            while not (files := list(self.folder.glob("runs/fake_guest/*/records-1/*.jsonl"))) or '"counted"' not in files[0].read_text():
                time.sleep(0.1)
            process.kill()
        self.guest = int(files[0].name.split("-")[0])
        self.addCleanup(lambda: self.guest and os.kill(self.guest, signal.SIGKILL))
        return files[0].parent.parent

    def end_guest(self):
        os.kill(self.guest, signal.SIGKILL)
        try:
            while pathlib.Path(f"/proc/{self.guest}/environ").read_bytes():
                time.sleep(0.05)
        except OSError:  # it is gone
            pass
        self.guest = None

    def test_what_the_program_wrote_becomes_a_run(self):
        folder = self.killed("--kernel", "^_Z3add")
        self.end_guest()
        result = self.call("profile", "--resume", folder)
        self.assert_exit(result, 0)
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        self.assertEqual([path for path in folder.iterdir() if path.is_dir()], [])
        self.assertEqual(self.latest().resolve(), folder.resolve())
        self.assertEqual(list(self.points()), ["add(float*)"])
        run = self.profiled()
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})
        self.assertEqual(run["command_line"][1:3], ["profile", "--kernel"])
        self.assertEqual(run["application"]["command_line"][1:], [GUEST, "often", "abrupt", "hang"])
        self.assertEqual({"exit_code", "wall_s"} & set(run["application"]), set())
        self.assertIn("rooflinectl was killed while the program ran: its exit code, and how long it took, are unknown", self.problems())
        again = self.call("profile", "--resume", folder)
        self.assert_exit(again, 2)
        self.assertIn("is complete: it has a run.json", again.stderr)

    def test_not_while_the_program_still_writes(self):
        folder = self.killed()
        result = self.call("profile", "--resume", folder)
        self.assert_exit(result, 3)
        self.assertIn(f"process {self.guest} is still running and may write more records", result.stderr)
        self.assertTrue(list(folder.glob("records-1/*.jsonl")))

    def test_a_folder_without_records(self):
        result = self.call("profile", "--resume", ".")
        self.assert_exit(result, 2)
        self.assertIn("has no records of a program", result.stderr)

    def test_there_is_nothing_else_to_choose(self):
        for arguments, why in [(["--samples", "5"], "--samples excludes --resume"), (["--", "true"], "--resume excludes a PROGRAM")]:
            result = self.call("profile", "--resume", ".", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(why, result.stderr)


class Again(ProfileTest):
    """A kernel that is launched once is counted in one pass a run."""

    def runs(self):
        return self.profiled()["application"]["runs"]

    def test_runs_the_program_again_for_what_one_run_cannot_count(self):
        result = self.profile()
        self.assert_exit(result, 0)
        self.assertIn("running the program again to complete the counters of 1 launch group (49.9 % of GPU time)", result.stderr)
        self.assertEqual(self.runs(), result.stdout.count("guest: out\n"))
        gemm = self.points()["gemm<script>alert(1)</script>"]
        self.assertEqual(gemm["launches"]["count"], 1)
        self.assertEqual((gemm["counters"]["fadd"], gemm["counters"]["tensor_bf16_ops"]), (1e6, 2e9))

    def test_not_if_that_is_forbidden(self):
        result = self.profile(options=["--once"])
        self.assert_exit(result, 0)
        self.assertEqual(self.runs(), 1)
        self.assertRegex(result.stderr, "counters incomplete for 1 launch group \(49.9 % of GPU time\); to complete them: "
                                        "rooflinectl profile --rerun -- ")
        self.assertIn("operations", self.points()["gemm<script>alert(1)</script>"]["counters"]["fadd"]["unavailable"])

    def why_gemm_is_incomplete(self):
        return self.points()["gemm<script>alert(1)</script>"]["counters"]["fadd"].get("unavailable")

    def test_a_run_that_knows_how_long_a_kernel_takes_counts_it(self):
        result = self.profile("long", options=["--once"])
        self.assert_exit(result, 0)
        cause = "a launch took longer than the program may be held for it (50 ms), and others ran beside it"
        self.assertEqual(self.why_gemm_is_incomplete(), cause)
        self.assertIn(cause, self.problems())
        self.assertIn("to complete them: rooflinectl profile --rerun -- ", result.stderr)
        result = self.profile("long")
        self.assert_exit(result, 0)
        self.assertGreater(self.runs(), 2)
        self.assertEqual(self.points()["gemm<script>alert(1)</script>"]["counters"]["fadd"], 1e6)
        self.assertEqual(self.problems(), [])
        self.assertNotIn("--rerun", result.stderr)

    def test_not_where_launches_wait_for_others(self):
        result = self.profile("alone", "often")
        self.assert_exit(result, 0)
        self.assertEqual(self.runs(), 1)
        self.assertIn("did not finish while the program was held for them", self.why_gemm_is_incomplete())
        self.assertNotIn("--rerun", result.stderr)

    def test_what_another_run_did_not_bring_is_not_promised(self):
        result = self.profile("stubborn", "often")
        self.assert_exit(result, 0)
        self.assertEqual(self.runs(), 2)
        self.assertEqual(self.why_gemm_is_incomplete(), "none of its 10 launches was counted in the pass operations")
        self.assertNotIn("--rerun", result.stderr)

    def test_not_after_the_time_limit_nor_for_one_of_several_ranks(self):
        self.assertNotIn("--rerun", self.profile("hang", options=["--timeout", 1]).stderr)
        self.assertNotIn("--rerun", self.profile(RANK="0", WORLD_SIZE="2").stderr)

    def test_not_if_it_failed_or_read_a_pipe(self):
        self.assert_exit(self.profile("exit:4"), 4)
        self.assertEqual(self.profiled()["application"]["runs"], 1)
        with subprocess.Popen([PROGRAM, "profile", "--", sys.executable, GUEST, "input"], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment()) as process:
            process.communicate(b"hello\n", timeout=60)
        self.assertEqual(self.profiled()["application"]["runs"], 1)

    def test_but_if_it_is_asked_for(self):
        self.assert_exit(self.profile("exit:4", options=["--rerun"]), 4)
        self.assertGreater(self.runs(), 2)

    def test_files_are_read_again_from_where_the_first_run_began(self):
        self.write("input", "hello\n")
        with open(self.folder / "input", encoding="utf-8") as file:
            result = subprocess.run([PROGRAM, "profile", "--", sys.executable, GUEST, "input"], cwd=self.folder, stdin=file,
                                    capture_output=True, text=True, timeout=60, env=self.environment(), check=False)
        self.assertGreater(self.runs(), 2)
        self.assertEqual(result.stdout, self.runs() * "guest: out\nhello\n")


class BadDays(ProfileTest):
    def test_no_such_program(self):
        result = self.call("profile", "--", "no-such-program")
        self.assert_exit(result, 2)
        self.assertIn("no-such-program: no such program", result.stderr)
        self.assertFalse((self.folder / "runs/no-such-program").exists())

    def test_a_program_that_cannot_be_executed(self):
        self.write("data", "")
        result = self.call("profile", "--", "./data")
        self.assert_exit(result, 2)
        self.assertIn("./data cannot be run: Permission denied", result.stderr)

    def test_no_program(self):
        for arguments in [[], ["--"]]:
            result = self.call("profile", *arguments)
            self.assert_exit(result, 2)
            self.assertEqual(result.stderr, "rooflinectl profile: a PROGRAM after --, or --resume DIR is required\n"
                             "hint: for example `rooflinectl profile -- python3 train.py --steps 20`\n")

    def test_a_program_without_the_dashes(self):
        result = self.call("profile", "./solver", "--steps", "3")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "rooflinectl profile: unexpected argument './solver'\n"
                         "hint: `rooflinectl profile -- ./solver` profiles this program\n")

    def test_an_expression_that_is_none(self):
        result = self.profile(options=["--kernel", "("])
        self.assert_exit(result, 2)
        self.assertIn("'(' is not a regular expression", result.stderr)
        self.assertNotIn("guest", result.stdout)

    def test_a_capture_that_is_none(self):
        result = self.profile(options=["--capture", "nvtx:"])
        self.assert_exit(result, 2)
        self.assertIn("'nvtx:' is not one of all, cuda-profiler and nvtx:NAME", result.stderr)

    def test_an_injection_variable_that_is_set(self):
        for name in ["CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"]:
            result = self.profile(**{name: "/opt/other.so"})
            self.assert_exit(result, 3)
            self.assertIn(f"{name} is already set to /opt/other.so", result.stderr)
            self.assertEqual(result.stdout, "")

    def test_a_build_without_the_library(self):
        result = subprocess.run([PROGRAM, "profile", "--", "true"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                                env={key: value for key, value in self.environment().items() if key != "ROOFLINECTL_INJECTION"},
                                check=False)
        if result.returncode != 1:  # a build with CUDA has it
            self.assert_exit(result, 3)
            self.assertIn("librooflinectl-injection.so is not installed", result.stderr)

    def test_its_exit_code_is_ours(self):
        self.assert_exit(self.profile("often", "exit:77"), 77)
        self.assertEqual(self.profiled()["application"]["exit_code"], 77)
        self.assertEqual(len(self.points()), 2)

    def test_a_program_that_crashes(self):
        self.assert_exit(self.profile("often", "half", "segv"), 128 + signal.SIGSEGV)
        self.assertEqual(len(self.points()), 2)
        self.assertIn("it ended without notice: what it did in its last second may be missing", self.problems())

    def test_a_program_that_ends_by_exit_without_clean_up(self):
        self.assert_exit(self.profile("often", "abrupt"), 0)
        self.assertEqual(len(self.points()), 2)
        self.assertIn("it ended without notice: what it did in its last second may be missing", self.problems())

    def test_a_program_that_never_uses_cuda(self):
        result = self.profile("silent")
        self.assert_exit(result, 1)
        self.assertEqual(result.stderr, "guest: error\nno process of the program used CUDA\nhint: the library is loaded through environment variables, "
                                        "which ssh, sudo, docker and srun --export drop: put `rooflinectl profile --` after them\n")
        self.assertEqual(result.stdout, "guest: out\n")
        self.assertEqual(list((self.folder / "runs").iterdir()), [])
        self.assert_exit(self.profile("silent", "exit:5", options=["--json"]), 5)
        self.assertEqual(list((self.folder / "runs").iterdir()), [])
        self.assert_exit(self.profile("often"), 0)
        self.assert_exit(self.profile("silent"), 1)
        self.assertEqual(len(list(self.latest().parent.glob("2*"))), 1)
        self.assertEqual(len(self.points()), 2)

    def test_a_program_that_launches_nothing(self):
        result = self.profile("idle")
        self.assert_exit(result, 1)
        self.assertIn("no kernel was launched", result.stderr)
        self.assertEqual((self.profiled()["devices"][0]["name"], self.profiled()["ceilings"]), ("Fake GPU", []))

    def test_a_program_that_initialises_cuda_and_ends(self):
        result = self.profile("early")
        self.assert_exit(result, 1)
        self.assertIn("no kernel was launched", result.stderr)

    def test_a_program_with_a_profiler_of_its_own(self):
        result = self.profile("unseen")
        self.assert_exit(result, 1)
        self.assertIn("nothing of this process was seen: another profiler is attached\nhint: run without it", result.stderr)

    def test_nothing_is_selected(self):
        result = self.profile("often", options=["--kernel", "convolution"])
        self.assert_exit(result, 1)
        self.assertIn("no launch is selected", result.stderr)

    def test_no_permission_to_count(self):
        result = self.profile("often", "forbidden")
        self.assert_exit(result, 0)
        self.assertIn("memory could not be counted: no permission to use the counters", result.stderr)
        run = self.profiled()
        self.assertEqual(run["application"]["runs"], 1)
        self.assertFalse(run["counter_session"]["available"])
        add = self.points()["add(float*)"]
        self.assertGreater(add["time"]["median_s"], 0)
        self.assertIn("no permission", add["counters"]["l2_bytes"]["unavailable"])

    def test_instrumentation_that_fails(self):
        self.assert_exit(self.profile("often", "blind"), 0)
        self.assertIn("instrumentation counted none", self.points()["add(float*)"]["counters"]["fadd"]["unavailable"])

    def test_records_that_could_not_be_written(self):
        self.assert_exit(self.profile("often", "lost"), 0)
        self.assertIn("7 records could not be written", self.problems())

    def test_launches_that_fail(self):
        result = self.profile("often", "failing")
        self.assert_exit(result, 0)
        self.assertEqual(self.profiled()["application"]["launches"], 110)
        self.assertEqual(sorted(self.points()), ["add(float*)", "gemm<script>alert(1)</script>"])
        cause = "4014 launches failed with CUDA_ERROR_INVALID_VALUE: they are in no count (add)"
        for text in [result.stderr, (self.latest() / "summary.md").read_text()]:
            self.assertIn(cause, " ".join(text.replace("\\_", "_").split()))

    def test_launches_beyond_what_a_process_records(self):
        self.assert_exit(self.profile("often", "endless"), 0)
        self.assertIn("12345 launches are left out: they are more, or in more launch groups, than a process records", self.problems())

    def test_a_program_that_hangs(self):
        begin = time.monotonic()
        result = self.profile("often", "hang", options=["--timeout", 1])
        self.assert_exit(result, 128 + signal.SIGTERM)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("the program was ended after 1 s", result.stderr)
        self.assertEqual(len(self.points()), 2)

    def test_progress_has_the_launches_where_they_are_traced(self):
        progress = [self.profile("often", "hang", *guest, options=["--timeout", 2]).stderr for guest in [[], ["untraced"]]]
        self.assertRegex(progress[0], r"(?m)^rooflinectl: 110 launches, 2 launch groups, \d+ counted; counting \w+$")
        self.assertRegex(progress[1], r"(?m)^rooflinectl: 2 launch groups, \d+ counted; counting \w+$")

    def interrupted(self, *guest, presses):
        with subprocess.Popen([PROGRAM, "profile", "--", sys.executable, GUEST, "often", *guest], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment(),
                              start_new_session=True) as process:
            process.stdout.readline()
            time.sleep(1)
            for _ in range(presses):
                os.killpg(process.pid, signal.SIGINT)
                time.sleep(0.5)
            errors = process.communicate(timeout=60)[1]
        return process.returncode, errors

    def test_ctrl_c_is_the_programs(self):
        code, errors = self.interrupted("hang", presses=1)
        self.assertEqual(code, 128 + signal.SIGINT, errors)
        self.assertEqual(len(self.points()), 2)
        self.assertEqual(self.profiled()["ceilings"], [])
        self.assertTrue(any("not measured after an interruption" in problem for problem in self.problems()))

    def test_a_second_ctrl_c_ends_it(self):
        code, errors = self.interrupted("deaf", presses=2)
        self.assertEqual(code, 128 + signal.SIGKILL, errors)
        self.assertEqual(len(self.points()), 2)

    def test_no_gpu_left_for_the_ceilings(self):
        result = self.profile("often", accidents="no_gpu@start")
        self.assert_exit(result, 0)
        self.assertEqual(self.profiled()["ceilings"], [])
        self.assertTrue(any("the ceilings of GPU" in problem for problem in self.problems()))
        self.assertEqual(self.profiled()["devices"][0]["chip"], "FK100")

    def test_other_programs_on_the_gpu(self):
        result = self.profile("often", accidents="crowded@start")
        self.assert_exit(result, 0)
        self.assertTrue(any("DRAM and L2 bytes may include their traffic" in problem for problem in self.problems()))
        self.assertIn("other programs are running on GPU", result.stderr)

    def test_no_collector(self):
        result = self.profile("often", ROOFLINECTL_COLLECTOR="/nonexistent")
        self.assert_exit(result, 0)
        self.assertEqual(len(self.points()), 2)
        self.assertTrue(any("the ceilings of GPU" in problem for problem in self.problems()))

    def test_a_run_that_cannot_be_saved_is_rescued(self):
        collector = self.folder / "collector"
        collector.write_text(f'#!/bin/sh\nrm -rf runs\ntouch runs\nexec {FAKE_COLLECTOR} "$@"\n')
        collector.chmod(0o755)
        result = self.profile("often", ROOFLINECTL_COLLECTOR=str(collector))
        self.assert_exit(result, 3)
        rescued = re.search(r"all results were saved to (\S+/run\.json)\n", result.stderr)[1]
        self.assertEqual(len(json.loads(pathlib.Path(rescued).read_text())["measurements"]), 2)

    def test_an_output_that_cannot_be_written(self):
        self.write("file", "")
        result = self.profile("often", options=["--output", "file/runs"])
        self.assert_exit(result, 3)
        self.assertNotIn("guest", result.stdout)


if __name__ == "__main__":
    unittest.main()
