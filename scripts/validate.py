#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds an installed rooflinectl against what is known and what others measure on this machine, and prints a Markdown table:
kernels of known work; own kernels and a program's beside Nsight Compute; times beside torch.profiler; what was sampled over
time beside what was counted; bytes over NVLink; collectives beside PyTorch's.

  scripts/validate.py INSTALLED_FOLDER [--keep FOLDER]

What this machine cannot compare (one GPU, no ncu, no nvcc, no PyTorch) is "not run", with the reason. Takes three minutes on an
H200. --keep leaves the runs there. Exits with 1 if a number differs by more than its tolerance, which docs/crosscheck.md
and docs/timeline.md derive.
"""

import argparse
import collections
import datetime
import gzip
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TIME_LIMIT_S = 150
KERNEL_TIME_TOLERANCE = 0.05
TIMELINE_TOLERANCE = 0.03
LINK_TOLERANCE = 0.02
COLLECTIVE_TOLERANCE = 0.03
# What torch.profiler is compared on: kernels of this time and share, as short ones vary from run to run.
LONG_ENOUGH_S = 20e-6
LARGE_ENOUGH = 0.005

TORCH_PROFILED = """
import runpy, sys, torch
trace, program = sys.argv[1:3]
sys.argv = sys.argv[2:]
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
    runpy.run_path(program, run_name="__main__")
profile.export_chrome_trace(trace)
"""


class NotRun(Exception):
    """Why something cannot be compared here."""


class Table:
    """What was compared: rows of (what, beside what, numbers, largest difference), and how many numbers differ."""

    def __init__(self):
        self.rows = []
        self.differing = 0

    def add(self, what, beside, compared, largest, differing):
        self.rows.append((what, beside, str(compared), largest, str(differing)))
        self.differing += differing

    def add_ratios(self, what, beside, ratios, tolerance):
        """`ratios`: ours over theirs."""
        if not ratios:
            raise NotRun("nothing in common")
        largest = max(abs(ratio - 1) for ratio in ratios)
        self.add(what, beside, len(ratios), f"{100 * largest:.2g} %", sum(abs(ratio - 1) > tolerance for ratio in ratios))

    def add_agreements(self, what, beside, agreements):
        """Of a run.json. Those that are only listed have no tolerance."""
        judged = [one for one in agreements if is_number(one.get("ours")) and is_number(one.get("reference"))
                  and one.get("tolerance") is not None]
        if not judged:
            raise NotRun("nothing was compared")
        exact = [one for one in judged if one["tolerance"] == 0]
        for group, kind in [(exact, "exact counts"), ([one for one in judged if one["tolerance"] != 0], "within a tolerance")]:
            if not group:
                continue
            worst = max(group, key=difference)
            largest = "0" if difference(worst) == 0 else f"{100 * difference(worst):.2g} % ({worst['quantity']} of {worst['subject'][:48]})"
            self.add(f"{what}: {kind}", beside, len(group), largest, sum(map(differs, group)))

    def print(self):
        print("| what | beside | numbers | largest difference | beyond tolerance |\n| --- | --- | ---: | --- | ---: |")
        for row in self.rows:
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")


def is_number(value):
    """Otherwise it is unavailable, or absent."""
    return isinstance(value, (int, float))


def difference(agreement):
    """Relative, where the reference is not 0."""
    ours, reference = agreement["ours"], agreement["reference"]
    return abs(ours - reference) / abs(reference) if reference else float(ours != reference)


def differs(agreement):
    ours, reference, tolerance = agreement["ours"], agreement["reference"], agreement["tolerance"]
    return abs(ours - reference) > tolerance * (abs(reference) if agreement["is_relative"] else 1)


def read_run(folder):
    for name in ["run.json", "run.json.gz"]:
        if (folder / name).exists():
            data = (folder / name).read_bytes()
            return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)
    raise NotRun(f"no run in {folder}")


def needs(module):
    if importlib.util.find_spec(module) is None:
        raise NotRun(f"no {module}")


class Validation:
    def __init__(self, install, folder):
        self.program = install / "bin/rooflinectl"
        self.examples = install / "share/rooflinectl/examples"
        self.plan = install / "share/rooflinectl/experiments.yaml"
        self.folder = folder
        self.table = Table()
        self.not_run = []

    def call(self, *arguments, codes=(0,), **environment):
        finished = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=TIME_LIMIT_S, cwd=self.folder,
                                  env={**os.environ, **environment}, check=False)
        if finished.returncode not in codes:
            last = (finished.stderr.strip() or finished.stdout.strip() or "no output").splitlines()[-1]
            raise NotRun(f"`{' '.join(map(str, arguments[:3]))} …` exits with {finished.returncode}: {last}")
        return finished.stdout

    def rooflinectl(self, *arguments, **options):
        return self.call(self.program, *arguments, **options)

    def new_run(self, name, *arguments):
        """The folder of a run that `arguments` measure."""
        self.rooflinectl(*arguments[:1], "--quiet", "--output", self.folder / name, *arguments[1:])
        [run] = (self.folder / name).glob("*/*Z")
        return run

    def beside_ncu(self, what, run):
        if shutil.which("ncu") is None:
            raise NotRun("no ncu")
        self.rooflinectl("crosscheck", run, "--with", "ncu", codes=(0, 1))
        for check in read_run(run)["cross_checks"]:
            self.table.add_agreements(what, f"{check['tool']} {check['version']}", check["agreements"])

    def known_work(self):
        test = json.loads(self.rooflinectl("selftest", "--json", codes=(0, 1)))
        self.table.add_agreements("kernels of known work", "arithmetic", test["agreements"])

    def own_kernels(self):
        run = self.new_run("kernels", "run", self.plan, "--require-gpu")
        self.beside_ncu("kernels of experiments.yaml", run)

    def program_of_cuda(self):
        """Cross-checks a program of libraries and own kernels, and what was sampled meanwhile."""
        compiler = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not pathlib.Path(compiler).exists():
            raise NotRun("no nvcc")
        self.call(compiler, "-O3", "-arch=native", self.examples / "matrix_sums.cu", "-lcublas", "-o", self.folder / "matrix_sums")
        run = self.new_run("program", "profile", "--timeline=200us", "--once", "--", self.folder / "matrix_sums", "--steps", "600")
        sampled = re.search(r"sampled to and from DRAM, ([0-9.]+) of the", (run / "summary.md").read_text())
        if sampled:
            self.table.add_ratios("DRAM bytes sampled over time", "those counted by kernel", [float(sampled[1])], TIMELINE_TOLERANCE)
        else:
            self.not_run.append(("DRAM bytes sampled over time", "the report has no such check"))
        self.beside_ncu("kernels of matrix_sums.cu", run)

    def times_of_pytorch(self):
        needs("torch")
        program = self.examples / "training_step.py"
        run = read_run(self.new_run("pytorch", "profile", "--once", "--", sys.executable, program, "--steps", "200"))
        trace = self.folder / "trace.json"
        self.call(sys.executable, "-c", TORCH_PROFILED, trace, program, "--steps", "60")
        theirs = collections.defaultdict(list)
        for event in json.loads(trace.read_text())["traceEvents"]:
            if event.get("cat") == "kernel":
                theirs[key(event["name"], event["args"]["grid"], event["args"]["block"])].append(event["dur"] / 1e6)
        ours = collections.defaultdict(lambda: [0, 0])
        for measurement in run["measurements"]:
            axes, launches = measurement["axes"], measurement["launches"]
            entry = ours[key(measurement["subject"], sizes(axes.get("grid", 0)), sizes(axes.get("block", 0)))]
            entry[0] += launches["total_s"]
            entry[1] += launches["traced"]
        all_s = sum(total for total, _ in ours.values())
        means = {name: total / traced for name, (total, traced) in ours.items() if traced and total > LARGE_ENOUGH * all_s}
        ratios = [mean / (sum(theirs[name]) / len(theirs[name])) for name, mean in means.items()
                  if name in theirs and mean > LONG_ENOUGH_S]
        self.table.add_ratios("mean times of kernels of training_step.py", "torch.profiler", ratios, KERNEL_TIME_TOLERANCE)

    def links(self):
        needs_two = json.loads(self.rooflinectl("list", "devices", "--json"))["devices"]
        if len(needs_two) < 2:
            raise NotRun("one GPU")
        nccl = next((str(path) for spec in [importlib.util.find_spec("nvidia")] if spec
                     for root in spec.submodule_search_locations for path in pathlib.Path(root).glob("**/libnccl.so.2")), None)
        self.rooflinectl("ceilings", "--device", "all", "--quick", "--quiet", "--output", self.folder / "links",
                         **({"ROOFLINECTL_NCCL": nccl} if nccl else {}))
        run = read_run(self.folder / "links/ceilings/latest")
        counted = [link[end] / link["moved_bytes"] for link in run["links"] for end in ["sent_bytes", "received_bytes"] if end in link]
        self.table.add_ratios("bytes over NVLink by its counters", "those copied, loaded and stored", counted, LINK_TOLERANCE)
        needs("torch")
        largest = 2 ** 30
        theirs = json.loads(self.call(sys.executable, SOURCE / "tests/gpu/pytorch_collectives.py", largest).splitlines()[-1])
        ours = {entry["collective"]: entry["sizes"][-1]["time_s"] for entry in run["collectives"]["times"]}
        self.table.add_ratios("times of NCCL's collectives of 1 GiB", f"PyTorch {theirs['torch']}",
                              [time / (theirs["one_process"].get(name) or theirs["process_per_gpu"][name]) for name, time in ours.items()],
                              COLLECTIVE_TOLERANCE)

    def run(self):
        for what, step in [("kernels of known work", self.known_work), ("kernels of experiments.yaml", self.own_kernels),
                           ("kernels of matrix_sums.cu", self.program_of_cuda),
                           ("mean times of kernels of training_step.py", self.times_of_pytorch), ("links and collectives", self.links)]:
            try:
                step()
            except (NotRun, subprocess.TimeoutExpired, KeyError, ValueError) as reason:
                self.not_run.append((what, str(reason) if isinstance(reason, NotRun) else repr(reason)))


def key(name, grid, block):
    """A kernel, whoever spelt its template arguments."""
    return re.split(r"[<(]", re.sub(r"^(void|int) ", "", name))[0].split("::")[-1], tuple(grid), tuple(block)


def sizes(text):
    """`8x64` or 132 with all three dimensions."""
    given = [int(part) for part in str(text).split("x")]
    return given + [1] * (3 - len(given))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("install", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    install = options.install.resolve()
    start = datetime.datetime.now(datetime.timezone.utc)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        kept = options.keep.resolve() if options.keep else pathlib.Path(folder)
        kept.mkdir(parents=True, exist_ok=True)
        validation = Validation(install, kept)
        try:
            devices = json.loads(validation.rooflinectl("list", "devices", "--json"))["devices"]
            version = validation.rooflinectl("version").splitlines()[0]
        except (NotRun, OSError) as reason:
            sys.exit(f"validate.py: {reason}")
        validation.run()
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True,
                            check=False).stdout.split("\n")[0] if shutil.which("nvidia-smi") else "unknown"
    wall_s = (datetime.datetime.now(datetime.timezone.utc) - start).total_seconds()
    print(f"{len(devices)} × {devices[0]['name']}, driver {driver}, {version}, {start:%Y-%m-%d}, {wall_s:.0f} s\n")
    validation.table.print()
    for what, reason in validation.not_run:
        print(f"\nnot run: {what}: {reason}")
    sys.exit(1 if validation.table.differing else 0)


if __name__ == "__main__":
    main()
