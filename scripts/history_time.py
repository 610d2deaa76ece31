#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `rooflinectl history` takes over many runs: without an index, then with the one that it has written. The runs are
copies of a recorded one, an hour apart, with times that differ by up to 1 % and a new host and driver every hundred runs.

  scripts/history_time.py ROOFLINECTL RUN.json[.gz] [RUNS]
"""

import datetime
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time


def write_runs(recording, count, folder):
    with (gzip.open(recording) if recording.endswith(".gz") else open(recording, "rb")) as file:
        run = json.load(file)
    timed = [(entry["time"], dict(entry["time"])) for entry in run["measurements"] if "time" in entry]
    launches = [(entry["launches"], entry["launches"]["total_s"]) for entry in run["measurements"] if "launches" in entry]
    noise = random.Random(1)
    for number in range(count):
        run["started_utc"] = f"{datetime.datetime(2026, 1, 1) + datetime.timedelta(hours=number):%Y-%m-%dT%H:%M:%SZ}"
        run["host"] = f"node{number // 100 % 4}"
        for device in run.get("devices") or [run["device"]]:
            device["driver_version"] = f"590.{number // 100}"
        for copy, recorded in timed:
            factor = 1 + noise.uniform(0, 0.01)
            copy.update({key: recorded[key] * factor for key in ("median_s", "ci_low_s", "ci_high_s")})
        for copy, recorded in launches:
            copy["total_s"] = recorded * (1 + noise.uniform(0, 0.01))
        path = folder / f"{number:06}"
        path.mkdir()
        (path / "run.json").write_text(json.dumps(run))


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    count = int(sys.argv[3]) if len(sys.argv) == 4 else 10000
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        write_runs(sys.argv[2], count, folder)
        for state in ("without an index", "with an index"):
            start = time.monotonic()
            subprocess.run([sys.argv[1], "history", folder], stdout=subprocess.DEVNULL, check=True)
            print(f"history of {count} runs {state}: {time.monotonic() - start:.1f} s")
        print(f"index: {(folder / '.rooflinectl-index').stat().st_size / 1e6:.0f} MB")


main()
