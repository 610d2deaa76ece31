#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: no option takes the next one for its value, and a mistake gets a suggestion."""

import unittest

from program import PROGRAM, ProgramTest
from recordings import REDUCTIONS as RECORDING


class Options(ProgramTest):
    def assert_mistake(self, words, *arguments):
        result = self.call(*arguments)
        self.assert_exit(result, 2)
        self.assertIn(words, result.stderr)
        self.assert_nothing_written()

    def test_an_empty_value_is_refused(self):
        self.assert_mistake("--output=: the value is empty", "run", "plan.yaml", "--output=", "--require-gpu")
        self.assert_mistake("--output: the value is empty", "run", "plan.yaml", "--output", "")
        self.assert_mistake("--output: the value is missing before --require-gpu", "run", "plan.yaml", "--output", "--require-gpu")
        self.assert_mistake("the value is empty", "report", "")

    def test_lists_leave_the_positionals_alone(self):
        self.assert_exit(self.call("gate", "--only", "counters", RECORDING, RECORDING), 0)
        self.assert_exit(self.call("gate", "--only", "dram,time", "--only", "roof", RECORDING, RECORDING), 0)
        self.assert_exit(self.call("report", "--level", "l2", RECORDING, "-o", "x", "-q"), 0)
        self.assert_exit(self.call("report", "--cache", "cold", RECORDING, "-o", "x", "-q"), 0)
        self.assert_exit(self.call("gate", RECORDING, "--baseline", RECORDING, RECORDING), 0)
        self.assert_exit(self.call("gate", "--baseline", RECORDING, RECORDING, RECORDING), 0)

    def test_a_name_that_is_nearly_right(self):
        self.assert_mistake("unknown command 'repor'\nhint: did you mean 'report'?", "repor", RECORDING)
        self.assert_mistake("rooflinectl report: unknown option '--outp'\nhint: did you mean '--output'?", "report", RECORDING,
                            "--outp", "x")
        self.assert_mistake("did you mean '--output'?", "run", "plan.yaml", "--ouput=x")

    def test_what_the_program_does_not_do(self):
        self.assert_mistake("`rooflinectl run PLAN` measures the kernels in a plan", "analyse", "./my_app")
        profiled = f"`rooflinectl profile -- {PROGRAM}` "
        self.assert_mistake(f"hint: {profiled}profiles this program", PROGRAM)
        self.assert_mistake(f"is a program, not a plan\nhint: {profiled}measures its kernels", "run", PROGRAM)
        self.assert_mistake(f"is a program, not a plan\nhint: {profiled}measures its kernels", "crosscheck", PROGRAM)
        self.assert_mistake("unexpected argument 'too much'", "report", RECORDING, "too much")


if __name__ == "__main__":
    unittest.main()
