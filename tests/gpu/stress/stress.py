#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that are hard on a profiler in them, plain and under `rooflinectl profile`: both must print the same, bit for bit,
and end alike, within a bound. Where a program knows how often it launched each kernel, the profile must have as many launches.

usage: stress.py [--install FOLDER] [--rooflinectl FILE] [--program FILE] [--seconds SECONDS | --rounds NUMBER] [--seed NUMBER]
                 [--scenarios NAME,...] [--scale NUMBER] [--jobs NUMBER] [--keep FOLDER] [--list]
       stress.py --throughput [--repetitions NUMBER] ...

--install is a folder that `cmake --install` made; --program is `rooflinectl-stress`, by default beside rooflinectl. Each round has
the next seed. --keep leaves what is known about failures there, and lets programs dump their memory. Exits with 77 where there is no GPU.
If STRESS_COLLECTIVE_AFTER_S is set, programs (not those in Python) launch a kernel named like a collective so many seconds after their
start, beside which launches are instrumented one by one."""

import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from this_machine import no_gpu  # noqa: E402

SKIPPED = 77
PYTHON_PROGRAMS = HERE / "stress_programs.py"
# Scenarios in Python, and the packages that they need.
IN_PYTHON = {"torch-threads": ["torch"], "torch-loader": ["torch"], "torch-graphs": ["torch"], "jax-steps": ["jax"]}
# Scenarios that launch all the time, and how much more of them there is to be for a rate.
THROUGHPUT = {"phased": 4, "groups": 40, "streams": 4, "threads": 4}
# By seed. They change what the library does in the program, not which launches it sees.
OPTIONS = [["--timeline=1ms"], [], ["--samples", "10"], ["--whole-graphs"], ["--nvtx-scope", "thread"], ["--limit", "0"]]
WHOLE_GRAPHS = "STRESS_WHOLE_GRAPHS"  # tells the program which launches a profile with that option has
MOST_POINTS = 10_000  # of a run; the rest is left out
# May hang the driver for the whole machine, and ends the work of profiled programs on the same GPU (docs/profile.md).
RISKY = ["exit-illegal-address"]
MOST_MEMORY_MB = 800  # of a process that a profile may add; CUPTI takes most of it
PLAIN_LIMIT_S = 120
UNSTABLE_RUNS = 3
LEFT_LIMIT_S = 3  # for children to end after the program


def files_of(process, names, tasks=True):
    """What /proc tells about it, as far as we may read it."""
    folders = sorted(pathlib.Path(f"/proc/{process}/task").glob("*")) if tasks else [pathlib.Path(f"/proc/{process}")]
    for folder in folders:
        yield f"{folder}:"
        for name in names:
            try:
                content = (folder / name).read_text(errors="replace").replace("\0", " ").strip()
            except OSError as error:
                content = error.strerror or str(error)
            yield f"  {name}: {content}"


def processes_of_session(session):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        # A main thread that has ended leaves a zombie with the other threads.
        if int(fields[3]) == session and (fields[0] != "Z" or int(fields[17]) > 1):
            found.append(int(folder.name))
    return found


def stacks(processes):
    """Where they hang: from the kernel, and from a debugger where there is one."""
    debugger = shutil.which("cuda-gdb") or shutil.which("gdb")
    environment = {key: value for key, value in os.environ.items() if "INJECTION" not in key}
    for process in processes:
        yield from files_of(process, ["cmdline"], tasks=False)
        yield from files_of(process, ["comm", "wchan", "syscall", "stack", "status"])
        if debugger is None:
            continue
        command = [debugger, "-p", str(process), "-batch", "-ex", "set pagination off", "-ex", "thread apply all bt 24"]
        try:
            yield subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                 errors="replace", timeout=60, env=environment, check=False).stdout
        except subprocess.TimeoutExpired:
            yield f"{debugger} did not end"


class Outcome:
    """How a command ended. `code` is that of a shell: 128 + N after signal N; None if it was killed because it hung."""

    def __init__(self, command, folder, limit_s, extra=()):
        folder.mkdir(parents=True)
        self.folder = folder
        environment = dict(os.environ, STRESS_LAUNCHES=str(folder / "launches"), **dict(extra))
        begin = time.monotonic()
        with open(folder / "output", "wb") as output, open(folder / "errors", "wb") as errors:
            process = subprocess.Popen(list(map(str, command)), cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=errors, env=environment, start_new_session=True)
            try:
                code = process.wait(limit_s)
                self.code = 128 - code if code < 0 else code
            except subprocess.TimeoutExpired:
                self.code = None
            self.seconds = time.monotonic() - begin
            end = time.monotonic() + (0 if self.code is None else LEFT_LIMIT_S)
            while (left := processes_of_session(process.pid)) and time.monotonic() < end:
                time.sleep(0.05)
            if left:
                (folder / "stacks").write_text("\n".join(stacks(left)))
            self.left = len(left)
            for one in left:
                try:
                    os.kill(one, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
        self.output = (folder / "output").read_bytes()
        self.ledgers = list(self.read_ledgers(folder / "launches"))

    def errors(self):
        return (self.folder / "errors").read_text(errors="replace")

    @staticmethod
    def read_ledgers(file):
        """What the processes of the program have written about their launches."""
        for line in file.read_text().splitlines() if file.exists() else []:
            try:
                yield json.loads(line)
            except ValueError:
                pass  # of a process that was killed

    def launches_per_second(self):
        ledger = self.ledgers[-1]
        return sum(ledger["launches"].values()) / ledger["seconds"]


def name_of(subject):
    """`work<7>` of `void stress::work<7>(stress::Data)`, as the ledger has it."""
    if subject.startswith("CUDA graph"):
        return "CUDA graph"
    found = re.search(r"(\w+(?:<\(?(?:int\)?)?\d+>)?)(?:\(.*\))?$", subject.split(" [")[0])
    return re.sub(r"<\(int\)", "<", found[1]) if found else subject


def launches_of(run):
    launches = collections.Counter()
    for point in run["measurements"]:
        launches[name_of(point["subject"])] += point["launches"]["count"]
    return launches


def left_out_of(run):
    """Launches of groups that were too many, which the run admits to."""
    causes = (problem["cause"] for problem in run["application"].get("problems", []))
    return sum(int(match[1]) for cause in causes if (match := re.match(r"(\d+) launches are left out", cause)))


def wrong_launches(ledgers, run):
    """Which kernels have more launches in the profile than there were, or fewer where none may be missing."""
    if not ledgers or any(ledger["seen"] == "more" for ledger in ledgers):
        return
    most, least = collections.Counter(), collections.Counter()
    for ledger in ledgers:
        most.update(ledger["launches"])
        if ledger["seen"] == "all":
            least.update(ledger["launches"])
    seen, left_out = launches_of(run), left_out_of(run)
    for kernel in sorted(set(seen) | set(least)):
        if seen[kernel] > most[kernel]:
            yield f"{kernel}: {seen[kernel]} launches in the profile, {most[kernel]} in truth"
        elif seen[kernel] + left_out < least[kernel] and len(run["measurements"]) < MOST_POINTS:
            yield f"{kernel}: only {seen[kernel]} launches in the profile, {least[kernel]} in truth"
    total = run["application"]["launches"]
    if total > most.total():
        yield f"{total} launches in the profile, {most.total()} in truth"
    elif total + left_out < least.total():
        yield f"only {total} launches in the profile, {least.total()} in truth"


def added_memory_mb(plain, profiled):
    """The most that a process of the program needed more than its counterpart."""
    peaks = [(one["VmHWM_kb"], other["VmHWM_kb"]) for one, other in zip(plain, profiled)]
    return max([(other - one) / 1e3 for one, other in peaks], default=0)


class Case:
    """One scenario with one seed."""

    def __init__(self, settings, scenario, seed):
        self.settings, self.scenario, self.seed = settings, scenario, seed
        self.plain = self.profiled = self.run = None
        self.program_s = None  # of the profiled program, without what rooflinectl does after it

    def command(self):
        scale = self.settings.scale * (THROUGHPUT[self.scenario] if self.settings.throughput else 1)
        amount = ["--seed", self.seed, "--scale", scale]
        if self.scenario in IN_PYTHON:
            return [sys.executable, PYTHON_PROGRAMS, self.scenario, *amount]
        return [self.settings.program, self.scenario, *amount, *(["--no-pauses"] if self.settings.throughput else [])]

    def options(self):
        return [] if self.settings.throughput else OPTIONS[self.seed % len(OPTIONS)]

    def profile_command(self, folder):
        return [self.settings.rooflinectl, "profile", "--once", "--quiet", *self.options(), "--output", folder / "runs", "--",
                *self.command()]

    def profile(self, folder):
        limit_s = self.settings.factor * self.plain.seconds + self.settings.constant
        environment = self.settings.environment | ({WHOLE_GRAPHS: "1"} if "--whole-graphs" in self.options() else {})
        self.profiled = Outcome(self.profile_command(folder), folder, limit_s, environment)
        files = list((folder / "runs").glob("*/*Z/run.json"))
        self.run = json.loads(files[0].read_text()) if files else None
        self.program_s = self.run["application"].get("wall_s") if self.run else None
        return self.profiled

    def differences(self, outcome):
        """From the plain run."""
        if outcome.code is None:
            yield f"hung: not done after {outcome.seconds:.0f} s, plain {self.plain.seconds:.1f} s"
            return
        if outcome.code != self.plain.code:
            yield f"exit code {outcome.code}, plain {self.plain.code}"
        if outcome.left > self.plain.left:
            yield f"{outcome.left} processes are left, plain {self.plain.left}"
        if outcome.output != self.plain.output:
            yield "another output: " + first_difference(self.plain.output, outcome.output)

    def is_unstable(self, folder):
        """Whether the program alone does not always do the same."""
        return any(list(self.differences(Outcome(self.command(), folder / f"again-{i}", PLAIN_LIMIT_S)))
                   for i in range(UNSTABLE_RUNS))

    def problems(self, folder):
        """What is wrong, each with the kind under which it is counted."""
        self.plain = Outcome(self.command(), folder / "plain", PLAIN_LIMIT_S)
        if self.plain.code is None:
            return [("plain", f"hung: not done after {PLAIN_LIMIT_S} s")]
        if self.plain.code == SKIPPED:
            return [("skipped", self.plain.output.decode(errors="replace").strip())]
        if self.plain.code in (1, 2, 9):
            return [("plain", f"exit code {self.plain.code}: {self.plain.errors().strip()[-600:]}")]
        found = list(self.differences(self.profile(folder / "profiled")))
        if found:
            kind = "plain" if self.is_unstable(folder) else "failed"
            return [(kind, problem) for problem in found]
        if self.run is None:
            return [("failed", "there is no run.json")]
        found = list(wrong_launches(self.profiled.ledgers, self.run))
        if (added := added_memory_mb(self.plain.ledgers, self.profiled.ledgers)) > MOST_MEMORY_MB:
            found.append(f"{added:.0f} MB more than plain")
        return [("failed", problem) for problem in found]


def first_difference(plain, profiled):
    for number, (one, other) in enumerate(zip(plain.splitlines(), profiled.splitlines()), 1):
        if one != other:
            return f"line {number} is {other[:200]!r} instead of {one[:200]!r}"
    return f"{len(profiled.splitlines())} lines instead of {len(plain.splitlines())}"


class Stress:
    """Rounds of all scenarios, and what came of them."""

    def __init__(self, settings):
        self.settings = settings
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.cases = collections.defaultdict(list)

    def tell(self, line):
        with self.lock:
            print(line, flush=True)

    def do(self, scenario, seed):
        case = Case(self.settings, scenario, seed)
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"{scenario}-{seed}-", dir=self.settings.folder))
        try:
            problems = case.problems(folder)
            kind = problems[0][0] if problems else "passed"
            with self.lock:
                self.counts[kind] += 1
                if kind == "passed":
                    case.run = None  # large
                    self.cases[scenario].append(case)
            times = f"plain {case.plain.seconds:.1f} s" + (f", profiled {case.profiled.seconds:.1f} s" if case.profiled else "")
            self.tell(f"{scenario} | seed {seed} | {kind} | {times}")
            for _, problem in problems[:10]:
                self.tell(f"    {problem}")
            if kind in ("failed", "plain"):
                self.show(case, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def show(self, case, folder):
        self.tell("    again: " + " ".join(map(str, case.profile_command(pathlib.Path(".")) if case.profiled else case.command())))
        outcome = case.profiled or case.plain
        for line in outcome.errors().splitlines()[-12:]:
            self.tell(f"    | {line[:300]}")
        for line in last_faults():
            self.tell(f"    {line[:300]}")
        for file in folder.glob("*/stacks"):
            waits = re.findall(r"^  (?:comm|wchan): .*|^#[0-9] .*|^Thread .*", file.read_text(), re.MULTILINE)
            for line in waits[:80]:
                self.tell(f"    {line.strip()[:200]}")
        if self.settings.keep:
            shutil.copytree(folder, self.settings.keep / folder.name, symlinks=True, ignore_dangling_symlinks=True)

    def rounds(self):
        """Scenarios and seeds until the time is over, in another order each round."""
        end = time.monotonic() + self.settings.seconds
        for number in range(self.settings.rounds or sys.maxsize):
            seed = self.settings.seed + number
            names = list(self.settings.scenarios)
            random.Random(seed).shuffle(names)
            for name in names:
                if not self.settings.rounds and time.monotonic() > end:
                    return
                yield name, seed

    def all(self):
        with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as pool:
            running = set()
            for name, seed in self.rounds():
                running.add(pool.submit(self.do, name, seed))
                if len(running) >= self.settings.jobs:
                    done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for one in done:
                        one.result()
        for one in running:
            one.result()
        self.summary()
        return 1 if self.counts["failed"] or self.counts["plain"] else 0

    def summary(self):
        print("\nscenario | passed | plain, s | program profiled, s | rooflinectl, s | launches/s, profiled to plain | peak MB, plain "
              "and profiled")
        for name, cases in sorted(self.cases.items()):
            median = lambda values: f"{statistics.median(values):.2f}" if (values := [v for v in values if v is not None]) else "-"
            pairs = [(case.plain.ledgers, case.profiled.ledgers) for case in cases]
            pairs = [(plain[-1], profiled[-1]) for plain, profiled in pairs if plain and profiled]
            rates = [profiled["seconds"] and plain["seconds"] / profiled["seconds"] for plain, profiled in pairs]
            peaks = [[ledger.get("VmHWM_kb", 0) / 1e3 for ledger in side] for side in zip(*pairs)]
            print(" | ".join([name, str(len(cases)), median([case.plain.seconds for case in cases]),
                              median([case.program_s for case in cases]), median([case.profiled.seconds for case in cases]),
                              median(rates), " ".join(f"{max(side):.0f}" for side in peaks) or "-"]))
        print(f"\n{self.counts['passed']} passed, {self.counts['failed']} failed", end="")
        print(f", {self.counts['plain']} failed plain" if self.counts["plain"] else "", end="")
        print(f", {self.counts['skipped']} skipped" if self.counts["skipped"] else "")


def throughput(settings):
    """Launches per second in threads, plain and profiled in turn, so that neither has the better time of the machine."""
    print("scenario | launches/s plain | profiled | profiled to plain (each repetition)", flush=True)
    failed = False
    for name in [one for one in settings.scenarios if one in THROUGHPUT]:
        plain, profiled = [], []
        for repetition in range(settings.repetitions):
            case = Case(settings, name, settings.seed)
            folder = settings.folder / f"{name}-{repetition}"
            case.plain = Outcome(case.command(), folder / "plain", PLAIN_LIMIT_S)
            problems = [f"exit code {case.plain.code}"] if case.plain.code != 0 else \
                list(case.differences(case.profile(folder / "profiled")))
            if problems:
                failed = True
                print(f"{name} | {'; '.join(problems)}", flush=True)
                continue
            plain.append(case.plain.launches_per_second())
            profiled.append(case.profiled.launches_per_second())
        if plain:
            ratios = [with_profiler / alone for with_profiler, alone in zip(profiled, plain)]
            print(f"{name} | {statistics.median(plain):.0f} | {statistics.median(profiled):.0f} | "
                  f"{statistics.median(ratios):.3f} ({', '.join(f'{ratio:.3f}' for ratio in ratios)})", flush=True)
    return 1 if failed else 0


def last_faults():
    """What the kernel's log says of programs that were killed by a signal, and in which library; nothing if it may not be read."""
    try:
        log = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return []
    return [line for line in log.splitlines() if "segfault" in line or "general protection" in line or "NVRM: Xid" in line][-3:]


def all_scenarios(program):
    names = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split()
    return names + [name for name, packages in IN_PYTHON.items() if all(map(importlib.util.find_spec, packages))]


def without_ceilings(rooflinectl, folder):
    """With a collector that measures nothing, no time is spent on ceilings, and little on what is the same in all runs."""
    collector = folder / "collector"
    collector.write_text(f"""\
#!/bin/sh
collector={rooflinectl.with_name("rooflinectl-collector")}
case "$1" in
  --watch) exec $collector "$@" ;;
  --devices|--checks|--catalogue) ;;
  *) exit 1 ;;
esac
answer={folder}/answer$1$2
[ -f $answer ] || {{ $collector "$@" >$answer.$$ && mv $answer.$$ $answer; }} || exit
cat $answer
""")
    collector.chmod(0o755)
    return {"XDG_CACHE_HOME": str(folder / "cache"), "ROOFLINECTL_COLLECTOR": str(collector)}


def parsed():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--install", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--rooflinectl", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--program", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rounds", type=int, help="instead of --seconds")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scenarios", metavar="NAME,...")
    parser.add_argument("--scale", type=float, default=1, help="how much of everything a scenario does")
    parser.add_argument("--jobs", type=int, default=1, help="at once: only one of them can count at a time")
    parser.add_argument("--factor", type=float, default=15, help="a profiled run may take this many times the plain one")
    parser.add_argument("--constant", type=float, default=60, help="and this many seconds more")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--throughput", action="store_true")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--list", action="store_true")
    return parser.parse_args()


def main():
    settings = parsed()
    rooflinectl = settings.rooflinectl or (settings.install / "bin/rooflinectl" if settings.install else None)
    settings.rooflinectl = pathlib.Path(rooflinectl or shutil.which("rooflinectl") or "rooflinectl").resolve()
    settings.program = (settings.program or settings.rooflinectl.with_name("rooflinectl-stress")).resolve()
    why = next((f"{file} is missing" for file in [settings.rooflinectl, settings.program] if not file.exists()), None)
    if why is None and settings.list:
        print("\n".join(all_scenarios(settings.program)))
        return 0
    why = why or no_gpu()
    if why:
        print(f"skipped: {why}")
        return SKIPPED
    known = all_scenarios(settings.program)
    chosen = settings.scenarios.split(",") if settings.scenarios else known
    unknown = [name for name in chosen if name not in known]
    if unknown:
        print(f"there is no scenario {', '.join(unknown)} here; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    if settings.jobs > 1 and settings.scenarios and any(name in RISKY for name in chosen):
        print(f"{', '.join(RISKY)} ends the work of what runs beside it: leave out --jobs", file=sys.stderr)
        return 2
    settings.scenarios = chosen if settings.scenarios else [name for name in known if name not in RISKY]
    for name in [name for name in chosen if name not in settings.scenarios]:
        print(f"{name} is left out: it may hang the driver for the whole machine; --scenarios {name} runs it", flush=True)
    if settings.keep:
        settings.keep = settings.keep.resolve()
        settings.keep.mkdir(parents=True, exist_ok=True)
    if not settings.keep:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with tempfile.TemporaryDirectory(prefix="stress", ignore_cleanup_errors=True) as folder:
        settings.folder = pathlib.Path(folder)
        settings.environment = without_ceilings(settings.rooflinectl, settings.folder)
        return throughput(settings) if settings.throughput else Stress(settings).all()


if __name__ == "__main__":
    sys.exit(main())
