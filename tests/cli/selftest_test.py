# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl selftest` and `run --selftest`."""

import json
import unittest

from program import ProgramTest


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
        self.assertIn("suspect: executed FP32 operations", result.stdout)
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
        self.assertEqual(len(self.sent_requests()), 2, "a collector that cannot measure gets no request")

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
        self.assertIn("self-test f32_add: fadd is 1025, but should be 1024; suspect: executed FP32", result.stdout)
        self.assertIn("suspect: executed FP32", (self.folder / "runs/demo/latest/summary.md").read_text())
        self.assertEqual({m["status"] for m in self.run_json()["measurements"]}, {"ok"})
        self.assertIn("self-test: 1 of 2", self.run_plan("miscount@self_test:counters", "--selftest", "--quiet").stderr)

    def test_without_counters_a_run_reports_that_nothing_was_tested(self):
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


if __name__ == "__main__":
    unittest.main()
