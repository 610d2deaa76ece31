#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes runs of many ranks out of one recorded run, to try `rooflinectl merge` on (docs/scaling.md). Nothing of it is measured.

usage: simulated_ranks.py RUN.json[.gz] FOLDER [--ranks N] [--groups N] [--ranks-per-host N] [--slow RANK]

Each rank has the groups of RUN, repeated under further NVTX ranges until there are enough of them; its times vary by some
percent. RUN's collectives, or invented ones, end together on all ranks, and the clock of each host is its own.
"""

import argparse
import copy
import gzip
import json
import pathlib
import random

COLLECTIVE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
N_COLLECTIVES = 2000


def read(path):
    content = pathlib.Path(path).read_bytes()
    return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)


def groups_of(run, count):
    """That many measurements on the first device, and one more of a collective."""
    own = [m for m in run["measurements"] if "launches" in m and m.get("device", 0) == 0]
    groups = []
    for i in range(count - 1):
        group = copy.deepcopy(own[i % len(own)])
        if i >= len(own):
            group["axes"]["path"] = f"{group['axes'].get('path', 'run')}/part {chr(ord('a') + i // len(own))}"
        groups.append(group)
    collective = copy.deepcopy(own[0])
    collective.update(subject=COLLECTIVE, axes={"block": 512, "grid": 24, "path": "step"})
    return [*groups, collective]


def scale(group, factor):
    for key in ["median_s", "ci_low_s", "ci_high_s"]:
        if "time" in group:
            group["time"][key] *= factor
    for key in ["total_s", "p95_s", "overlapped_s"]:
        group["launches"][key] *= factor


def run_of_rank(base, rank, options, noise):
    """`base` is changed in place: its measurements get this rank's times."""
    process = 1000 + rank % options.ranks_per_host
    host = rank // options.ranks_per_host
    device = dict(base["devices"][0], uuid=f"GPU-00000000-0000-0000-0000-{rank:012}", index=rank % options.ranks_per_host)
    clock_ns = 10**12 + host * 3_600_000_000_000
    measurements = []
    for group in base["measurements"]:
        group = dict(group, process=process, rank=rank, launches=dict(group["launches"]))
        if "time" in group:
            group["time"] = dict(group["time"])
        scale(group, noise.uniform(0.99, 1.01) * (1.08 if rank == options.slow else 1))
        measurements.append(group)
    ends = random.Random(1)
    at_ns = 10**9
    collectives = []
    for _ in range(N_COLLECTIVES):
        at_ns += ends.randrange(500_000, 1_500_000)
        duration_ns = noise.randrange(30_000, 200_000)
        collectives.append([0, at_ns + noise.randrange(2000) - duration_ns, duration_ns])
    application = dict(base["application"], collectives=[{"subject": COLLECTIVE, "path": "step"}],
                       hosts=[{"name": f"node{host:03}", "boot_id": f"boot-{host}", "clock_ns": clock_ns, "uncertainty_s": 0}],
                       processes=[{"id": process, "rank": rank, "ranks": options.ranks, "host": 0, "devices": [0],
                                   "collectives": collectives}],
                       devices=[use for use in base["application"]["devices"] if use["device"] == 0],
                       passes=[{"process": process, "pass": "memory", "is_traced": True, "start_s": 0, "end_s": 0.9}])
    return dict(base, devices=[device], measurements=measurements, application=application, host=f"node{host:03}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("run", help="run.json of a profiled program, compressed or not")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=1024)
    parser.add_argument("--groups", type=int, default=500)
    parser.add_argument("--ranks-per-host", type=int, default=8)
    parser.add_argument("--slow", type=int, default=17, help="a rank whose kernels take 8 %% longer")
    options = parser.parse_args()
    base = read(options.run)
    base["measurements"] = groups_of(base, options.groups)
    for rank in range(options.ranks):
        folder = options.folder / f"rank{rank:04}"
        folder.mkdir(parents=True)
        run = run_of_rank(base, rank, options, random.Random(rank + 2))
        (folder / "run.json").write_text(json.dumps(run, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
