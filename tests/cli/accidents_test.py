# SPDX-License-Identifier: Apache-2.0
"""Collectors that crash, hang, or talk nonsense."""

import pathlib
import signal
import subprocess
import time
import unittest

from program import PLAN, PROGRAM, ProgramTest


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
        self.assert_lost("endless@time:2", "sum_atomic", "sent an unterminated line while timing")

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

    def test_counters_that_were_taken_away_are_reported_once(self):
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

    def test_a_collector_that_does_not_read(self):
        self.write("plan.yaml", PLAN.replace("2^20", "[" + ", ".join(map(str, range(5000))) + "]"))
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml"], cwd=self.folder, stderr=subprocess.PIPE,
                                   env=self.environment("deaf@start"))
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def is_asked():
            """Whether the collector has started to measure: the queries before that have options."""
            try:
                commands = [pathlib.Path(f"/proc/{child}/cmdline").read_bytes() for child in children.read_text().split()]
            except FileNotFoundError:
                return False
            return any(b"fake_collector" in command and b"--" not in command for command in commands)

        while process.poll() is None and not is_asked():
            time.sleep(0.02)
        time.sleep(0.2)  # it is writing the request, which does not fit into the pipe
        process.send_signal(signal.SIGTERM)
        self.assertIn(b"before anything was measured", process.communicate(timeout=30)[1])
        self.assertEqual(process.returncode, 143)

    def test_verbose_output_goes_to_the_log(self):
        result = self.run_plan("chatty@time:1")
        self.assert_exit(result, 0)
        self.assertNotIn("log line", result.stdout + result.stderr)
        self.assertIn("log line 49999\n", (self.folder / "runs/demo/latest/collector.log").read_text())


if __name__ == "__main__":
    unittest.main()
