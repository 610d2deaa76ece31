#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the numbers of an installed rooflinectl with known work and with other tools on this machine, and prints a
Markdown table: counters of kernels of known work; own kernels, and those of a program, beside Nsight Compute, with the reasons
for which warps wait; the bytes of the DRAM ceilings; a program's times beside torch.profiler; what was sampled over time beside what was counted; NVLink's counters beside what was moved;
collectives beside PyTorch's.

  scripts/validate.py INSTALLED_FOLDER [--keep FOLDER]

What this machine cannot compare (one GPU, no ncu, no PyTorch) is "not run", with the reason.
--keep leaves the runs in a folder. Exits with 1 if a number differs by more than its tolerance, which docs/crosscheck.md
explains, and with 3 if nothing could be compared.
"""

import argparse
import collections
import functools
import gzip
import importlib.util
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent
TIME_LIMIT_S = 240
TRAINING_STEPS = 320  # of which the last ones are sampled
# Forward: of each of 8 layers those for attention (4) and for the perceptron (8 widths), and the words of the vocabulary; for 8 texts
# of 512 words.
WORDS, WIDTH, VOCABULARY = 8 * 512, 1024, 32000
PRODUCTS_OF_A_STEP = 2 * WORDS * (8 * (4 + 8) * WIDTH ** 2 + WIDTH * VOCABULARY)
PRODUCTS_TOLERANCE = 0.005
KERNEL_TIME_TOLERANCE = 0.05
SAMPLED_BYTES_TOLERANCE = 0.03
STALLS = ["long_scoreboard", "short_scoreboard"]  # that `profile` counts of all kernels
STALL_TOLERANCE = 0.05  # of all warp cycles
PIPES = ["alu", "xu", "fma", "fp64"]
PIPE_TOLERANCE = 0.05
OPERATIONS = ["fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"]
GRAPH_BYTES_TOLERANCE = 0.05
MORE_THAN_L2_BYTES = 2e8
TRACE_INSTRUCTIONS = 8  # that the trace adds to each warp
MIX_TOLERANCE = 0.03  # what stays in L2 is not written
# Those in which `profile` counts the pipes lie between them: whether divisions and roots take their slow path depends on the data.
STEPS_UNDER_NCU = (5, 200)
LINK_TOLERANCE = 0.02
COLLECTIVE_TOLERANCE = 0.03
COLLECTIVE_BYTES = 2 ** 30
# Shorter kernels, and those that are a smaller part of the program, vary from run to run.
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

# ncu profiles the step between `start` and `stop`.
ONE_STEP = """
import runpy, sys, torch
from torch.optim.optimizer import register_optimizer_step_post_hook
steps, program = int(sys.argv[1]), sys.argv[2]
sys.argv = [program, "--steps", str(steps + 2)]
done = 0
def after_step(*_):
    global done
    done += 1
    if done == steps:
        torch.cuda.profiler.start()
    elif done == steps + 1:
        torch.cuda.profiler.stop()
register_optimizer_step_post_hook(after_step)
runpy.run_path(program, run_name="__main__")
"""


class NotRun(Exception):
    """Why something cannot be compared here."""


class Comparison:
    """A number of ours, its reference, and by how much they may differ."""

    def __init__(self, what, unit, ours, reference, allowed):
        self.what, self.unit, self.ours, self.reference, self.allowed = what, unit, ours, reference, allowed

    @property
    def difference(self):
        return abs(self.ours - self.reference)

    @property
    def part_of_allowed(self):
        if self.difference == 0:
            return 0
        return self.difference / self.allowed if self.allowed else math.inf

    @property
    def differs(self):
        return self.difference > self.allowed

    def __str__(self):
        """`1.2 % of 5 %: time of …`"""
        if self.reference == 0:
            return f"{self.difference:.3g} of {self.allowed:.3g}: {self.what}"
        return (f"{100 * self.difference / abs(self.reference):.2g} % of {100 * self.allowed / abs(self.reference):.2g} %: "
                f"{self.what}")


def comparison_of_ratio(what, ratio, tolerance):
    """`ratio`: ours over theirs."""
    return Comparison(what, "", ratio, 1, tolerance)


def comparisons_of(agreements):
    """Of a run.json. Those without one of the numbers, which a note explains, are left out."""
    return [Comparison(f"{one['quantity']} of {one['subject']}", one["unit"], one["ours"], one["reference"],
                       one["tolerance"] * (abs(one["reference"]) if one["is_relative"] else 1))
            for one in agreements if isinstance(one["ours"], (int, float)) and isinstance(one["reference"], (int, float))]


class Table:
    """What was compared: a row for each set of numbers, printed at once, and those that differ."""

    def __init__(self):
        self.rows = []
        self.differing = []

    def add(self, what, beside, comparisons):
        if not comparisons:
            raise NotRun("there is nothing to compare")
        nearest = max(comparisons, key=lambda one: one.part_of_allowed)
        differing = [one for one in comparisons if one.differs]
        if not self.rows:
            print("| numbers | compared with | compared | beyond tolerance | nearest to, or furthest beyond, its tolerance |\n"
                  "| --- | --- | ---: | ---: | --- |")
        cells = [what, beside, str(len(comparisons)), str(len(differing)), str(nearest) if nearest.difference else "0"]
        print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |", flush=True)
        self.rows.append(cells)
        self.differing += differing

    def add_by_kind(self, what, beside, comparisons):
        """A row for those that have to be equal, for times, for bytes, and for the others."""
        kinds = collections.defaultdict(list)
        for one in comparisons:
            kinds["exact counts" if one.allowed == 0 else {"s": "times", "bytes": "bytes"}.get(one.unit, "other counts")].append(one)
        if not kinds:
            raise NotRun("there is nothing to compare")
        for kind, ones in sorted(kinds.items()):
            self.add(f"{what}: {kind}", beside, ones)

    def print_differing(self):
        for one in self.differing:
            print(f"- differs: {one.what}: {one.ours:.6g}, beside {one.reference:.6g}; allowed: {one.allowed:.2g}")


def read_run(folder):
    return json.loads((folder / "run.json").read_text())


def needs_module(name):
    if importlib.util.find_spec(name) is None:
        raise NotRun(f"no {name}")


def needs_program(name):
    if shutil.which(name) is None:
        raise NotRun(f"no {name} on the PATH")


def once(method):
    """The method, which runs once for the same arguments: later calls return, or raise, what the first one did."""
    outcomes = {}

    @functools.wraps(method)
    def remembering(*arguments):
        if arguments not in outcomes:
            try:
                outcomes[arguments] = method(*arguments), None
            except NotRun as reason:
                outcomes[arguments] = None, reason
        result, reason = outcomes[arguments]
        if reason:
            raise reason
        return result

    return remembering


class Validation:
    def __init__(self, install, folder):
        self.program = install / "bin/rooflinectl"
        self.plan = install / "share/rooflinectl/experiments.yaml"
        self.examples = install / "share/rooflinectl/examples"
        self.training_step = self.examples / "training_step.py"
        self.folder = folder
        self.table = Table()
        self.not_run = []
        self.took_s = {}

    def run(self):
        self.attempt("kernels of known work", self.known_work)
        self.attempt("kernels of experiments.yaml", self.own_kernels)
        self.attempt("kernels of training_step.py", self.programs_kernels)
        self.attempt("stall reasons of training_step.py", self.programs_stalls)
        self.attempt("pipes of training_step.py", self.programs_pipes)
        self.attempt("DRAM mixes", self.mixes)
        self.attempt("products of training_step.py", self.programs_products)
        for how in ["eager", "graphs"]:
            what = f"operations of known_work.py, {how}"
            self.attempt(what, lambda what, how=how: self.known_operations(what, how))
        self.attempt("kernels in graphs of known_work.py", self.graphs_kernels)
        self.attempt("times of training_step.py", self.programs_times)
        self.attempt("timeline of training_step.py", self.programs_timeline)
        self.attempt("links", self.links)
        self.attempt("collectives", self.collectives)

    def attempt(self, what, compare):
        """Whatever goes wrong in one of them, the others are tried."""
        start = time.monotonic()
        try:
            compare(what)
        except NotRun as reason:
            self.not_run.append((what, str(reason)))
        except Exception as reason:
            self.not_run.append((what, repr(reason)))
        self.took_s[what] = time.monotonic() - start

    def call(self, *command, codes=(0,), **environment):
        """What it prints to standard output."""
        words = list(map(str, command))
        with subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, env={**os.environ, **environment}) as process:
            try:
                output, errors = process.communicate(timeout=TIME_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.terminate()  # it ends what it has started
                process.communicate()
                raise NotRun(f"`{' '.join(words[:3])} …` took longer than {TIME_LIMIT_S} s") from None
        if process.returncode not in codes:
            lines = [line for line in (output + errors).splitlines() if line.strip() and not line.startswith("hint: ")]
            raise NotRun(f"`{' '.join(words[:3])} …` exits with {process.returncode}: {lines[-1] if lines else 'no output'}")
        return output

    def rooflinectl(self, *arguments, **options):
        return self.call(self.program, *arguments, **options)

    def new_run(self, name, command, *arguments):
        """The folder of a run."""
        self.rooflinectl(command, "--output", self.folder / name, *arguments)
        [run] = (self.folder / name).glob("*/*Z")
        return run

    @once
    def devices(self):
        return json.loads(self.rooflinectl("list", "devices", "--json"))["devices"]

    def known_work(self, what):
        answer = json.loads(self.rooflinectl("selftest", "--json", codes=(0, 1)))
        self.table.add_by_kind(what, "arithmetic", comparisons_of(answer["self_test"]["agreements"]))

    def own_kernels(self, what):
        needs_program("ncu")
        self.beside_ncu(what, self.new_run("kernels", "run", "--quiet", "--require-gpu", self.plan))

    def beside_ncu(self, what, run):
        self.rooflinectl("crosscheck", run, "--with", "ncu", codes=(0, 1))
        [check] = read_run(run)["cross_checks"]
        tool = f"Nsight Compute {check['version']}"
        rest = check["agreements"]
        for name, key in [("L2 writes", "l2_write_bytes"), ("atomics", "l2_atomic_operations")]:
            compared = comparisons_of([one for one in rest if one["quantity"] == key])
            rest = [one for one in rest if one["quantity"] != key]
            if compared:
                self.table.add(f"{what}: {name}", tool, compared)
        self.table.add_by_kind(what, tool, comparisons_of(rest))

    @once
    def training_run(self):
        """Its folder."""
        needs_module("torch")
        return self.new_run("training", "profile", "--quiet", "--once", "--timeline=200us", "--", sys.executable,
                            self.training_step, "--steps", TRAINING_STEPS)

    def programs_kernels(self, what):
        needs_program("ncu")
        self.beside_ncu(what, self.training_run())

    def programs_stalls(self, what):
        """The shares of warp cycles by what warps wait for, of kernels that both have."""
        needs_program("ncu")
        ours = stall_shares(read_run(self.training_run()))
        theirs = self.beside_ncu_metrics("stalls", stall_shares, ["sm__warps_active.sum",
                                                                  *(f"smsp__warps_issue_stalled_{reason}.sum" for reason in STALLS)])
        self.table.add(what, "Nsight Compute",
                       [Comparison(f"share of warp cycles that wait for {reason}, {short(name)}", "", share,
                                   nearest(share, theirs[name, reason]), STALL_TOLERANCE)
                        for (name, reason), share in sorted(ours.items()) if (name, reason) in theirs])

    def under_ncu(self, name, metrics, options, program):
        """A run of the program under ncu. Metrics that fit into one pass are not replayed: each kernel finds in L2 what the one before
        it left there, as in the program."""
        report = self.folder / f"{name}.ncu-rep"
        self.call("ncu", "--metrics", ",".join(metrics), "--cache-control", "none", "--clock-control", "none", *options,
                  "--export", report, sys.executable, *program)
        return read_run(self.new_run(name, "import", report))

    def beside_ncu_metrics(self, name, numbers_of, metrics):
        """What `numbers_of` finds under ncu: for each key that both steps have, its number at each of them."""
        numbers = [numbers_of(self.under_ncu(f"{name}-{step}", metrics, ["--profile-from-start", "off"],
                                             ["-c", ONE_STEP, step, self.training_step])) for step in STEPS_UNDER_NCU]
        return {key: [one[key] for one in numbers] for key in numbers[0] if all(key in one for one in numbers)}

    def programs_pipes(self, what):
        """Warp instructions of each pipe, of kernels that both have and that do not wait in loops."""
        needs_program("ncu")
        keys = [f"{pipe}_pipe_instructions" for pipe in PIPES]
        ours = counters_of_launches(without_polling(read_run(self.training_run())), keys)
        theirs = self.beside_ncu_metrics("pipes", lambda run: counters_of_launches(run, keys),
                                         [f"smsp__inst_executed_pipe_{pipe}.sum" for pipe in PIPES])
        self.table.add(what, "Nsight Compute",
                       [Comparison(f"{key}, {short(name)}", "", number, reference,
                                   PIPE_TOLERANCE * reference + TRACE_INSTRUCTIONS * warps_of(name))
                        for (name, key), number in sorted(ours.items()) if (name, key) in theirs
                        for reference in [nearest(number, theirs[name, key])]])

    def graphs_kernels(self, what):
        """Operations and DRAM bytes of kernels in CUDA graphs. Scans that look back do not always add as often, and less than the L2
        holds may or may not be written in a launch."""
        needs_module("torch")
        needs_program("ncu")
        keys = [*OPERATIONS, "dram_read_bytes", "dram_write_bytes"]
        run = read_run(self.known_run("graphs"))
        ours = counters_of_launches(run, keys, "CUDA graph")
        theirs = {}
        for name, metrics in [("operations", [f"smsp__sass_thread_inst_executed_op_{key}_pred_on.sum" for key in OPERATIONS]),
                              ("dram", ["dram__bytes_read.sum", "dram__bytes_write.sum"])]:
            theirs |= counters_of_launches(
                self.under_ncu(f"graphs-{name}", [*metrics, "gpu__time_duration.sum"],
                               ["--graph-profiling", "node", "--nvtx", "--nvtx-include", "regex:.*/"],
                               [self.examples / "known_work.py", "--how", "graphs", "--rounds", "1"]), keys)
        both = [name for name in sorted({name for name, _ in ours}) if (name, OPERATIONS[0]) in theirs]
        self.table.add(f"{what}: operations", "Nsight Compute",
                       [Comparison(f"{key}, {short(name)}", "", ours[name, key], theirs[name, key], spread_of(run, name, key) * ours[name, key])
                        for name in both for key in OPERATIONS if (name, key) in ours])
        dram = {which: {name: run.get((name, "dram_read_bytes"), 0) + run.get((name, "dram_write_bytes"), 0) for name in both}
                for which, run in [("ours", ours), ("theirs", theirs)]}
        self.table.add(f"{what}: DRAM bytes", "Nsight Compute",
                       [comparison_of_ratio(f"DRAM bytes of {short(name)}", dram["ours"][name] / dram["theirs"][name], GRAPH_BYTES_TOLERANCE)
                        for name in both if dram["theirs"][name] >= MORE_THAN_L2_BYTES])

    def mixes(self, what):
        """The benchmarks of DRAM ceilings: bytes that were counted over those that they move."""
        run = read_run(self.new_run("mixes", "ceilings", "--fresh"))
        counted = {ceiling["id"]: re.match(r"counted ([0-9.]+) of", ceiling.get("confirmation", {}).get("detail", ""))
                   for ceiling in run["ceilings"] if ceiling["id"].startswith("dram_mix_")}
        self.table.add(what, "bytes that were moved", [comparison_of_ratio(f"bytes of {name}", float(ratio[1]), MIX_TOLERANCE)
                                                       for name, ratio in counted.items() if ratio])

    def programs_products(self, what):
        """Kernels of one shape multiply by matrices of several sizes: their counts have to be those of all of them together."""
        run = read_run(self.training_run())
        ours = collections.Counter()
        for measurement in run["measurements"]:
            is_product = "flash" not in measurement["subject"] and "fmha" not in measurement["subject"]
            operations = measurement["counters"].get("tensor_bf16_ops", 0)
            if is_product and isinstance(operations, (int, float)):
                work = operations * measurement["launches"]["count"] / TRAINING_STEPS
                ours[measurement["axes"].get("path")] += without_padding(measurement["subject"], work)
        self.table.add(what, "shapes of the layers",
                       [comparison_of_ratio(f"Tensor Core operations of products, {path}", ours[path] / (factor * PRODUCTS_OF_A_STEP),
                                            PRODUCTS_TOLERANCE) for path, factor in [("forward", 1), ("backward", 2)] if ours[path] > 0])

    @once
    def known_run(self, how):
        """Its folder."""
        return self.new_run(f"known-{how}", "profile", "--quiet", "--once", "--", sys.executable, self.examples / "known_work.py",
                            "--how", how)

    def known_operations(self, what, how):
        """Operations of PyTorch whose work follows from their shapes."""
        needs_module("torch")
        spec = importlib.util.spec_from_file_location("known_work", self.examples / "known_work.py")
        known_work = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(known_work)
        run = read_run(self.known_run(how))
        self.table.add(what, "shapes", [comparison_of_ratio(f"{known_work.KNOWN[name].kind} of {name}", work / known_work.KNOWN[name].amount,
                                                            known_work.KNOWN[name].tolerance)
                                        for name, work, _ in known_work.counted_of(run) if known_work.KNOWN[name].amount])

    def programs_times(self, what):
        run = read_run(self.training_run())
        trace = self.folder / "trace.json"
        self.call(sys.executable, "-c", TORCH_PROFILED, trace, self.training_step, "--steps", "60")
        theirs = collections.defaultdict(list)
        for event in json.loads(trace.read_text())["traceEvents"]:
            if event.get("cat") == "kernel":
                theirs[kernel(event["name"], event["args"]["grid"], event["args"]["block"])].append(event["dur"] / 1e6)
        ours = mean_times(run)
        self.table.add(what, "torch.profiler",
                       [comparison_of_ratio(f"mean time of {name[0]}", ours[name] / (sum(theirs[name]) / len(theirs[name])),
                                            KERNEL_TIME_TOLERANCE) for name in sorted(ours) if name in theirs])

    def programs_timeline(self, what):
        report = (self.training_run() / "summary.md").read_text()
        sampled = re.search(r"sampled to and from DRAM, ([0-9.]+) of the [^;]*", report)
        if not sampled:
            raise NotRun("the report has no DRAM bytes that were sampled and counted")
        if "was not counted" in sampled[0]:
            raise NotRun(f"too little was counted: {sampled[0]}")
        self.table.add(what, "counted by kernel", [comparison_of_ratio("sampled DRAM bytes", float(sampled[1]), SAMPLED_BYTES_TOLERANCE)])

    @once
    def linked_run(self):
        nccl = [path for root in module_folders("nvidia") for path in root.glob("**/libnccl.so.2")]
        self.rooflinectl("ceilings", "--device", "all", "--quick", "--output", self.folder / "links", codes=(0, 1),
                         **({"ROOFLINECTL_NCCL": str(nccl[0])} if nccl else {}))
        return read_run(self.folder / "links/ceilings/latest")

    def needs_two_gpus(self):
        if len(self.devices()) < 2:
            raise NotRun("one GPU")

    def links(self, what):
        self.needs_two_gpus()
        self.table.add(what, "bytes that were moved",
                       [comparison_of_ratio(f"{end} of device {link['from']} to {link['to']}, {link['mover']}",
                                            link[end] / link["moved_bytes"], LINK_TOLERANCE)
                        for link in self.linked_run()["links"] for end in ["sent_bytes", "received_bytes"] if end in link])

    def collectives(self, what):
        self.needs_two_gpus()
        needs_module("torch")
        ours = self.linked_run()["collectives"]
        if "missing" in ours:
            raise NotRun(ours["missing"])
        theirs = json.loads(self.call(sys.executable, SOURCE / "tests/gpu/pytorch_collectives.py", COLLECTIVE_BYTES).splitlines()[-1])
        self.table.add(what, f"PyTorch {theirs['torch']}",
                       [comparison_of_ratio(f"time of {name}, 1 GiB", entry["sizes"][-1]["time_s"] /
                                            (theirs["one_process"].get(name) or theirs["process_per_gpu"][name]), COLLECTIVE_TOLERANCE)
                        for entry in ours["times"] if "missing" not in entry for name in [entry["collective"]]])


def nearest(number, references):
    """The number itself if it lies between the references, else the nearer of them."""
    return min(max(number, min(references)), max(references))


def module_folders(name):
    spec = importlib.util.find_spec(name)
    return [pathlib.Path(folder) for folder in spec.submodule_search_locations] if spec else []


def without_padding(name, work):
    """`work`; for the product with the vocabulary, which few tiles divide evenly, without what fills up the last tiles."""
    tile = re.search(r"_(\d+)x(\d+)_", name)
    product = 2 * WORDS * WIDTH * VOCABULARY
    for rows, columns in itertools.permutations(map(int, tile.groups())) if tile else []:
        tiles = math.ceil(WORDS / rows) * math.ceil(VOCABULARY / columns)
        if math.isclose(work, 2 * WIDTH * tiles * rows * columns, rel_tol=1e-6):
            return product
    return work


def mean_times(run):
    """Of the kernels that take long enough to be compared, by `kernel`, in seconds."""
    times = collections.defaultdict(lambda: [0, 0])
    for measurement in run["measurements"]:
        launches = measurement["launches"]
        total = times[kernel_of(measurement)]
        total[0] += launches["total_s"]
        total[1] += launches["traced"]
    all_s = sum(total_s for total_s, _ in times.values())
    return {name: total_s / traced for name, (total_s, traced) in times.items()
            if traced and total_s > LARGE_ENOUGH * all_s and total_s / traced > LONG_ENOUGH_S}


def stall_shares(run):
    """By `group_of` and reason: of those that were counted, weighted by time."""
    cycles = collections.Counter()
    for measurement in run["measurements"]:
        value = {key: number for key, number in measurement["counters"].items() if isinstance(number, (int, float))}
        everything = value.get("stall_pass_warp_cycles") or value.get("active_warp_cycles")
        mean_s = (measurement.get("time") or {}).get("median_s", 0)
        if not everything or mean_s < LONG_ENOUGH_S:
            continue
        name = group_of(measurement)
        for reason in STALLS:
            if f"{reason}_stall_warp_cycles" in value:
                cycles[name, reason] += mean_s * value[f"{reason}_stall_warp_cycles"] / everything
                cycles[name, reason, "time"] += mean_s
    return {key: total / cycles[(*key, "time")] for key, total in cycles.items() if len(key) == 2}


def counters_of_launches(run, keys, path=""):
    """By `group_of` and key: the mean of a launch, of kernels that take long enough and have this in their path."""
    sums, launches = collections.Counter(), collections.Counter()
    for measurement in run["measurements"]:
        axes = measurement["axes"]
        if (measurement.get("time") or {}).get("median_s", 0) < LONG_ENOUGH_S or path not in axes.get("path", ""):
            continue
        count = (measurement.get("launches") or {}).get("count", 1)
        name = group_of(measurement)
        for key in keys:
            number = measurement["counters"].get(key)
            if isinstance(number, (int, float)):
                sums[name, key] += count * number
                launches[name, key] += count
    return {key: total / launches[key] for key, total in sums.items()}


def spread_of(run, name, key):
    """By how much its launches differed, relative to their mean."""
    return max((one.get("counter_spread", {}).get(key, 0) for one in run["measurements"] if group_of(one) == name), default=0)


def without_polling(run):
    """Without kernels whose warps wait in loops: how often these run depends on the speed, and instrumentation counts no integers then."""
    return {**run, "measurements": [one for one in run["measurements"] if isinstance(one["counters"].get("integer_ops"), (int, float))]}


def warps_of(name):
    _, grid, block = name
    return math.prod(grid) * math.ceil(math.prod(block) / 32)


def kernel(name, grid, block):
    """What tells a kernel from others, however a tool spells its template arguments."""
    name = re.sub(r"^(void|int) ", "", name).replace("(anonymous namespace)::", "")
    return re.split(r"[<(]", name)[0].split("::")[-1], tuple(grid), tuple(block)


def kernel_of(measurement):
    """The same of a measurement in a run."""
    return kernel(*group_of(measurement))


def group_of(measurement):
    """Name, grid and block: ncu spells names as we do."""
    axes = measurement["axes"]
    return measurement["subject"], tuple(sizes(axes.get("grid", 0))), tuple(sizes(axes.get("block", 0)))


def short(group):
    name, grid, _ = kernel(*group)
    return f"{name} grid {'x'.join(map(str, grid))}"


def sizes(text):
    """All three of `8x64` or 132."""
    given = [int(part) for part in str(text).split("x")]
    return given + [1] * (3 - len(given))


def validate(install, folder):
    """Prints the table; the exit code."""
    start = time.time()
    validation = Validation(install, folder)
    try:
        device = validation.devices()[0]
        version = validation.rooflinectl("version").splitlines()[0]
    except (NotRun, OSError) as reason:
        print(f"validate.py: {reason}", file=sys.stderr)
        return 3
    print(f"{len(validation.devices())} × {device['name']}, driver {device['driver_version']}, {version}, "
          f"{time.strftime('%Y-%m-%d', time.gmtime(start))}\n", flush=True)
    validation.run()
    print()
    validation.table.print_differing()
    for what, reason in validation.not_run:
        print(f"- not run: {what}: {reason}")
    print(f"- {time.time() - start:.0f} seconds: " + ", ".join(f"{what} {took:.0f}" for what, took in validation.took_s.items()))
    if not validation.table.rows:
        return 3
    return 1 if validation.table.differing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("install", type=pathlib.Path, help="the folder with bin/ and share/")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="leave the runs there")
    options = parser.parse_args()
    install = options.install.resolve()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        return validate(install, options.keep.resolve())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return validate(install, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
