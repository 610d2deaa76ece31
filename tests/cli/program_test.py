# SPDX-License-Identifier: Apache-2.0
"""The program `rooflinectl` from outside, with a collector that needs no GPU (fake_collector.py)."""

import gzip
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from recordings import REDUCTIONS as RECORDING, recorded

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
PROGRAM = os.environ["ROOFLINECTL"]
FAKE_COLLECTOR = str(HERE / "fake_collector.py")

PLAN = """\
name: demo
experiments:
  sums:
    variants: [reduce_*, sum_*]
    sizes: 2^20
"""
REPORTS = {"report.html", "points.csv", "summary.md", "roofline.svg", "roofline.png"}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "memory").mkdir()
        (self.folder / "temporary").mkdir()
        self.requests = self.folder / "requests"
        self.write("plan.yaml", PLAN)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def environment(self, accidents="", **extra):
        environment = dict(os.environ, ROOFLINECTL_COLLECTOR=FAKE_COLLECTOR, FAKE_COLLECTOR=accidents,
                           FAKE_COLLECTOR_STATE=str(self.folder / "memory"),
                           FAKE_COLLECTOR_REQUESTS=str(self.requests), XDG_CACHE_HOME=str(self.folder / "cache"),
                           TMPDIR=str(self.folder / "temporary"))
        environment.update(extra)
        return environment

    def call(self, *arguments, accidents="", **extra):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              env=self.environment(accidents, **extra), check=False)

    def run_plan(self, accidents="", *arguments, **extra):
        return self.call("run", "plan.yaml", *arguments, accidents=accidents, **extra)

    def run_json(self):
        return json.loads((self.folder / "runs/demo/latest/run.json").read_text())

    def measured(self):
        return {m["subject"]: m for m in self.run_json()["measurements"]}

    def sent_requests(self):
        return [json.loads(line) for line in self.requests.read_text().splitlines()]

    def assert_exit(self, result, code):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)

    def assert_nothing_written(self):
        self.assertFalse((self.folder / "runs").exists())


class Primitives(ProgramTest):
    PLAN = "name: demo\nceilings: dram_copy\nprimitives: all\n"

    def setUp(self):
        super().setUp()
        self.write("plan.yaml", self.PLAN)

    def results(self):
        return {result["id"]: result for result in self.run_json()["primitives"]}

    def test_are_listed(self):
        self.assertRegex(self.call("list", "primitives").stdout, r"shuffle_down_i32_cg +shuffle +cooperative groups +i32 +warp +1 ")
        self.assertEqual(len(json.loads(self.call("list", "primitives", "--json").stdout)["primitives"]), 4)
        self.assertIn("primitives: shuffle_down_i32, ", self.run_plan("", "--dry-run").stdout)

    def test_are_measured_and_drawn(self):
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertIn("plan: demo, 0 points, 4 primitives and 1 ceiling", result.stdout)
        self.assertRegex(result.stdout, r"shuffle down +i32 +ours +24\.5 ±0\.4 % +2\.00 ±")
        self.assertEqual(list(self.results()), ["shuffle_down_i32", "shuffle_down_i32_cg", "shuffle_up_i32", "shuffle_up_i32_cg"])
        written = self.folder / "runs/demo/latest"
        for extension in ["svg", "png", "pdf", "csv"]:
            self.assertTrue((written / f"primitives.{extension}").exists())
        self.assertIn("| shuffle down | i32 | ours | 24.5 ±0.4 % |", (written / "summary.md").read_text())
        self.assertEqual(len((written / "primitives.csv").read_text().splitlines()), 5)

    def test_stand_beside_points(self):
        self.write("plan.yaml", PLAN + "primitives: shuffle_up_*\n")
        self.assert_exit(self.run_plan(), 0)
        self.assertEqual(len(self.run_json()["measurements"]), 4)
        self.assertEqual(len(self.results()), 2)

    def test_a_crash_costs_one_and_resuming_measures_it(self):
        result = self.run_plan("segv@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("1 of 4 primitives failed", result.stdout)
        self.assertEqual([r["status"] for r in self.results().values()], ["ok", "ok", "failed", "ok"])
        self.assertIn("SIGSEGV while measuring", self.results()["shuffle_up_i32"]["cause"])
        resumed = self.call("run", "--resume", "runs/demo/latest")
        self.assert_exit(resumed, 0)
        self.assertEqual(self.sent_requests()[-1]["plan"]["primitives"], ["shuffle_up_i32"])
        self.assertEqual([r["status"] for r in self.results().values()], ["ok"] * 4)

    def test_a_wrong_result_is_shown_as_such(self):
        result = self.run_plan("unverified@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("shuffle_up_i32 unverified: wrong value in thread 3", result.stdout)
        self.assertRegex(result.stdout, r"shuffle up +i32 +ours +– +–")

    def test_one_that_the_plan_does_not_have_is_not_believed(self):
        result = self.run_plan("mistaken@primitives:shuffle_up_i32")
        self.assert_exit(result, 1)
        self.assertIn("measured a primitive that is not in the plan", self.results()["shuffle_up_i32"]["cause"])

    def test_are_replayed(self):
        self.assert_exit(self.run_plan("unverified@primitives:shuffle_up_i32_cg"), 1)
        recording = self.folder / "recording.json"
        run = self.run_json()
        run["primitives"].pop(0)
        recording.write_text(json.dumps(run))
        result = self.run_plan("", "--replay", recording)
        self.assert_exit(result, 0)
        self.assertIn("not in the recording: primitive shuffle_down_i32\n", result.stdout)
        self.assertEqual(len(self.results()), 3)


class CommandLine(ProgramTest):
    def test_help_teaches(self):
        result = self.call("--help")
        self.assert_exit(result, 0)
        for word in ["run", "report", "list", "version", "Examples:", "Exit codes:"]:
            self.assertIn(word, result.stdout)
        self.assertIn("--mode once", self.call("run", "--help").stdout)

    def test_mistakes_exit_with_2(self):
        for arguments in [[], ["frobnicate"], ["run"], ["run", "plan.yaml", "--nonsense"], ["run", "plan.yaml", "--json"],
                          ["run", "plan.yaml", "--quiet", "--verbose"], ["list", "colours"],
                          ["run", "no such file"], ["report", "no such file"], ["report"]]:
            self.assert_exit(self.call(*arguments), 2)
        self.assertIn("no such file", self.call("run", "no such file").stderr)
        self.assert_nothing_written()

    def test_version(self):
        self.assertRegex(self.call("version").stdout, r"^rooflinectl \d+\.\d+\.\d+ \(commit ")
        self.assertRegex(self.call("--version").stdout, r"^rooflinectl \d+\.\d+\.\d+$")
        version = json.loads(self.call("version", "--json").stdout)
        self.assertIs(version["can_measure"], True)
        self.assertRegex(version["version"], r"^\d+\.\d+\.\d+$")

    def test_list_shows_what_plans_can_name(self):
        output = self.call("list").stdout
        self.assertRegex(output, r"reduce_v0_global +f32 +128 256 512 ")
        self.assertRegex(output, r"sum_warp_shuffle +f32 f16 +256 +8 ")
        self.assertEqual(self.call("list", "variants").stdout, output)
        self.assertIn("dram_copy, dram_read, f32_add", self.call("list", "ceilings").stdout)
        self.assertEqual(json.loads(self.call("list", "--json").stdout)["variants"][0]["id"], "reduce_v0_global")

    def test_list_devices(self):
        self.assertRegex(self.call("list", "devices").stdout, r"\n0 +Fake GPU +9\.0 +100 +80\.0 GiB +50\.0 MiB +GPU-0000")
        self.assertEqual(json.loads(self.call("list", "devices", "--json").stdout)["devices"][0]["name"], "Fake GPU")
        result = self.call("list", "devices", accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertEqual(result.stderr, "no CUDA device was found\nhint: is the driver loaded?\n")
        self.assert_exit(self.call("list", "devices", accidents="segv@start"), 3)

    def test_list_metrics_with_their_passes(self):
        output = self.call("list", "metrics").stdout
        self.assertRegex(output, r"\nFK100 +2 *\n")
        self.assertRegex(output, r"\nFK90 +3 +fmul\n")
        output = self.call("list", "metrics", "--chip", "FK90").stdout
        self.assertIn("FK90: 3 passes\n", output)
        self.assertRegex(output, r"\nfadd +smsp__sass_thread_inst_executed_op_fadd_pred_on\.sum +what fadd is\n")
        self.assertRegex(output, r"\nfmul +\(none on this chip\)")

    def test_without_a_collector_the_ids_are_those_of_the_source_files(self):
        # A copy of the program has no collector beside it.
        copy = self.folder / "rooflinectl"
        copy.write_bytes(pathlib.Path(PROGRAM).read_bytes())
        copy.chmod(0o755)
        environment = {key: value for key, value in os.environ.items() if key != "ROOFLINECTL_COLLECTOR"}

        def call(*arguments):
            return subprocess.run([copy, *arguments], cwd=self.folder, capture_output=True, text=True, env=environment,
                                  timeout=60, check=False)

        listed = call("list").stdout
        for file in (SOURCE / "kernels/reduction").glob("*.cu"):
            self.assertIn(file.stem + "\n", listed)
        for file in (SOURCE / "kernels/ceilings").glob("*.cu"):
            self.assertIn(file.stem.removeprefix("ceiling_"), call("list", "ceilings").stdout)
        self.assert_exit(call("list", "metrics"), 3)
        self.assert_exit(call("run", str(SOURCE / "experiments.yaml"), "--dry-run"), 0)
        self.write("bad.yaml", PLAN.replace("reduce_*", "sum_atomix"))
        self.assert_exit(call("run", "bad.yaml"), 2)
        result = call("run", "plan.yaml")
        self.assert_exit(result, 3)
        self.assertIn("rooflinectl-collector is not installed", result.stderr)
        self.assert_nothing_written()


class Plans(ProgramTest):
    def test_all_mistakes_are_shown_and_nothing_is_written(self):
        self.write("experiments.yaml", PLAN.replace("reduce_*", "reduce_v3_seqential") + "    dtypes: fp32\n")
        for extra in [[], ["--dry-run"], ["--dry-run", "--json"]]:
            result = self.call("run", "experiments.yaml", *extra)
            self.assert_exit(result, 2)
            self.assertEqual(result.stdout, "")
            lines = result.stderr.splitlines()
            self.assertEqual(lines[0], "experiments.yaml:4:16: unknown variant 'reduce_v3_seqential'; "
                                       "did you mean 'reduce_v3_sequential'?")
            self.assertEqual(lines[1], "experiments.yaml:6:13: unknown dtype 'fp32'; did you mean 'f32'?")
        self.assert_nothing_written()

    def test_dry_run_lists_the_points_and_measures_nothing(self):
        result = self.run_plan("", "--dry-run")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"reduce_v0_global +f32 +2\^20 +cold +graph +256\n")
        self.assertRegex(result.stdout, r"sum_warp_shuffle +f32 +2\^20 +cold +graph +256 +8\n")
        self.assert_nothing_written()
        self.assertFalse(self.requests.exists())

    def test_dry_run_prints_the_request_that_a_run_sends(self):
        printed = self.run_plan("", "--dry-run", "--json", "--device", "GPU-7")
        self.assert_exit(printed, 0)
        self.assert_nothing_written()
        self.run_plan("", "--device", "GPU-7")
        self.assertEqual(json.loads(printed.stdout), self.sent_requests()[0])

    def test_the_shipped_plan_has_the_ladder_and_the_sums(self):
        text = (SOURCE / "experiments.yaml").read_text()
        for name in ["reduce_v0_global", "reduce_v1_shared", "reduce_v2_strided", "reduce_v3_sequential", "reduce_v4_add_on_load",
                     "reduce_v5_unroll_last_warp", "reduce_v6_unroll_complete", "reduce_v6_unroll_complete_manual",
                     "reduce_v7_multi_add", "reduce_v8_warp_shuffle", "sum_atomic", "sum_smem_tree", "sum_warp_shuffle",
                     "sum_block_shuffle"]:
            self.assertRegex(text, rf"- {name}\b")


class Runs(ProgramTest):
    def test_a_run_leaves_everything_in_its_folder(self):
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertIn("device: Fake GPU", result.stdout)
        self.assertIn("counters: 2 passes", result.stdout)
        self.assertRegex(result.stderr, r"\[4/4\] sums\.sum_warp_shuffle\.f32\.n1048576\.b256\.e8\.cold: 400\.0 µs")
        runs = self.folder / "runs/demo"
        self.assertRegex(os.readlink(runs / "latest"), r"^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$")
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in (runs / "latest").iterdir()})
        run = self.run_json()
        self.assertEqual(run["source"], "measured")
        self.assertEqual(run["command_line"][1:], ["run", "plan.yaml"])
        self.assertEqual(run["plan"]["text_sha256"], hashlib.sha256(PLAN.encode()).hexdigest())
        self.assertEqual(run["environment"]["variables"]["ROOFLINECTL_COLLECTOR"], FAKE_COLLECTOR)
        self.assertNotIn("HOME", run["environment"]["variables"])
        self.assertEqual(run["environment"]["kernel"], " ".join([os.uname().sysname, os.uname().release, os.uname().machine]))
        self.assertEqual([m["subject"] for m in run["measurements"]],
                         ["reduce_v0_global", "reduce_v3_sequential", "sum_atomic", "sum_warp_shuffle"])
        self.assertEqual(run["measurements"][0]["counters"]["fadd"], 1.25 * 2**20)
        self.assertEqual(run["measurements"][0]["counter_repeats"], 3)
        self.assertEqual(run["measurements"][0]["counter_spread"], {"dram_write_bytes": 1.0})
        self.assertEqual(run["counter_session"]["collection_s"], 0.25)
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_output_replaces_runs(self):
        self.assert_exit(self.run_plan("", "--output", "else where"), 0)
        self.assertTrue((self.folder / "else where/demo/latest/run.json").exists())
        self.assert_nothing_written()

    def test_an_output_that_cannot_be_written_is_found_before_measuring(self):
        self.write("runs", "a file in the way")
        result = self.run_plan()
        self.assert_exit(result, 3)
        self.assertIn("--output", result.stderr)
        self.assertNotIn("[1/4]", result.stderr)

    def test_quiet_prints_the_report_alone(self):
        result = self.run_plan("", "--quiet")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"^runs/demo/[^/\n]+/report\.html\n$")
        self.assertEqual(result.stderr, "")

    def test_quiet_still_tells_what_went_wrong(self):
        result = self.run_plan("uncounted@start failed@verify:1", "--quiet")
        self.assert_exit(result, 1)
        self.assertIn("reduce_v3_sequential.f32.n1048576.b256.cold: failed: out of memory", result.stderr)
        self.assertIn("counters are reserved for administrators", result.stderr)
        replayed = self.run_plan("no_gpu@start", "--quiet")
        self.assertRegex(replayed.stdout, r"^runs/demo/[^/\n]+/report\.html\n$")
        self.assertTrue(replayed.stderr.startswith("replayed, not measured: "), replayed.stderr)

    def test_verbose_shows_the_log(self):
        result = self.run_plan("chatty@time:1", "--verbose")
        self.assert_exit(result, 0)
        self.assertIn("collector: log line 49999\n", result.stderr)
        self.assertNotIn("collector: ", self.run_plan("chatty@time:1").stderr)

    def test_a_disk_that_fills_up_loses_nothing(self):
        def fill_up():
            # As a full disk does, this lets small files through and fails large ones; SIGXFSZ would kill.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

        (self.folder / "tmp").mkdir()
        result = subprocess.run([PROGRAM, "run", "plan.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=120,
                                env=self.environment("slow@time:1 slow@time:2", TMPDIR=str(self.folder / "tmp")),
                                preexec_fn=fill_up, check=False)
        self.assert_exit(result, 3)
        self.assertRegex(result.stderr, r"run\.json: cannot be written: File too large")
        # What was saved before stays readable.
        self.assertEqual(json.loads(next(self.folder.glob("runs/demo/*/run.json")).read_text())["devices"][0]["name"], "Fake GPU")

    @unittest.skipUnless("CLOCK_SET_BACK" in os.environ, "needs the library clock_set_back")
    def test_a_wall_clock_that_is_set_back_during_a_run(self):
        for readings in [1, 2]:
            result = self.run_plan("slow@time:1", LD_PRELOAD=os.environ["CLOCK_SET_BACK"], CLOCK_SET_BACK_AFTER=str(readings),
                                   ASAN_OPTIONS="verify_asan_link_order=0")
            self.assert_exit(result, 0)
            run = self.run_json()
            self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * 4)
            self.assertTrue(1.5 < run["wall_s"] < 60, run["wall_s"])
            (dram_read,) = [c for c in run["ceilings"] if c["id"] == "dram_read"]
            self.assertLess(dram_read["measured_utc"], run["started_utc"])
            shutil.rmtree(self.folder / "cache")

    def test_an_output_on_a_read_only_file_system_is_found_before_measuring(self):
        result = self.run_plan("", "--output", "/proc/self")
        self.assert_exit(result, 3)
        self.assertIn("/proc/self/demo: cannot be created", result.stderr)
        self.assertNotIn("[1/4]", result.stderr)

    def test_results_that_cannot_be_saved_are_rescued(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=self.environment("slow@time:2", TMPDIR=str(self.folder / "memory")))
        for line in process.stderr:
            if "[2/4]" in line:
                break
        shutil.rmtree(self.folder / "runs")
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3, stdout + stderr)
        rescued = re.search(r"all results were saved to (\S+/run\.json)\n", stderr)[1]
        self.assertEqual(len(json.loads(pathlib.Path(rescued).read_text())["measurements"]), 4)
        self.assertIn("hint: write the reports to another folder: rooflinectl report " + rescued, stderr)

    def test_no_counters(self):
        result = self.run_plan("", "--no-counters")
        self.assert_exit(result, 0)
        self.assertIn("counters: off", result.stdout)
        self.assertFalse(self.run_json()["counter_session"]["available"])

    def test_refused_counters_cost_the_counters_alone(self):
        result = self.run_plan("uncounted@start")
        self.assert_exit(result, 0)
        self.assertIn("counters: unavailable: counters are reserved for administrators", result.stdout)
        self.assertIn("hint: ask one", result.stdout)
        self.assertTrue(all(m["status"] == "ok" for m in self.run_json()["measurements"]))

    def test_an_unverified_or_failed_point_makes_exit_1(self):
        self.assert_exit(self.run_plan("unverified@verify:1"), 1)
        self.assertEqual(self.measured()["reduce_v3_sequential"]["cause"], "element 3: expected 1, got 2")
        self.assert_exit(self.run_plan("failed@verify:1"), 1)

    def test_no_gpu_is_told_in_the_collectors_words(self):
        result = self.run_plan("no_gpu@start", "--require-gpu")
        self.assert_exit(result, 3)
        self.assertEqual(result.stderr, "no CUDA device was found\nhint: is the driver loaded?\n")
        self.assert_nothing_written()


class Ceilings(ProgramTest):
    """Measured once, used until something changes that they depend on."""

    def ceilings(self, *arguments, accidents="", **extra):
        return self.call("ceilings", *arguments, accidents=accidents, **extra)

    def asked_for(self):
        """The ids that the last collector was asked to measure and not told of."""
        request = self.sent_requests()[-1]
        known = {name for known in request["known_ceilings"] for name in known["ids"]}
        return set(request["plan"]["ceilings"]) - known

    def test_measures_and_draws_them(self):
        result = self.ceilings()
        self.assert_exit(result, 0)
        for word in ["ceiling", "theoretical", "spread", "3.00 TB/s", "30.0 TFLOP/s"]:
            self.assertIn(word, result.stdout)
        folder = self.folder / "runs/ceilings/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        run = json.loads((folder / "run.json").read_text())
        self.assertEqual(run["measurements"], [])
        for ceiling in run["ceilings"]:
            self.assertEqual("measured_utc" in ceiling, ceiling["source"] == "measured", ceiling["id"])

    def test_a_later_run_takes_them_and_says_so(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertRegex(result.stderr, r"reusing 3 ceilings, measured \d{4}-\d\d-\d\d \d\d:\d\d UTC; --fresh measures again")
        self.assertNotIn("ceiling dram_read:", result.stderr)
        self.assertEqual({c["id"] for c in self.run_json()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_fresh_measures_again_and_keeps_what_it_found(self):
        self.assert_exit(self.ceilings(), 0)
        for call in [self.ceilings, lambda *arguments: self.run_plan("", *arguments)]:
            result = call("--fresh")
            self.assert_exit(result, 0)
            self.assertIn("ceiling dram_read:", result.stderr)
            self.assertEqual(self.sent_requests()[-1]["known_ceilings"], [])

    def test_quick_leaves_the_others_in_the_cache(self):
        self.assert_exit(self.ceilings("--quick"), 0)
        self.assertEqual(self.asked_for(), {"dram_copy", "dram_read", "f32_add"})

    def test_another_clock_makes_them_stale(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.ceilings(FAKE_COLLECTOR_CLOCK_HZ="1.2e9")
        self.assertNotIn("reusing", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_damaged_cache_is_named_and_not_used(self):
        self.assert_exit(self.ceilings(), 0)
        (cache,) = (self.folder / "cache/rooflinectl/ceilings").glob("*.json")
        cache.write_text("{")
        result = self.ceilings()
        self.assert_exit(result, 0)
        self.assertIn(f"{cache}: ", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_collector_that_makes_ceilings_up_is_not_believed(self):
        self.assert_exit(self.ceilings(), 0)
        self.assertNotIn("reusing", self.ceilings(accidents="boast@start").stderr)

    def test_each_is_shown_once_and_confirmed(self):
        result = self.ceilings()
        self.assertEqual(result.stderr.count("ceiling dram_read:"), 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        for ceiling in run["ceilings"]:
            self.assertEqual("confirmation" in ceiling, ceiling["id"] in {"dram_copy", "dram_read", "f32_add"})

    def test_what_was_not_counted_is_measured_again_where_it_can_be(self):
        self.assert_exit(self.ceilings("--no-counters"), 0)
        self.assertNotIn("ceiling dram_read:", self.ceilings("--no-counters").stderr)
        self.assertIn("ceiling dram_read:", self.ceilings().stderr)
        self.assertNotIn("ceiling dram_read:", self.ceilings().stderr)

    def test_a_crash_before_they_are_confirmed_measures_them_again(self):
        result = self.ceilings(accidents="segv@ceilings:f32_add")
        self.assert_exit(result, 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        confirmed = {c["id"] for c in run["ceilings"] if "confirmation" in c}
        self.assertEqual(confirmed, {"dram_copy", "dram_read"})

    def test_a_crash_while_they_are_confirmed_costs_the_confirmation(self):
        result = self.run_plan("segv@confirm:ceilings")
        self.assert_exit(result, 1)
        self.assertIn("confirmation of the ceilings: crashed with SIGSEGV while confirming", result.stdout)
        self.assertEqual(len(self.measured()), 4)
        self.assertIn("dram_read", {c["id"] for c in self.run_json()["ceilings"]})

    def test_ctrl_c_keeps_what_was_measured(self):
        process = subprocess.Popen([PROGRAM, "ceilings"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=self.environment("hang@ceilings:f32_add"))
        for line in process.stderr:
            if line.startswith("ceiling dram_read:"):
                break
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        self.assertIn("the finished results are saved: rooflinectl report runs/ceilings/", stderr)
        (file,) = (self.folder / "runs/ceilings").glob("*/run.json")
        self.assertIn("dram_read", {c["id"] for c in json.loads(file.read_text())["ceilings"]})

    def test_a_crash_costs_one_ceiling(self):
        result = self.ceilings(accidents="segv@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn("ceiling dram_read: crashed with SIGSEGV while measuring", result.stdout)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "launch", "dram_copy", "f32_add"})

    def test_without_a_gpu_there_is_nothing_to_measure(self):
        result = self.ceilings(accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no CUDA device was found", result.stderr)
        self.assert_nothing_written()


class Doctor(ProgramTest):
    def doctor(self, *arguments, accidents="", **tools):
        """With tools in the PATH that print these texts, and no others."""
        folder = self.folder / "tools"
        folder.mkdir(exist_ok=True)
        for name, text in tools.items():
            (folder / name).write_text(f"#!/bin/sh\necho '{text}'\n")
            (folder / name).chmod(0o755)
        return self.call("doctor", *arguments, accidents=accidents, PATH=f"{folder}:/usr/bin:/bin")

    def test_tells_what_works(self):
        result = self.doctor(ncu="Version 2025.3.1.0 (build 1)")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^ok +driver +580\.00$")
        self.assertRegex(result.stdout, r"(?m)^ok +ncu +2025\.3\.1 \(")
        self.assertIn("This machine can measure.", result.stdout)

    def test_refused_counters_do_not_stop_measuring(self):
        result = self.doctor(accidents="uncounted@start")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^fails +counters +reserved\n +ask an administrator$")

    def test_without_a_gpu_exits_with_3_in_the_words_of_a_run(self):
        result = self.doctor(accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("This machine cannot measure.", result.stdout)
        run = self.run_plan("no_gpu@start", "--require-gpu").stderr
        self.assertIn(re.search(r"fails +driver +(.*)", result.stdout)[1], run)

    def test_a_collector_that_dies_is_a_finding(self):
        result = self.doctor(accidents="segv@checks")
        self.assert_exit(result, 3)
        self.assertRegex(result.stdout, r"(?m)^fails +collector +.*crashed with SIGSEGV")

    def test_an_nsys_without_its_importer_is_told(self):
        result = self.doctor(nsys="NVIDIA Nsight Systems version 2025.3.1.90-253135822126v0")
        self.assertRegex(result.stdout, r"(?m)^warning +nsys +2025\.3\.1 .*\.qdstrm but no report$")
        (self.folder / "tools/host-linux-x64").mkdir()
        importer = self.folder / "tools/host-linux-x64/QdstrmImporter"
        importer.write_text("#!/bin/sh\n")
        importer.chmod(0o755)
        self.assertRegex(self.doctor().stdout, r"(?m)^ok +nsys +2025\.3\.1 ")

    def test_a_tool_older_than_cuda_13_is_told(self):
        result = self.doctor(nsys="NVIDIA Nsight Systems version 2022.4.2.1-df9881f", ncu="Version 2025.2.1.0 (build 1)")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^warning +nsys +2022\.4\.2 .*; older than CUDA 13: it sees NVTX ranges, "
                                        r"but no kernels\n +install Nsight Systems 2025\.3 or newer$")
        self.assertRegex(result.stdout, r"(?m)^warning +ncu +2025\.2\.1 .*; older than CUDA 13: it sees no kernels\n"
                                        r" +install Nsight Compute 2025\.3 or newer$")
        self.assertRegex(self.doctor(ncu="Version 2026.1.0.0").stdout, r"(?m)^ok +ncu +2026\.1\.0 ")

    def test_a_tool_that_does_not_answer_is_told(self):
        self.assertRegex(self.doctor(ncu="what?").stdout, r"(?m)^fails +ncu +.*does not print its version$")

    def test_json(self):
        checks = json.loads(self.doctor("--json").stdout)["checks"]
        self.assertEqual(checks[0], {"subject": "driver", "status": "ok", "detail": "580.00", "fix": "",
                                     "stops_measuring": False})


class SelfTest(ProgramTest):
    def test_a_table_and_a_verdict(self):
        result = self.call("selftest")
        self.assert_exit(result, 0)
        self.assertIn("device: Fake GPU (GPU 0, GPU-0000", result.stdout)
        self.assertRegex(result.stdout, r"(?m)^known work +quantity +expected +counted +tolerance +verdict$")
        self.assertRegex(result.stdout, r"(?m)^f32_add +fadd +1024 +1024 +exact +agrees$")
        self.assertIn("self-test: 2 of 2 numbers agree with known work\n", result.stdout)

    def test_a_difference_exits_with_1_and_names_what_it_makes_suspect(self):
        result = self.call("selftest", accidents="miscount@self_test:counters")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^f32_add +fadd +1024 +1025 +exact +differs$")
        self.assertIn("suspect: executed f32 operations", result.stdout)
        answer = json.loads(self.call("selftest", "--json", accidents="miscount@self_test:counters").stdout)
        self.assertIs(answer["passed"], False)
        self.assertEqual([a["verdict"] for a in answer["self_test"]["agreements"]], ["differs", "agrees"])
        self.assertEqual(answer["device"]["name"], "Fake GPU")

    def test_a_run_begins_with_the_checks_of_doctor(self):
        result = self.run_plan("crowded@start")
        self.assert_exit(result, 0)
        self.assertIn("warning: other programs: 2 on this GPU\n  nvidia-smi lists them", result.stderr)
        self.assertNotIn("other programs", self.run_plan("crowded@start", "--quiet").stderr)
        stopped = self.run_plan("unfit@start", "--require-gpu")
        self.assert_exit(stopped, 3)
        self.assertEqual(stopped.stderr, "this build has no code for this GPU\nhint: build it for sm_61\n")
        self.assertEqual(len(self.sent_requests()), 2, "nothing is asked of a collector that cannot measure")

    def test_no_counters_exits_with_3_in_the_words_of_a_run(self):
        result = self.call("selftest", accidents="uncounted@start")
        self.assert_exit(result, 3)
        self.assertEqual(result.stderr, "counters are reserved for administrators\nhint: ask one\n")
        self.assertIn("counters: unavailable: counters are reserved for administrators\n  hint: ask one\n",
                      self.run_plan("uncounted@start").stdout)
        self.assert_exit(self.call("selftest", accidents="no_gpu@start"), 3)
        self.assert_exit(self.call("selftest", accidents="segv@start"), 3)

    def test_a_run_begins_with_it_and_keeps_it(self):
        self.assert_exit(self.run_plan(), 0)
        self.assertNotIn("self_test", self.run_json())
        self.assertIs(self.sent_requests()[0]["self_test"], False)
        result = self.run_plan("", "--selftest")
        self.assert_exit(result, 0)
        self.assertEqual(len(self.run_json()["self_test"]["agreements"]), 2)
        self.assertIn("self-test: 2 of 2 numbers agree", result.stdout)
        self.assertIn("## Self-test", (self.folder / "runs/demo/latest/summary.md").read_text())
        self.assertNotIn("self-test", self.run_plan("", "--selftest", "--quiet").stderr)

    def test_a_complete_run_is_resumed_for_it_once(self):
        self.assert_exit(self.run_plan(), 0)
        resume = ["run", "--resume", "runs/demo/latest", "--selftest"]
        self.assertIn("self-test: 2 of 2 numbers agree", self.call(*resume).stdout)
        self.assertEqual(len(self.run_json()["self_test"]["agreements"]), 2)
        self.assertIn("nothing to resume", self.call(*resume).stderr)

    def test_a_run_whose_counters_differ_is_complete_and_exits_with_1(self):
        result = self.run_plan("miscount@self_test:counters", "--selftest")
        self.assert_exit(result, 1)
        self.assertIn("self-test f32_add: fadd is 1025, but should be 1024; suspect: executed f32", result.stdout)
        self.assertIn("suspect: executed f32", (self.folder / "runs/demo/latest/summary.md").read_text())
        self.assertEqual({m["status"] for m in self.run_json()["measurements"]}, {"ok"})
        self.assertIn("self-test: 1 of 2", self.run_plan("miscount@self_test:counters", "--selftest", "--quiet").stderr)

    def test_without_counters_a_run_says_that_nothing_was_tested(self):
        result = self.run_plan("uncounted@start", "--selftest")
        self.assert_exit(result, 0)
        self.assertIn("self-test: nothing was tested: no counters: counters are reserved for administrators\n",
                      result.stdout)
        self.assertEqual(self.run_json()["self_test"]["agreements"], [])
        self.assert_exit(self.run_plan("", "--selftest", "--no-counters"), 2)

    def test_a_crash_costs_the_self_test_alone(self):
        result = self.run_plan("segv@self_test:counters", "--selftest")
        self.assert_exit(result, 1)
        self.assertIn("self-test: nothing was tested: crashed with SIGSEGV while testing\n", result.stdout)
        self.assertEqual([r["self_test"] for r in self.sent_requests()], [True, False])
        self.assertEqual({m["status"] for m in self.run_json()["measurements"]}, {"ok"})


class Replay(ProgramTest):
    """Without a GPU a recording takes the place of a run. The demo plan's sums are in the shipped one, its ladder is not
    (it is recorded at other sizes)."""

    def test_without_a_gpu_the_shipped_recording_is_replayed(self):
        result = self.run_plan("no_gpu@start")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout.splitlines()[0],
                         r"^replayed, not measured: recording of NVIDIA H200, \d{4}-\d\d-\d\d .*no CUDA device was found")
        run = self.run_json()
        recording = recorded()
        self.assertEqual(run["source"], "replayed")
        self.assertEqual(run["devices"], [recording["device"]])
        self.assertEqual(run["started_utc"], recording["started_utc"])
        self.assertEqual(set(self.measured()), {"sum_atomic", "sum_warp_shuffle"})
        (time,) = [m["time"]["median_s"] for m in recording["measurements"]
                   if m["variant"] == "sum_atomic" and m["dtype"] == "f32" and m["n"] == 2**20]
        self.assertAlmostEqual(self.measured()["sum_atomic"]["time"]["median_s"] / time, 1, delta=1e-6)
        self.assertIn("not in the recording: 2 of the plan's 4 points; measuring them requires a GPU\n  sums.reduce_v0_global.f32.n1048576", result.stdout)
        folder = self.folder / "runs/demo/latest"
        for name in REPORTS:
            self.assertTrue((folder / name).exists(), name)
        for name in ["summary.md", "report.html", "roofline.svg"]:
            text = (folder / name).read_text()
            self.assertIn("replayed", text, name)
            self.assertIn("NVIDIA H200", text, name)
        self.assertIn("\nincomplete, 2 of 4 points missing: V0, V3; replayed; ", result.stdout)

    def test_a_point_is_matched_by_its_work_not_by_its_experiment(self):
        self.write("plan.yaml", PLAN.replace("sums:", "elsewhere:").replace("reduce_*, ", ""))
        self.assert_exit(self.run_plan("no_gpu@start"), 0)
        self.assertEqual({m["experiment"] for m in self.run_json()["measurements"]}, {"elsewhere"})

    def test_a_recording_can_be_named(self):
        self.assert_exit(self.run_plan(), 0)
        measured = (self.folder / "runs/demo/latest/run.json").resolve()
        result = self.run_plan("", "--replay", measured)
        self.assert_exit(result, 0)
        self.assertTrue(result.stdout.startswith("replayed, not measured: recording of Fake GPU, "), result.stdout)
        self.assertEqual(len(self.run_json()["measurements"]), 4)

    def test_nothing_to_replay_exits_with_3(self):
        self.write("plan.yaml", PLAN.replace("2^20", "12345"))
        result = self.run_plan("no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no recording contains any point of this plan", result.stderr)
        self.assert_nothing_written()

    def test_a_damaged_recording_exits_with_2(self):
        self.write("broken.json", json.dumps(recorded())[:5000])
        result = self.run_plan("", "--replay", "broken.json")
        self.assert_exit(result, 2)
        self.assertIn("broken.json", result.stderr)
        self.assert_nothing_written()

    def test_an_error_of_the_users_is_not_replayed_over(self):
        self.write("runs", "a file where the folder should be")
        result = self.run_plan()
        self.assert_exit(result, 3)
        self.assertNotIn("replayed", result.stdout)


class Accidents(ProgramTest):
    def assert_lost(self, accident, variant, cause, **extra):
        """One point is lost with its cause; all others are measured and counted."""
        result = self.run_plan(accident, **extra)
        self.assert_exit(result, 1)
        measured = self.measured()
        self.assertEqual(len(measured), 4)
        for name, measurement in measured.items():
            self.assertEqual(measurement["status"], "failed" if name == variant else "ok", name)
            if name != variant:
                self.assertEqual(measurement["counters"]["fadd"], 1.25 * 2**20)
        self.assertEqual(measured[variant]["cause"], cause)
        self.assertIn(cause, result.stdout)

    def test_a_crash(self):
        self.assert_lost("segv@time:1", "reduce_v3_sequential", "crashed with SIGSEGV while timing")
        first, second = self.sent_requests()
        self.assertEqual((first["skip_points"], first["count_only_points"], first["skip_ceilings"]), ([], [], False))
        self.assertEqual((second["skip_points"], second["count_only_points"], second["skip_ceilings"]), ([1], [0], True))

    def test_an_exit(self):
        self.assert_lost("exit5@verify:0", "reduce_v0_global", "exited with code 5 while verifying")

    def test_an_early_end(self):
        self.assert_lost("exit0@time:3", "sum_warp_shuffle", "exited with code 0 while timing")

    def test_half_a_line(self):
        self.assert_lost("half@time:2", "sum_atomic", "exited with code 1 while timing")

    def test_rubbish(self):
        self.assert_lost("rubbish@time:2", "sum_atomic", "sent a line that cannot be parsed while timing")

    def test_a_point_that_the_plan_does_not_have(self):
        self.assert_lost("astray@time:2", "sum_atomic", "reported progress on a point that is not in the plan while timing")

    def test_the_result_of_another_point(self):
        self.assert_lost("mistaken@time:2", "sum_atomic", "measured a point that is not in the plan while timing")

    def test_counters_before_the_time(self):
        self.assert_lost("early@time:2", "sum_atomic", "counted a point that was not measured while timing")

    def test_a_line_without_end(self):
        self.assert_lost("endless@time:2", "sum_atomic", "sent a line that never ends while timing")

    def test_a_hang(self):
        self.assert_lost("hang@verify:2", "sum_atomic", "hung (no output for 3 s) while verifying",
                         ROOFLINECTL_SILENCE_LIMIT="3")

    def test_a_silence_limit_that_is_no_number(self):
        result = self.run_plan(ROOFLINECTL_SILENCE_LIMIT="soon")
        self.assert_exit(result, 2)
        self.assertIn("ROOFLINECTL_SILENCE_LIMIT: 'soon'", result.stderr)
        self.assert_nothing_written()

    def test_a_point_that_is_left_out(self):
        self.assert_lost("skip@time:1", "reduce_v3_sequential", "not measured: the collector skipped it")

    def test_a_context_that_is_lost_after_the_result(self):
        self.assert_lost("poison@time:1", "reduce_v3_sequential", "an illegal memory access")

    def test_a_collector_that_is_killed(self):
        self.assert_lost("kill@time:2", "sum_atomic", "crashed with SIGKILL while timing")

    def test_a_collector_that_is_stopped(self):
        self.assert_lost("stop@time:2", "sum_atomic", "hung (no output for 2 s) while timing",
                         ROOFLINECTL_SILENCE_LIMIT="2")

    def test_a_crash_between_points_costs_nothing(self):
        self.assert_exit(self.run_plan("exit5@end:once"), 0)

    def test_a_crash_while_counting_costs_the_counters_of_one_point(self):
        result = self.run_plan("segv@count:2")
        self.assert_exit(result, 1)
        self.assertIn("counters of sums.sum_atomic.f32.n1048576.b256.cold: crashed with SIGSEGV while counting",
                      result.stdout)
        measured = self.measured()
        self.assertTrue(all(m["status"] == "ok" and "time" in m for m in measured.values()))
        self.assertEqual(measured["sum_atomic"]["counters"]["fadd"],
                         {"unavailable": "crashed with SIGSEGV while counting"})
        self.assertEqual(measured["reduce_v0_global"]["counters"]["fadd"], 1.25 * 2**20)
        self.assertEqual(self.sent_requests()[1]["count_only_points"], [0, 1, 3])

    def test_a_crash_in_a_ceiling_costs_that_ceiling(self):
        result = self.run_plan("segv@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn("ceiling dram_read: crashed with SIGSEGV", result.stdout)
        self.assertEqual({c["id"] for c in self.run_json()["ceilings"]}, {"dram", "launch", "dram_copy", "f32_add"})
        self.assertEqual(self.sent_requests()[1]["plan"]["ceilings"], ["dram_copy", "f32_add"])
        self.assertEqual(self.run_json()["plan"]["ceilings"], ["dram_copy", "dram_read", "f32_add"])

    def test_counters_that_were_taken_away_are_told_once(self):
        result = self.run_plan("busy@end")
        self.assert_exit(result, 1)
        self.assertEqual(result.stdout.count("counters: another program holds the performance counters"), 1, result.stdout)
        self.assertEqual([m["status"] for m in self.run_json()["measurements"]], ["ok"] * 4)
        self.assertEqual(len(self.sent_requests()), 1)

    def test_counters_that_are_taken_away_between_two_experiments(self):
        self.write("plan.yaml", PLAN + "  more: {variants: sum_*, sizes: 2^21}\n")
        result = self.run_plan("busy@counters:4 busy@counters:5")
        self.assert_exit(result, 1)
        self.assertEqual(result.stdout.count("counters: another program holds the performance counters"), 1, result.stdout)
        run = self.run_json()
        self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * 6)
        for measurement in run["measurements"]:
            if measurement["experiment"] == "sums":
                self.assertEqual(measurement["counters"]["fadd"], 1.25 * 2**20)
            else:
                self.assertEqual(measurement["counters"]["fadd"], {"unavailable": "another program holds the performance counters"})
        self.assert_exit(self.call("run", "--resume", "runs/demo/latest"), 0)
        self.assertEqual(self.sent_requests()[-1]["count_only_points"], [4, 5])
        self.assertEqual(self.run_json()["measurements"][5]["counters"]["fadd"], 1.25 * 2**21)

    def test_a_ceiling_without_memory_costs_that_ceiling(self):
        result = self.run_plan("nomemory@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn("ceiling dram_read: out of memory", result.stdout)
        self.assertEqual([m["status"] for m in self.run_json()["measurements"]], ["ok"] * 4)

    def test_a_collector_that_dies_again_and_again_is_given_up(self):
        self.write("plan.yaml", PLAN.replace("2^20", "[" + ", ".join(map(str, range(1, 11))) + "]"))
        result = self.run_plan(" ".join(f"segv@time:{point}" for point in range(40)))
        self.assert_exit(result, 1)
        self.assertIn("the collector died 21 times", result.stderr)
        self.assertEqual(len(self.run_json()["measurements"]), 40)
        self.assertEqual(len(self.sent_requests()), 21)

    def test_a_failure_in_the_middle_keeps_what_was_measured(self):
        result = self.run_plan("refuse@time:2")
        self.assert_exit(result, 3)
        self.assertIn("the GPU has fallen off the bus\nhint: look at dmesg\n", result.stderr)
        self.assertEqual([m["status"] for m in self.run_json()["measurements"]], ["ok", "ok", "failed", "failed"])
        self.assertEqual(len(self.sent_requests()), 1)

    def test_a_collector_that_does_not_start(self):
        for accident in ["segv@start", "exit0@start", "rubbish@start", "rude@start"]:
            result = self.run_plan(accident)
            self.assert_exit(result, 3)
            self.assertIn("before measuring anything", result.stderr)
        result = self.run_plan("segv@checks")
        self.assert_exit(result, 3)
        self.assertIn("--checks 0 crashed with SIGSEGV", result.stderr)
        self.assert_exit(self.run_plan(ROOFLINECTL_COLLECTOR="/no/such/program"), 3)
        self.assert_nothing_written()

    def test_a_collector_that_does_not_listen(self):
        self.write("plan.yaml", PLAN.replace("2^20", "[" + ", ".join(map(str, range(5000))) + "]"))
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stderr=subprocess.PIPE,
                                   env=self.environment("deaf@start"))
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and not children.read_text(encoding="utf-8"):
            time.sleep(0.05)
        time.sleep(1)  # until the collector, and not only the checks before it, is asked
        process.send_signal(signal.SIGTERM)
        self.assertIn(b"before anything was measured", process.communicate(timeout=30)[1])
        self.assertEqual(process.returncode, 143)

    def test_much_talk_goes_to_the_log(self):
        result = self.run_plan("chatty@time:1")
        self.assert_exit(result, 0)
        self.assertNotIn("log line", result.stdout + result.stderr)
        self.assertIn("log line 49999\n", (self.folder / "runs/demo/latest/collector.log").read_text())


class Interruption(ProgramTest):
    def interrupt(self, number, accidents):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(accidents))
        for line in process.stderr:
            if line.startswith("[2/4]"):
                break
        process.send_signal(number)
        output, errors = process.communicate(timeout=30)
        (run,) = (self.folder / "runs/demo").glob("*/run.json")
        return process.returncode, output + errors, json.loads(run.read_text())

    def test_ctrl_c_keeps_what_was_measured(self):
        code, output, run = self.interrupt(signal.SIGINT, "hang@time:2")
        self.assertEqual(code, 130)
        self.assertIn("the finished results are saved: rooflinectl report runs/demo/", output)
        self.assertEqual([m["subject"] for m in run["measurements"]], ["reduce_v0_global", "reduce_v3_sequential"])

    def test_so_does_sigterm(self):
        code, _, run = self.interrupt(signal.SIGTERM, "hang@time:2")
        self.assertEqual(code, 143)
        self.assertEqual(len(run["measurements"]), 2)

    def test_either_signal_in_each_phase(self):
        """Interrupted, a run ends soon, its run.json is whole, and --resume makes it complete."""
        for number in [signal.SIGINT, signal.SIGTERM]:
            for place, points in [("ceilings:f32_add", 0), ("confirm:ceilings", 0), ("verify:2", 2), ("time:2", 2), ("count:1", 4)]:
                with self.subTest(f"{number.name} at {place}"):
                    self.setUp()
                    process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL, env=self.environment(f"mark@{place} hang@{place}"))
                    mark = self.folder / "memory" / f"reached_{place.replace(':', '_')}"
                    deadline = time.monotonic() + 60
                    while not mark.exists() and time.monotonic() < deadline:
                        time.sleep(0.01)
                    time.sleep(0.2)
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=30), 128 + number)
                    (file,) = (self.folder / "runs/demo").glob("*/run.json")
                    run = json.loads(file.read_text())
                    self.assertEqual([m["status"] for m in run["measurements"]], ["ok"] * points)
                    self.assert_exit(self.call("run", "--resume", file.parent), 0)
                    resumed = json.loads(file.read_text())
                    self.assertEqual([m["status"] for m in resumed["measurements"]], ["ok"] * 4)
                    for before, after in zip(run["measurements"], resumed["measurements"]):
                        self.assertEqual(before["time"], after["time"])

    def test_two_runs_at_once_are_told_of_each_other(self):
        first = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, env=self.environment("hang@time:1:once"))
        self.addCleanup(first.communicate)
        self.addCleanup(first.kill)
        for line in first.stderr:
            if line.startswith("[1/4]"):
                break
        warning = f"another rooflinectl (process {first.pid}) is measuring on this GPU: the times of both runs are unreliable\n"
        second = self.run_plan()
        self.assert_exit(second, 0)
        self.assertIn(warning, second.stderr)
        self.assertNotIn("another rooflinectl", self.run_plan(FAKE_COLLECTOR_UUID="GPU-1").stderr)
        first.kill()
        first.wait()
        self.assertNotIn("another rooflinectl", self.run_plan().stderr)

    def test_results_are_on_disk_while_the_run_goes_on(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:2"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 30
        statuses = []
        while statuses != ["ok", "ok"] and time.monotonic() < deadline:
            time.sleep(0.1)
            for run in (self.folder / "runs").glob("demo/*/run.json"):
                statuses = [m["status"] for m in json.loads(run.read_text())["measurements"]]
        self.assertEqual(statuses, ["ok", "ok"])


    def test_the_collector_does_not_outlive_a_killed_program(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:0"))
        for line in process.stdout:
            if line.startswith(b"results"):
                break
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        self.assertEqual(len(children), 1)
        process.kill()
        process.communicate(timeout=30)
        stat = pathlib.Path(f"/proc/{children[0]}/stat")
        deadline = time.monotonic() + 10
        while stat.exists() and stat.read_text().split(") ")[1][0] != "Z" and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(not stat.exists() or stat.read_text().split(") ")[1][0] == "Z")


class Resuming(ProgramTest):
    """What is missing or failed is measured, the rest is kept."""

    def the_folder(self):
        (folder,) = [path for path in (self.folder / "runs/demo").iterdir() if not path.is_symlink() and path.is_dir()]
        return folder

    def resume(self, accidents="", *arguments, folder=None, **extra):
        return self.call("run", "--resume", folder or self.the_folder(), *arguments, accidents=accidents, **extra)

    def run_of(self, folder=None):
        return json.loads(((folder or self.the_folder()) / "run.json").read_text())

    def asked_for(self):
        """Of the last collector: points to measure, points to count, ceilings."""
        request = self.sent_requests()[-1]
        counted = set(request["count_only_points"])
        return set(range(4)) - set(request["skip_points"]) - counted, counted, set(request["plan"]["ceilings"])

    def interrupt(self, accidents, line, number=signal.SIGINT):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=self.environment(accidents))
        for text in process.stderr:
            if text.startswith(line):
                break
        process.send_signal(number)
        errors = process.communicate(timeout=30)[1]
        self.assertEqual(process.returncode, -number if number == signal.SIGKILL else 128 + number, errors)
        return errors

    def test_goes_on_after_ctrl_c(self):
        told = self.interrupt("hang@time:2", "[2/4]")
        before = self.run_of()
        folder = self.the_folder()
        self.assertIn(f"to finish: rooflinectl run --resume {folder.relative_to(self.folder)}\n", told)
        result = self.resume(folder=f"runs/demo/{folder.name}")
        self.assert_exit(result, 0)
        self.assertEqual(self.asked_for(), ({2, 3}, {0, 1}, set()))
        self.assertIn("resumed: 2 points to measure, 2 to count\n", result.stdout)
        self.assertIn("[3/4] sums.sum_atomic", result.stderr)
        after = self.run_of()
        self.assertEqual([m["status"] for m in after["measurements"]], ["ok"] * 4)
        self.assertTrue(all(m["counters"]["fadd"] == 1.25 * 2**20 for m in after["measurements"]))
        for old, new in zip(before["measurements"], after["measurements"]):
            self.assertEqual(old["time"], new["time"])
        self.assertEqual(after["started_utc"], before["started_utc"])
        self.assertEqual(after["command_line"], before["command_line"])
        self.assertGreater(after["wall_s"], before["wall_s"])
        self.assertRegex(after["resumed_utc"][0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertLessEqual(REPORTS, {path.name for path in folder.iterdir()})
        self.assertEqual(os.readlink(self.folder / "runs/demo/latest"), folder.name)

    def test_a_compressed_run_stays_compressed(self):
        self.interrupt("hang@time:2", "[2/4]")
        plain = self.the_folder() / "run.json"
        compressed = plain.with_name("run.json.gz")
        compressed.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        self.assert_exit(self.resume(), 0)
        self.assertFalse(plain.exists())
        self.assertEqual([m["status"] for m in recorded(compressed)["measurements"]], ["ok"] * 4)

    def test_goes_on_after_a_killed_program(self):
        self.interrupt("slow@time:2 hang@time:3", "[3/4]", signal.SIGKILL)
        kept = len(self.run_of()["measurements"])
        self.assert_exit(self.resume(), 0)
        self.assertEqual(self.asked_for(), (set(range(kept, 4)), set(range(kept)), set()))

    def test_what_failed_is_measured_again_what_is_wrong_is_kept(self):
        self.assert_exit(self.run_plan("segv@time:1 unverified@verify:3"), 1)
        result = self.resume("unverified@verify:3", folder=self.folder / "runs/demo/latest")
        self.assert_exit(result, 1)
        self.assertEqual(self.asked_for(), ({1}, set(), set()))
        self.assertEqual([m["status"] for m in self.run_of()["measurements"]], ["ok", "ok", "ok", "unverified"])
        self.assertIn("1 of 4 points failed or could not be verified", result.stdout)

    def test_what_lacks_its_counters_is_counted(self):
        self.assert_exit(self.run_plan("uncounted@start"), 0)
        self.assert_exit(self.resume(), 0)
        run = self.run_of()
        self.assertEqual(self.asked_for()[:2], (set(), {0, 1, 2, 3}))
        self.assertTrue(run["counter_session"]["available"])
        self.assertTrue(all(m["counters"]["fadd"] == 1.25 * 2**20 for m in run["measurements"]))

    def test_counters_that_are_still_not_there_change_nothing(self):
        self.assert_exit(self.run_plan("segv@count:2"), 1)
        before = self.run_of()["measurements"]
        self.assert_exit(self.resume("uncounted@start"), 0)
        self.assertEqual(self.run_of()["measurements"], before)

    def test_ceilings_that_are_missing_are_measured(self):
        self.assert_exit(self.run_plan("segv@ceilings:f32_add"), 1)
        self.assert_exit(self.resume(), 0)
        self.assertEqual(self.asked_for(), (set(), set(), {"f32_add"}))
        self.assertEqual({c["id"] for c in self.run_of()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_a_run_that_lacks_nothing_gets_its_reports_again(self):
        self.assert_exit(self.run_plan(), 0)
        (self.the_folder() / "report.html").unlink()
        requests = len(self.sent_requests())
        before = self.run_of()
        result = self.resume()
        self.assert_exit(result, 0)
        self.assertIn("nothing to resume", result.stderr)
        self.assertEqual(len(self.sent_requests()), requests)
        self.assertEqual(self.run_of(), before)
        self.assertTrue((self.the_folder() / "report.html").exists())

    def test_another_device_driver_or_build_is_refused(self):
        self.assert_exit(self.run_plan("segv@time:1"), 1)
        file = self.the_folder() / "run.json"
        before = file.read_text()
        for extra, words in [({"FAKE_COLLECTOR_UUID": "GPU-1"}, "measured with device GPU-00000000-0000-0000-0000-000000000000, but this is GPU-1"),
                             ({"FAKE_COLLECTOR_DRIVER": "581.11"}, "measured with driver 580.00, but this is 581.11")]:
            result = self.resume(**extra)
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)
        self.assertEqual(file.read_text(), before)
        file.write_text(json.dumps(dict(json.loads(before), tool={"version": "0.0.1", "commit": "abc"})))
        result = self.resume()
        self.assert_exit(result, 2)
        self.assertIn("measured with rooflinectl 0.0.1 (commit abc), but this is ", result.stderr)

    def test_mistakes_are_told(self):
        self.assert_exit(self.run_plan("no_gpu@start"), 0)  # a replayed run
        result = self.resume()
        self.assert_exit(result, 2)
        self.assertIn("cannot resume a replay", result.stderr)
        for arguments in [["--resume", "no/such/folder"], ["--resume", self.the_folder(), "plan.yaml"],
                          ["--resume", self.the_folder(), "--output", "x"], ["--resume", self.the_folder(), "--dry-run"]]:
            self.assert_exit(self.call("run", *arguments), 2)

    def test_without_a_gpu_nothing_is_replayed_into_it(self):
        self.assert_exit(self.run_plan("segv@time:1"), 1)
        before = self.run_of()
        self.assert_exit(self.resume("no_gpu@start"), 3)
        self.assertEqual(self.run_of(), before)

    def test_a_run_that_still_goes_on_is_left_alone(self):
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, env=self.environment("hang@time:0"))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if line.startswith(b"results"):
                break
        result = self.resume()
        self.assert_exit(result, 3)
        self.assertIn("another rooflinectl is writing to it", result.stderr)

    def test_its_run_json_is_whole_at_every_moment(self):
        self.assert_exit(self.run_plan("segv@time:0 segv@time:2"), 1)
        process = subprocess.Popen([PROGRAM, "run", "--resume", self.the_folder()], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment("slow@time:0 slow@time:2"))
        while process.poll() is None:
            statuses = [m["status"] for m in self.run_of()["measurements"]]
            self.assertEqual((statuses[1], statuses[3]), ("ok", "ok"))
        self.assertEqual(process.returncode, 0)

    def test_ctrl_c_while_resuming_keeps_everything(self):
        self.assert_exit(self.run_plan("segv@time:0 segv@time:2"), 1)
        process = subprocess.Popen([PROGRAM, "run", "--resume", self.the_folder()], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True, env=self.environment("hang@time:2"))
        for line in process.stderr:
            if "n1048576.b256.cold: 100" in line:
                break
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 143)
        self.assertEqual([m["status"] for m in self.run_of()["measurements"]], ["ok", "ok", "failed", "ok"])
        self.assert_exit(self.resume(), 0)
        self.assertEqual(len(self.run_of()["resumed_utc"]), 2)


class Explanations(ProgramTest):
    RECORDING = RECORDING

    def test_says_what_bounds_a_point_and_what_its_step_changed(self):
        result = self.call("explain", self.RECORDING, "--point", "V3")
        self.assert_exit(result, 0)
        self.assertIn("V3: issue-bound", result.stdout)
        self.assertIn("bank conflicts eliminated: shared wavefronts per instruction", result.stdout)
        self.assertNotIn("V7", result.stdout)
        self.assertLessEqual(max(map(len, result.stdout.splitlines())), 100)

    def test_as_json(self):
        result = self.call("explain", self.RECORDING, "--json")
        self.assert_exit(result, 0)
        experiments = json.loads(result.stdout)["experiments"]
        self.assertEqual([e["experiment"] for e in experiments], ["ladder", "seeds_ladder", "seeds_sum"])
        self.assertEqual(experiments[0]["points"][8]["findings"][0]["rule"], "dram-roof")

    def test_names_what_is_wrong(self):
        unknown = self.call("explain", self.RECORDING, "--point", "reduce_v3_sequentail")
        self.assert_exit(unknown, 2)
        self.assertIn("did you mean 'reduce_v3_sequential'?", unknown.stderr)
        self.assert_exit(self.call("explain", "no such file"), 2)
        ceilings = self.call("explain", str(SOURCE / "recordings/ceilings-h200"))
        self.assert_exit(ceilings, 2)
        self.assertIn("no points to explain", ceilings.stderr)


class Reports(ProgramTest):
    def setUp(self):
        super().setUp()
        self.assert_exit(self.run_plan(), 0)
        self.run_file = self.folder / "runs/demo/latest/run.json"

    def test_a_run_is_drawn_again_the_same(self):
        names = ["report.html", "points.csv", "summary.md", "roofline.svg"]
        before = {name: self.run_file.with_name(name).read_bytes() for name in names}
        for name in names:
            self.run_file.with_name(name).unlink()
        self.assert_exit(self.call("report", self.run_file), 0)
        self.assertEqual(before, {name: self.run_file.with_name(name).read_bytes() for name in names})

    def test_into_another_folder_and_from_a_folder(self):
        self.assert_exit(self.call("report", "runs/demo/latest", "--output", "new/folder"), 0)
        self.assertLessEqual(REPORTS, {path.name for path in (self.folder / "new/folder").iterdir()})

    def test_caches_that_no_point_was_measured_with_are_refused(self):
        result = self.call("report", self.run_file, "--cache", "warm", "--output", "out")
        self.assert_exit(result, 2)
        self.assertEqual(result.stderr, "--cache warm: this run has nothing to draw for it\nhint: choose from cold\n")
        self.assertFalse((self.folder / "out").exists())

    def test_levels_and_precisions_of_the_picture_can_be_chosen(self):
        result = self.call("report", self.run_file, "--level", "dram,shared", "--precision", "f32", "--output", "out")
        self.assert_exit(result, 0)
        self.assertIn("a mark per memory level", (self.folder / "out/roofline.svg").read_text())
        for option, wrong, valid in [("--level", "l3", "dram,l2,l1,shared"), ("--precision", "f31", "f64,f32,f16,bf16")]:
            result = self.call("report", self.run_file, option, wrong)
            self.assert_exit(result, 2)
            self.assertIn(wrong, result.stderr)
            self.assertIn(valid, result.stderr)

    def test_files_that_are_no_runs_are_named(self):
        text = self.run_file.read_text()
        newer = json.dumps(dict(json.loads(text), schema=999))
        for content, complaint in [(text[:len(text) // 2], "not valid JSON"), ("{}", "not a rooflinectl run"), ("[1]", "JSON object"),
                                   ("", ""), (newer, "schema 999"), ('{"format": "other"}', "not a rooflinectl run")]:
            self.write("bad.json", content)
            result = self.call("report", "bad.json", "--output", "out")
            self.assert_exit(result, 2)
            self.assertTrue(result.stderr.startswith("bad.json: "), result.stderr)
            self.assertIn(complaint, result.stderr)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
