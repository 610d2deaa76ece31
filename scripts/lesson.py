#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/ladder.md from docs/ladder.md.in and the recordings, or checks that it is up to date.

usage: lesson.py ROOFLINECTL [--check]

ROOFLINECTL is the program that analyses the recordings. The template (Jinja) takes every number from them, by
`point('ladder-h200', 'reduce_v3_sequential', n=2**28)`, and repeats its claims as conditions: `{% do holds(a.time_s < b.time_s) %}`.
A condition that a new recording breaks is an error, so that the text cannot claim what was not measured.
"""

import argparse
import csv
import gzip
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import jinja2

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "docs" / "ladder.md.in"
DOCUMENT = ROOT / "docs" / "ladder.md"
IMAGES = ROOT / "docs" / "images"
PICTURES = [("ladder.svg", "ladder-h200", "roofline.svg"), ("sizes.svg", "sizes-h200", "bandwidth-cold.svg")]


def with_flat_point(measurement):
    """With subject and axes under the names that the template has for them, which are those of schema 1."""
    axes = measurement.get("axes")
    if axes is None:
        return measurement
    names = {"block": "block_size", "elements": "elements_per_thread", "mode": "launch_mode"}
    return {**measurement, "variant": measurement["subject"], **{names.get(name, name): value for name, value in axes.items()}}


class Point:
    """A measurement and its analysis: the columns of points.csv, as numbers."""

    def __init__(self, measurement, row):
        self.measurement = measurement
        self.n = measurement["n"]
        self.row = row
        self.time_s = measurement["time"]["median_s"]
        self.bound = row["bound"]

    def __getattr__(self, name):
        """A column of points.csv (`fraction_of_roofline`, `ai_executed`, `dram_bytes`) as a number."""
        if name not in self.row or self.row[name] == "":
            raise AttributeError(f"{self.measurement['variant']} has no {name}")
        return float(self.row[name])

    def counter(self, key):
        value = self.measurement["counters"][key]
        if not isinstance(value, (int, float)):
            raise KeyError(f"{key}: {value['unavailable']}")
        return value

    def per_element(self, key):
        return self.counter(key) / self.n

    @property
    def grid(self):
        return self.measurement["launch"]["grid"]

    @property
    def joules(self):
        return self.measurement["energy"]["joules"]

    @property
    def watts(self):
        return self.measurement["energy"]["mean_power_w"]

    @property
    def useful_bytes_per_s(self):
        work = self.measurement["work"]
        return (work["read_bytes"] + work["written_bytes"]) / self.time_s

    @property
    def wavefronts_per_instruction(self):
        return ((self.counter("shared_load_wavefronts") + self.counter("shared_store_wavefronts")) /
                (self.counter("shared_load_instructions") + self.counter("shared_store_instructions")))


class Recordings:
    def __init__(self, rooflinectl):
        self.rooflinectl = rooflinectl
        self.loaded = {}

    def load(self, name):
        """The run, its points, and the folder with its pictures."""
        if name not in self.loaded:
            run_file = ROOT / "recordings" / name / "run.json.gz"
            folder = pathlib.Path(tempfile.mkdtemp(prefix="lesson-"))
            subprocess.run([self.rooflinectl, "report", run_file, "--output", folder, "--quiet"], check=True,
                           stdout=subprocess.DEVNULL)
            run = json.loads(gzip.decompress(run_file.read_bytes()))
            with open(folder / "points.csv", encoding="utf-8", newline="") as table:
                rows = list(csv.DictReader(table))
            if len(rows) != len(run["measurements"]):
                raise ValueError(f"{name}: points.csv and run.json.gz differ in their number of points")
            points = [Point(with_flat_point(m), row) for m, row in zip(run["measurements"], rows)]
            self.loaded[name] = (run, points, folder)
        return self.loaded[name]

    def points(self, recording, variant, **fields):
        """The timed points of a variant whose fields (`n`, `experiment`, `elements_per_thread`, ...) are as given."""
        found = [p for p in self.load(recording)[1]
                 if p.measurement["variant"] == variant
                 and all(p.measurement.get(field) == value for field, value in fields.items())]
        if not found:
            raise LookupError(f"{recording} has no point of {variant} with {fields}")
        return found

    def point(self, recording, variant, **fields):
        return self.points(recording, variant, **fields)[0]

    def speed(self, recording, experiment, dtype, n, of="sum_best", over="cub_sum"):
        """How many times faster one variant is than another."""
        fields = {"experiment": experiment, "dtype": dtype, "n": n}
        return self.point(recording, over, **fields).time_s / self.point(recording, of, **fields).time_s

    def speeds(self, recording, experiment):
        """`speed` of every type and size, lowest first, with its type and size."""
        cells = {(p.measurement["dtype"], p.n) for p in self.points(recording, "sum_best", experiment=experiment)}
        return sorted((self.speed(recording, experiment, *cell), *cell) for cell in cells)

    def cycles(self, recording, primitive, form):
        """Cycles of an SM of a primitive, `form` latency or throughput."""
        found = [p for p in self.run(recording)["primitives"] if p["id"] == primitive]
        if not found:
            raise LookupError(f"{recording} has no primitive {primitive}")
        return found[0][form]["median"]

    def slowest_cell(self, recording, experiment):
        _, dtype, n = self.speeds(recording, experiment)[0]
        return f"2{superscript(n.bit_length() - 1)} {dtype}"

    def run(self, recording):
        return self.load(recording)[0]

    def clean_up(self):
        for _, _, folder in self.loaded.values():
            shutil.rmtree(folder)


def significant(value, digits=3):
    if value == 0:
        return "0"
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    return f"{value:.{max(decimals, 0)}f}"


def superscript(number):
    return str(number).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def holds(condition, what=""):
    if not condition:
        raise AssertionError(f"the recordings do not support what the text claims: {what}")


def render(recordings):
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATE.parent), undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True, extensions=["jinja2.ext.do"])
    environment.filters.update(
        us=lambda seconds: f"{significant(seconds * 1e6)} µs",
        gbs=lambda bytes_per_s: f"{bytes_per_s / 1e9:.0f} GB/s",
        percent=lambda ratio, digits=0: f"{ratio * 100:.{digits}f} %",
        mj=lambda joules: f"{significant(joules * 1e3)} mJ",
        x=lambda ratio: f"{ratio:.2f}×",
        sig=significant,
        superscript=superscript)
    return environment.get_template(TEMPLATE.name).render(
        point=recordings.point, points=recordings.points, run=recordings.run, speed=recordings.speed,
        slowest_speed=lambda recording, experiment: recordings.speeds(recording, experiment)[0][0],
        slowest_cell=recordings.slowest_cell, cycles=recordings.cycles, holds=holds, abs=abs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rooflinectl")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file would change")
    arguments = parser.parse_args()

    recordings = Recordings(arguments.rooflinectl)
    try:
        text = render(recordings).encode()
        pictures = {IMAGES / name: (recordings.load(recording)[2] / source).read_bytes()
                    for name, recording, source in PICTURES}
    finally:
        recordings.clean_up()
    stale = []
    for file, content in {DOCUMENT: text, **pictures}.items():
        if arguments.check:
            if not file.exists() or file.read_bytes() != content:
                stale.append(str(file.relative_to(ROOT)))
        else:
            file.write_bytes(content)
    if stale:
        sys.exit(f"out of date: {', '.join(stale)}; to rewrite: scripts/lesson.py ROOFLINECTL")


main()
