# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl explain`."""

import json
import unittest

from program import SOURCE, ProgramTest
from recordings import REDUCTIONS as RECORDING


class Explanations(ProgramTest):
    RECORDING = RECORDING

    def test_names_what_bounds_a_point_and_what_its_step_changed(self):
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


if __name__ == "__main__":
    unittest.main()
