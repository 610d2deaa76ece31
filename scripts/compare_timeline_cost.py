#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What sampling costs a program that is traced, as a Markdown table: the time from the start of an NVTX range to its next
start, without a timeline, and within the samples of one.

  scripts/compare_timeline_cost.py INSTALLED_FOLDER RANGE [--pairs N] [--interval INTERVAL]... [-- PROGRAM ARGUMENTS...]

RANGE is the path of a range that the program goes through in each step. The program runs N times for each interval, and as often
without, in turns. It is examples/training_step.py with 300 steps unless another is named.
"""

import argparse
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def profiled(install, program, options):
    """The folder of the run."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([install / "bin/rooflinectl", "profile", "--once", "--quiet", "--output", folder, *options, "--",
                        *program], check=True, stdout=subprocess.DEVNULL)
        [run] = pathlib.Path(folder).glob("*/*Z/run.json")
        timeline = run.with_name("timeline.json.gz")
        return (json.loads(run.read_text()),
                json.loads(gzip.decompress(timeline.read_bytes())) if timeline.exists() else None)


def traced_step_s(run, path):
    """The median while nothing was counted."""
    return next(times["interval_s"] for times in run["application"]["ranges"] if times["path"] == path)


def sampled_steps_s(timeline, path):
    """Those that began and ended within the samples of the first device."""
    device = timeline["devices"][0]
    end = device["start_ns"][-1] + device["duration_ns"][-1]
    place = timeline["paths"].index(path)
    starts = [start for number, _, start, _ in timeline["ranges"] if number == place and device["start_ns"][0] < start < end]
    return [(after - before) / 1e9 for before, after in zip(starts, starts[1:])]


def main():
    own, program = sys.argv[1:], []
    if "--" in own:
        own, program = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("install", type=pathlib.Path)
    parser.add_argument("range")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--interval", action="append")
    options = parser.parse_args(own)
    install = options.install.resolve()
    program = program or ["python3", install / "share/rooflinectl/examples/training_step.py", "--steps", "300"]

    print(f"`{' '.join(map(str, program))}`, steps of `{options.range}`\n")
    print("| interval | steps sampled | ms per step, sampled | traced alone | ratio |\n| --- | ---: | ---: | ---: | ---: |")
    for interval in options.interval or ["20us", "100us", "200us"]:
        traced, sampled = [], []
        for _ in range(options.pairs):
            traced.append(traced_step_s(profiled(install, program, [])[0], options.range))
            sampled.append(sampled_steps_s(profiled(install, program, [f"--timeline={interval}"])[1], options.range))
        step, alone = statistics.median(map(statistics.median, sampled)), statistics.median(traced)
        print(f"| {interval} | {sum(map(len, sampled))} | {1e3 * step:.3f} | {1e3 * alone:.3f} | {step / alone:.3f} |", flush=True)


if __name__ == "__main__":
    main()
