#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run of a profiled program with many groups: those of a recorded one again and again, each time with another grid and
under another NVTX range. Its numbers were never measured; it serves to time the reports.

  scripts/large_program.py RUN.json[.gz] GROUPS > large.json
"""

import copy
import gzip
import json
import sys


def read(path):
    with (gzip.open(path) if path.endswith(".gz") else open(path, "rb")) as file:
        return json.load(file)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    run = read(sys.argv[1])
    groups = [measurement for measurement in run["measurements"] if "launches" in measurement]
    if not groups:
        sys.exit(f"{sys.argv[1]} is not a run of a profiled program")
    run["measurements"] = []
    for number in range(int(sys.argv[2])):
        group = copy.deepcopy(groups[number % len(groups)])
        axes, copies = group["axes"], number // len(groups)
        axes["grid"] = 1 + number
        axes["path"] = "/".join(filter(None, [axes.get("path"), f"layer{copies}"]))
        # No two take equally long.
        group["launches"]["total_s"] *= 1 / (1 + copies)
        run["measurements"].append(group)
    # As in core/program/application.h and runner/profiling/points/merge.cpp: for most points, only a few times are kept.
    by_time = sorted(run["measurements"], key=lambda group: group["launches"]["total_s"], reverse=True)
    for group in by_time[400:]:
        over_time = group["launches"].get("over_time", [])
        group["launches"]["over_time"] = over_time[:: len(over_time) // 8 + 1]
        samples = group["time"]["samples_s"]
        group["time"]["samples_s"] = samples[:: len(samples) // 11 + 1]
    for experiment in run["plan"]["experiments"]:
        experiment["points"] = []
    for device in run.get("application", {}).get("devices", []):
        device["kernel_s"] = sum(group["launches"]["total_s"] for group in run["measurements"])
    json.dump(run, sys.stdout)


main()
