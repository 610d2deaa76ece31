#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stress.py finds what it is to find: with a program and a rooflinectl that only pretend. Needs no GPU."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

import stress

PROGRAM = r"""#!/bin/sh
if [ "$1" = --list ]; then
  echo good hangs other-output other-code too-many too-few too-large unseen killed unstable wrong-alone leaves
  exit
fi
echo "result of $*"
launched() { echo "{\"seen\": \"$1\", \"seconds\": 0.5, \"VmHWM_kb\": ${3:-400000}, \"launches\": {\"work<7>\": $2, \"CUDA graph\": 5}}" >> "$STRESS_LAUNCHES"; }
case "$1" in
  good|throughput) launched all 10;;
  hangs) [ -z "$PROFILED" ] || sleep 60;;
  other-output) [ -z "$PROFILED" ] || echo more;;
  other-code) [ -z "$PROFILED" ] || exit 3;;
  too-many) launched some 9;;
  too-few) launched all 11;;
  too-large) launched all 10 ${PROFILED:+1300000};;
  unseen) launched some 30;;
  killed) kill -9 $$;;
  unstable) head -c 12 /dev/urandom | od -A n -x;;
  wrong-alone) exit 1;;
  leaves) [ -z "$PROFILED" ] || sleep 60 & ;;
  phased) launched all 10;;
esac
exit 0
"""

# Ten launches of a kernel and five of graphs. The shell ends as the program does, with 128 + N after signal N.
ROOFLINECTL = r"""#!/bin/sh
while [ "$1" != -- ]; do
  if [ "$1" = --output ]; then runs=$2; fi
  shift
done
shift
PROFILED=1 "$@"
code=$?
mkdir -p "$runs/stress/20261125T000000Z"
cat > "$runs/stress/20261125T000000Z/run.json" <<END
{"application": {"launches": 15, "wall_s": 0.25},
 "measurements": [{"subject": "void stress::work<7>(stress::Data)", "launches": {"count": 6}},
                  {"subject": "void stress::work<7>(stress::Data)", "launches": {"count": 4}},
                  {"subject": "CUDA graph 12345678", "launches": {"count": 5}}]}
END
exit $code
"""


class StressTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, content in [("rooflinectl", ROOFLINECTL), ("rooflinectl-stress", PROGRAM)]:
            (self.folder / name).write_text(content)
            (self.folder / name).chmod(0o755)

    def call(self, *arguments, scenario=None):
        command = ["stress.py", "--rooflinectl", str(self.folder / "rooflinectl"), "--factor", "1", "--constant", "2", *arguments]
        command += ["--scenarios", scenario, "--rounds", "1"] if scenario else []
        output = io.StringIO()
        with mock.patch.object(sys, "argv", command), mock.patch.object(stress, "no_gpu", lambda: None), \
                mock.patch("shutil.which", lambda name: None), contextlib.redirect_stdout(output):
            self.code = stress.main()
        return output.getvalue()

    def assert_fails(self, scenario, problem, summary="0 passed, 1 failed"):
        output = self.call(scenario=scenario)
        self.assertIn(problem, output)
        self.assertEqual(output.splitlines()[-1], summary)
        self.assertEqual(self.code, 1)

    def test_what_is_alike_passes(self):
        for scenario in ["good", "killed", "unseen"]:
            with self.subTest(scenario):
                output = self.call(scenario=scenario)
                self.assertEqual(output.splitlines()[-1], "1 passed, 0 failed", output)
                self.assertEqual(self.code, 0)

    def test_summary(self):
        output = self.call(scenario="good")
        row = next(line for line in output.splitlines() if line.startswith("good | 1 |")).split(" | ")
        self.assertEqual((row[3], row[5], row[6]), ("0.25", "1.00", "400 400"))

    def test_hang(self):
        with tempfile.TemporaryDirectory() as kept:
            self.assertIn("hung: not done after 2 s", self.call("--keep", kept, scenario="hangs"))
            self.assertEqual(self.code, 1)
            [stacks] = pathlib.Path(kept).glob("hangs-1-*/profiled/stacks")
            self.assertIn("wchan", stacks.read_text())
            self.assertIn("sleep 60", stacks.read_text())

    def test_a_child_that_never_ends(self):
        self.assert_fails("leaves", "1 processes are left, plain 0")

    def test_another_output(self):
        self.assert_fails("other-output", "another output: 2 lines instead of 1")

    def test_another_exit_code(self):
        self.assert_fails("other-code", "exit code 3, plain 0")

    def test_launches_that_never_were(self):
        self.assert_fails("too-many", "work<7>: 10 launches in the profile, 9 in truth")

    def test_launches_that_are_missing(self):
        self.assert_fails("too-few", "work<7>: only 10 launches in the profile, 11 in truth")

    def test_memory_that_grows(self):
        self.assert_fails("too-large", "900 MB more than plain")

    def test_what_fails_without_a_profiler_too(self):
        self.assert_fails("wrong-alone", "exit code 1", "0 passed, 0 failed, 1 failed plain")
        self.assert_fails("unstable", "another output", "0 passed, 0 failed, 1 failed plain")

    def test_seconds(self):
        output = self.call("--scenarios", "good,killed", "--seconds", "0.5", "--seed", "7", "--jobs", "2")
        self.assertIn("good | seed 7 | passed", output)
        self.assertIn("0 failed", output)

    def test_throughput(self):
        with mock.patch.object(stress, "all_scenarios", lambda program: ["phased"]):
            output = self.call("--throughput", "--repetitions", "2")
        self.assertIn("phased | 30 | 30 | 1.000 (1.000, 1.000)", output)
        self.assertEqual(self.code, 0)

    def test_names(self):
        for subject, name in [("void stress::work<7>(stress::Data)", "work<7>"), ("void stress::work<(int)7>(stress::Data)", "work<7>"),
                              ("module_work", "module_work"), ("stress::cluster_work(unsigned long long*)", "cluster_work"),
                              ("void stress::runs_for<2>(unsigned int, unsigned long long*)", "runs_for<2>"),
                              ("CUDA graph 1a2b3c4d", "CUDA graph")]:
            self.assertEqual(stress.name_of(subject), name)

    def test_no_such_scenario(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.call(scenario="missing")
        self.assertEqual(self.code, 2)
        self.assertIn("there is no scenario missing", errors.getvalue())


if __name__ == "__main__":
    unittest.main()
