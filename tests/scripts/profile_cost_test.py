# SPDX-License-Identifier: Apache-2.0
"""scripts/compare_profile_cost.sh with stand-ins for rooflinectl, ncu and the program, and a clock that shows what it is told."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts/compare_profile_cost.sh"

# Prints its step time, which is longer where it is profiled. FAIL is the name of the one below which it fails.
GUEST = """\
import os, sys
under = os.environ.get("UNDER", "nothing")
if under == os.environ.get("FAIL"):
    sys.exit("the guest failed")
if "quiet" not in sys.argv:
    print("1.000 ms per step at first")
    print("10 steps:", {"nothing": "10.000", "rooflinectl": "10.200"}.get(under, "99"), "ms per step")
"""
ROOFLINECTL = """\
#!/bin/sh
# profile --once --json --output DIR -- PROGRAM...
[ "$1 $2 $3 $4 $6" = "profile --once --json --output --" ] || exit 2
output=$5
shift 6
UNDER=rooflinectl "$@" || exit $?
mkdir -p "$output"
cp "$(dirname "$0")/run.json" "$output/run.json"
echo '{"run": "'"$output"'/run.json", "groups": 80, "counted_share": 0.9875, "incomplete_groups": 1, "incomplete_share": 0.0125,' \\
     '"application": {"wall_s": 12.5, "launches": 6000}}'
"""
NCU = """\
#!/bin/sh
echo "$@" >>"$NCU_CALLS"
while [ "$1" != python3 ]; do shift; done
UNDER=ncu exec "$@"
"""
DATE = """\
#!/bin/sh
head -n 1 "$TIMES"
sed -i 1d "$TIMES"
"""
RUN = {"devices": [{"name": "Fake GPU"}],
       "measurements": [{"launches": {"counted": 6}}, {"launches": {"counted": 194}}, {"subject": "a_variant"}]}


class ProfileCost(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("installed/bin/rooflinectl", ROOFLINECTL)
        self.write("installed/bin/run.json", json.dumps(RUN))
        self.write("installed/share/rooflinectl/examples/training_step.py", GUEST)
        self.write("tools/ncu", NCU)
        self.write("tools/date", DATE)
        self.write("tools/python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def compare(self, *arguments, durations=(11, 20, 10, 15, 32.7), fail=""):
        """The script, whose commands take these many seconds, one after another."""
        now, times = 1000.0, []
        for duration in durations:
            times += [f"{now:.9f}", f"{now + duration:.9f}"]
            now += duration + 1
        self.write("times", "".join(f"{time}\n" for time in times))
        environment = {"PATH": f"{self.folder}/tools:/usr/bin:/bin", "TIMES": str(self.folder / "times"), "FAIL": fail,
                       "NCU_CALLS": str(self.folder / "ncu_calls"), "TMPDIR": str(self.folder)}
        return subprocess.run([SCRIPT, self.folder / "installed", *arguments], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)

    def table(self, result):
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in result.stdout.splitlines() if line.startswith("|")]
        self.assertEqual({len(row) for row in rows}, {9})
        return {row[0]: row[1:] for row in rows[2:]}

    def test_what_profile_adds(self):
        result = self.compare()
        self.assertEqual(self.table(result), {
            "plain": ["11.00", "1.00", "10.000", "1.000", "", "", "", ""],
            "`rooflinectl profile --once`": ["12.50", "2.50", "10.200", "1.020", "80", "98.75 %", "6000", "200"],
            "plain again": ["10.00", "0.00", "10.000", "1.000", "", "", "", ""]})
        self.assertIn("training_step.py --steps 300` on Fake GPU\n", result.stdout)
        self.assertIn("Added: 2.50 s, within 4 s + 1.5 ms per counted launch = 4.30 s.", result.stdout)
        self.assertIn("the whole command took 20.00 s", result.stdout)
        self.assertEqual([path.name for path in self.folder.glob("tmp*")], [])

    def test_too_much_is_told(self):
        self.assertIn("Added: 9.50 s, MORE THAN 4 s", self.compare(durations=(4, 20, 3)).stdout)

    def test_pairs_are_compared_by_their_medians(self):
        result = self.compare("--pairs", "2", durations=(11, 20, 10, 30, 12))
        self.assertEqual(result.stdout.count("| `rooflinectl profile --once` | 12.50 | 1.50 | 10.200 | 1.020 |"), 2, result.stdout)
        self.assertEqual(result.stdout.count("| plain again | "), 2)
        self.assertIn("the whole command took 25.00 s", result.stdout)
        self.assertIn("Steps, medians of 2 runs and of the 2 plain ones after them: 1.020 times plain.", result.stdout)
        self.assertEqual(self.compare("--pairs", "0").returncode, 2)

    def test_what_ncu_adds_is_extrapolated(self):
        # 17.7 s for 59 launches: 0.3 s each, after a start of 4.7 s.
        result = self.compare("--ncu")
        table = self.table(result)
        self.assertEqual(table["ncu, 60 launches"][:2], ["32.70", "22.70"])
        self.assertEqual(table["ncu, one launch per group, extrapolated"][:2], ["38.70", "28.70"])
        self.assertEqual(table["ncu, all launches, extrapolated"][:2], ["1814.70", "1804.70"])
        self.assertIn("300 ms per launch. Of what ncu adds (extrapolated), rooflinectl adds 1/722 for all launches, and 1/11.5 for",
                      result.stdout)
        calls = (self.folder / "ncu_calls").read_text().splitlines()
        self.assertEqual([call.split(" python3")[0].split("--launch-skip ")[1] for call in calls],
                         ["3000 --launch-count 1", "3000 --launch-count 60"])

    def test_another_program_that_prints_no_step(self):
        result = self.compare("--output", "kept", "--", "python3", "installed/share/rooflinectl/examples/training_step.py", "quiet")
        self.assertEqual(self.table(result)["`rooflinectl profile --once`"][2:4], ["–", "–"])
        self.assertTrue((self.folder / "kept/run.json").is_file())
        self.assertIn("run: kept/run.json", result.stderr)

    def test_a_program_that_fails(self):
        for under in ("nothing", "rooflinectl"):
            result = self.compare(fail=under)
            self.assertEqual((result.returncode, result.stdout), (1, ""))
            self.assertIn("the guest failed", result.stderr)

    def test_an_ncu_that_fails_costs_only_its_rows(self):
        result = self.compare("--ncu", fail="ncu")
        self.assertEqual(result.returncode, 1)
        self.assertIn("| plain again |", result.stdout)
        self.assertNotIn("extrapolated", result.stdout)
        self.assertIn("ncu60: ended with exit code 1", result.stderr)

    def test_a_wrong_command_line(self):
        for arguments in (["--nuc"], ["--"], ["--output"]):
            result = self.compare(*arguments)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("usage:", result.stderr)


if __name__ == "__main__":
    unittest.main()
