#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links between real GPUs and collectives over them: whether NVLink's counters and PyTorch agree.

usage: links_test.py [--rooflinectl FILE] [--keep FOLDER]

--keep leaves the run there. Exits with 77 where there are fewer than two GPUs. Without PyTorch, what needs it is skipped."""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from this_machine import gpu_count

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
TIME_LIMIT_S = 90
BYTE_TOLERANCE = 0.02
PYTORCH_TOLERANCE = 0.03

rooflinectl = None  # of the command line
kept = None


def pytorchs_nccl():
    """The library that PyTorch loads; None if there is none."""
    spec = importlib.util.find_spec("nvidia")
    found = [path for root in (spec.submodule_search_locations if spec else [])
             for path in pathlib.Path(root).glob("**/libnccl.so.2")]
    return str(found[0]) if found else None


def environment(**extra):
    nccl = {"ROOFLINECTL_NCCL": pytorchs_nccl()} if pytorchs_nccl() else {}
    return {**os.environ, **nccl, **extra}


class LinksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        output = pathlib.Path(kept or folder.name)
        finished = subprocess.run([rooflinectl, "ceilings", "--device", "all", "--quick", "--output", output], capture_output=True,
                                  text=True, timeout=TIME_LIMIT_S, env=environment())
        print(finished.stdout, finished.stderr, sep="\n")
        assert finished.returncode == 0, finished.returncode
        cls.run_of = json.loads((output / "ceilings/latest/run.json").read_text())
        cls.n = len(cls.run_of["devices"])

    def times(self):
        return {entry["collective"]: entry for entry in self.run_of["collectives"]["times"]}

    def test_counters_confirm_every_link(self):
        for link in self.run_of["links"]:
            if "missing" in link:
                continue
            with self.subTest(link=link):
                for counted in ["sent_bytes", "received_bytes"]:
                    self.assertAlmostEqual(link[counted] / link["moved_bytes"], 1, delta=BYTE_TOLERANCE)

    def test_every_collective_is_verified_and_timed(self):
        self.assertNotIn("missing", self.run_of["collectives"])
        self.assertEqual(len(self.times()), 5)
        for name, entry in self.times().items():
            with self.subTest(collective=name):
                self.assertNotIn("missing", entry)
                self.assertEqual(entry["sizes"][-1]["bytes"], 2 ** 30)

    def test_collectives_send_the_bytes_that_they_have_to(self):
        transfers = {"all_reduce": 2 * (self.n - 1), "send_receive": self.n}
        for name, entry in self.times().items():
            with self.subTest(collective=name):
                known = entry["sizes"][-1]["bytes"] * transfers.get(name, self.n - 1)
                self.assertAlmostEqual(entry["sent_bytes"] / known, 1, delta=BYTE_TOLERANCE)

    @unittest.skipUnless(importlib.util.find_spec("torch"), "no PyTorch")
    def test_bandwidths_are_those_of_pytorch(self):
        finished = subprocess.run([sys.executable, HERE / "pytorch_collectives.py", str(2 ** 30)], check=True, capture_output=True,
                                  text=True, timeout=TIME_LIMIT_S)
        theirs = json.loads(finished.stdout.splitlines()[-1])
        print(f"PyTorch {theirs['torch']}, NCCL {theirs['nccl']}")
        self.assertEqual(self.run_of["collectives"]["library"], f"NCCL {theirs['nccl']}")
        for name, entry in self.times().items():
            ours = entry["sizes"][-1]["time_s"]
            alike, apart = (theirs[how].get(name) for how in ["one_process", "process_per_gpu"])
            print(f"{name}: PyTorch in one process takes {alike / ours if alike else float('nan'):.3f} of our time, "
                  f"in a process per GPU {apart / ours:.3f}")
            with self.subTest(collective=name):
                self.assertAlmostEqual(ours / (alike or apart), 1, delta=PYTORCH_TOLERANCE)

    def test_without_nccl_the_reason_is_given(self):
        collector = pathlib.Path(rooflinectl).with_name("rooflinectl-collector")
        uuids = ",".join(device["uuid"] for device in self.run_of["devices"])
        finished = subprocess.run([collector, "--collectives", uuids], check=True, capture_output=True, text=True,
                                  timeout=TIME_LIMIT_S, env=environment(ROOFLINECTL_NCCL="/nowhere/libnccl.so.2"))
        answer = json.loads(finished.stdout)
        self.assertEqual(answer["times"], [])
        self.assertIn("NCCL is missing (set by ROOFLINECTL_NCCL)", answer["missing"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooflinectl", default="rooflinectl")
    parser.add_argument("--keep")
    options = parser.parse_args()
    rooflinectl, kept = options.rooflinectl, options.keep
    if (gpu_count() or 0) < 2:
        print("fewer than two GPUs")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
