#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays a CUDA program into which librooflinectl-injection.so is loaded: writes the records of a process, without a GPU.

usage: fake_guest.py [ACCIDENT...]

It launches `add` 100 times and `gemm`, which uses Tensor Cores, once; `add` takes 10 µs and `gemm` 1 ms. `gemm` is counted
in the first of the passes that are wanted. Accidents:

  exit:N       exits with N                            segv         crashes when all is written
  half         its last line is half a line            abrupt       ends without the last record
  hang         does not end, except for SIGTERM        deaf         not even then, nor for Ctrl-C
  untraced     counts launches, and traces none
  failing      4014 launches of `add`, and all 9 of `gemm` in a larger block, fail
  silent       never uses CUDA                         idle         uses CUDA, launches nothing
  early        initialises CUDA, and that is all         unseen       has a profiler of its own
  forbidden    may not count                           often        launches `gemm` 10 times
  lost         could not write all records             graph        launches a CUDA graph
  child        a child process that is exec'd launches too, on another device
  steps        each launch of `add` is in a range of its own: `step 0`, `step 1`, …
  blind        the instrumentation counts nothing
  input        copies its standard input to its standard output
  unsampled    may not sample its device
  nccl         takes part in 20 collectives, with `RANK` 1 coming last
  held         of these, the first 5 were held up to be counted; held:all: all of them
  long         a launch of `gemm` takes 0.2 s, and is counted only if it is known that it takes that long
  alone        launches of `gemm` wait for others      stubborn     `gemm` is never counted
  twin         another kernel is called `add`, too      endless      leaves out 12345 launches
  waits        rank 0 was held during the first 5 collectives, for which the others waited 0.8 ms each; waits:all: of all
  slow         `add` takes 20 % longer

Of several ranks (`RANK`, `WORLD_SIZE`) each has a device of its own. FAKE_GUEST_HOST is the name of the host that it seems to
run on, with a clock of its own, and FAKE_GUEST_START what that clock reads at the start.
"""

import json
import os
import signal
import subprocess
import sys
import time

DEVICE = "GPU-00000000-0000-0000-0000-000000000000"
MEMORY = {"dram_read_bytes": 8e6, "dram_write_bytes": 4e6, "l2_bytes": 12e6, "l1_bytes": 12e6, "warp_instructions": 1e5,
          "tensor_pipe_instructions": 0, "tensor_pipe_hfma2": 0}
OPERATIONS = {"fadd": 1e6, "fmul": 0, "ffma": 0, "shared_bytes": 0, "warp_instructions_sass": 1e5}


def counters(kernel, pass_name, accidents):
    if pass_name == "memory":
        return dict(MEMORY, tensor_pipe_instructions=1e4 if kernel == 1 else 0)
    if pass_name == "operations":
        return dict(OPERATIONS, **({"fadd": 0, "warp_instructions_sass": 0} if "blind" in accidents else {}))
    if pass_name == "tensor":
        return {"tensor_pipe_instructions": 1e4, "tensor_pipe_hfma2": 0, "tensor_bf16_ops": 2e9} if kernel == 1 else {
            "tensor_pipe_instructions": 0, "tensor_pipe_hfma2": 0}
    if pass_name == "pipes":
        return {"fma_pipe_instructions": 5e4, "fp64_pipe_instructions": 0}
    return {f"{pass_name}_ops": 2e9 if pass_name == "tensor_bf16" else 0}


def write_records(accidents):
    settings = json.loads(os.environ["ROOFLINECTL_PROFILE"])
    path = os.path.join(settings["records"], f"{os.getpid()}-{time.monotonic_ns()}.jsonl")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        def write(kind, **record):
            if kind == "launches" and "untraced" in accidents:
                return
            file.write(json.dumps({"type": kind, **record}, separators=(",", ":")) + "\n")
            file.flush()

        start = int(os.environ.get("FAKE_GUEST_START", time.monotonic_ns()))
        host = os.environ.get("FAKE_GUEST_HOST", "")
        write("process", process=os.getpid(), parent=os.getppid(), command_line=sys.argv, start_ns=start,
              **({"host": host, "boot_id": f"boot of {host}"} if host else {}),
              **({"rank": int(os.environ["RANK"]), "ranks": int(os.environ["WORLD_SIZE"])} if "RANK" in os.environ else {}))
        if "unseen" in accidents:
            write("problem", cause="nothing of this process was seen: another profiler is attached", hint="run without it")
            return
        if "early" in accidents:
            write("end", at_ns=time.monotonic_ns(), lost_activities=0, lost_records=0)
            return
        device = "1" if "other-device" in accidents else os.environ.get("RANK", "0")
        write("device", device=0, uuid=DEVICE[:-len(device)] + device, chip="FK100")
        if "idle" not in accidents:
            write_launches(write, settings, accidents, start)
        if "half" in accidents:
            file.write('{"type":"end","at_ns"')
        elif "abrupt" not in accidents:
            write("end", at_ns=time.monotonic_ns(), lost_activities=0, lost_records=7 if "lost" in accidents else 0,
                  **({"left_out_launches": 12345} if "endless" in accidents else {}))


def write_launches(write, settings, accidents, start):
    passes = settings["passes"]
    if "forbidden" in accidents:
        for name in passes:
            write("problem", cause=f"{name} could not be counted: no permission to use the counters", hint="ask for it")
        passes = []
    symbols = ["_Z3addPf", "gemm<script>alert(1)</script>"]
    for place, symbol in enumerate(symbols):
        write("kernel", kernel=place, symbol=symbol, registers_per_thread=32, static_shared_bytes=0, local_bytes_per_thread=0)
    shapes = [{"grid": [1024, 1, 1], "block": [256, 1, 1]}, {"grid": [16, 16, 1], "block": [16, 8, 1]}]
    groups = [(place, "") for place in range(2)]
    if "steps" in accidents:
        groups = [(0, f"step {step}") for step in range(100)] + [(1, "")]
    for group, (kernel, path) in enumerate(groups):
        write("group", group=group, device=0, kernel=kernel, dynamic_shared_bytes=0, blocks_per_sm=8, path=path,
              first_launch=group + 1 if kernel == 0 else 1, **shapes[kernel])
    gemm = len(groups) - 1
    write("pass", **{"pass": passes[0] if passes else "", "is_traced": True, "at_ns": start})
    if "failing" in accidents:
        write("group", group=gemm + 1, device=0, kernel=1, grid=[16, 16, 1], block=[2048, 1, 1], dynamic_shared_bytes=0, path="")
        write("failed", group=0, launches=4014, error="CUDA_ERROR_INVALID_VALUE")
        write("failed", group=gemm + 1, launches=9, error="CUDA_ERROR_INVALID_VALUE")
    add_ns = 12_000 if "slow" in accidents else 10_000
    write("launches", launches=[[step if "steps" in accidents else 0, 7, start + 20_000 * step, add_ns + step, False]
                                for step in range(100)])
    if "steps" in accidents:
        for step in range(100):
            write("ranges", path=f"step {step}", ranges=[[start + 20_000 * step, 15_000]])
    is_counted = [True, "stubborn" not in accidents]
    gemm_ns = 200_000_000 if "long" in accidents else 1_000_000
    if "long" in accidents and settings.get("known_s", {}).get(symbols[1], 0) < 0.2:
        is_counted[1] = False
        write("problem", group=gemm, cause="a launch took longer than the program may be held for it (50 ms), and others ran beside it", hint="")
    if "alone" in accidents:
        is_counted[1] = False
        write("problem", group=gemm, cause="its launches did not finish while the program was held for them: they may be waiting", hint="")
    gemms = 10 if "often" in accidents else 1
    write("launches", launches=[[gemm, 7, start + 3_000_000 + 2_000_000 * i, gemm_ns, i == 0] for i in range(gemms)])
    write("transfers", transfers=[["host_to_device", 0, 1 << 20, start + 2_500_000, 100_000]])
    if "twin" in accidents:
        write("kernel", kernel=2, symbol=symbols[0], registers_per_thread=32, static_shared_bytes=0, local_bytes_per_thread=0, code=7)
        write("kernel", kernel=3, symbol=symbols[0], registers_per_thread=32, static_shared_bytes=0, local_bytes_per_thread=0, code=8)
        for i in range(2):
            write("group", group=gemm + 1 + i, device=0, kernel=2 + i, dynamic_shared_bytes=0, path="", **shapes[0])
            write("launches", launches=[[gemm + 1 + i, 7, start + 60_000_000 + 1_000_000 * i, 500_000, False]])
    if "timeline_interval_ns" in settings:
        write_samples(write, settings["timeline_interval_ns"], accidents, start + 3_000_000)
    if "graph" in accidents:
        write("kernel", kernel=2, symbol="3f2a", graph_nodes=2, registers_per_thread=0, static_shared_bytes=0,
              local_bytes_per_thread=0)
        write("group", group=gemm + 1, device=0, kernel=2, grid=[0, 0, 0], block=[0, 0, 0], dynamic_shared_bytes=0, path="")
        write("launches", launches=[[gemm + 1, 7, start + 50_000_000, 2_000_000, False]])
        write("graph_kernels", kernels=[[gemm + 1, 0, 2, 1_500_000]])
    wanted = settings.get("only", symbols)
    for place, name in enumerate(passes):
        if place > 0:
            write("pass", **{"pass": name, "is_traced": name != "operations", "at_ns": start + 100_000_000 + place})
        for kernel, group, launches in [(0, 0, 100), (1, gemm, gemms)]:
            is_tensor = name.startswith("tensor_")
            if not is_counted[kernel] or symbols[kernel] not in wanted or (is_tensor and kernel == 0) or (place > 0 and launches == 1):
                continue
            write("counted", group=group, **{"pass": name}, ordinal=place + 1, counters=counters(kernel, name, accidents))
    if "nccl" in accidents:
        graphs = 1 if "graph" in accidents else 0
        write_collectives(write, len(symbols) + graphs, gemm + 1 + graphs, start + 200_000_000, accidents)


def write_collectives(write, kernel, group, start, accidents):
    """At uneven times; they end together on all ranks, to within a microsecond."""
    held = 20 if "held:all" in accidents else 5 if "held" in accidents else 0
    write("pass", **{"pass": "tensor" if held else "", "is_traced": True, "at_ns": start - 10_000_000})
    write("kernel", kernel=kernel, symbol="ncclDevKernel_AllReduce_Sum_f32_RING_LL", registers_per_thread=96,
          static_shared_bytes=0, local_bytes_per_thread=0)
    write("group", group=group, device=0, kernel=kernel, grid=[24, 1, 1], block=[512, 1, 1], dynamic_shared_bytes=0,
          blocks_per_sm=1, path="step", first_launch=1, message_bytes=1 << 24)
    rank = os.environ.get("RANK")
    duration = 100_000 if rank == "1" else 300_000
    waits = 20 if "waits:all" in accidents else 5 if "waits" in accidents else 0
    durations = [duration + (800_000 if rank != "0" and i < waits else 0) for i in range(20)]
    write("launches", launches=[[group, 9, start + i * 1_000_000 + (7919 * i) % 500_000 - durations[i], durations[i], i < held]
                                for i in range(20)])
    if waits and rank == "0":
        write("held", device=0, spans=[[start - 500_000, 1_000_000], [start + 900_000, waits * 1_000_000 - 1_900_000]])
    if held:
        write("pass", **{"pass": "", "is_traced": True, "at_ns": start + held * 1_000_000 - 400_000})


def write_samples(write, interval, accidents, start):
    """Of the launches of `gemm`."""
    if "unsampled" in accidents:
        write("problem", cause="the timeline is incomplete: no permission to use the counters", hint="ask for it")
        return
    write("sampling", device=0, interval_ns=interval, at_ns=start, keys=["dram_read_bytes", "sm_active"],
          metrics={"dram_read_bytes": "dram__bytes_read.sum", "sm_active": "sm__cycles_active"},
          left_out={"nvlink_sent_bytes": "this device cannot sample it"})
    write("samples", device=0, samples=[[start + interval * i, interval, [1e5, 0.5]] for i in range(100)])


def main():
    accidents = sys.argv[1:]
    print("guest: out", flush=True)
    print("guest: error", file=sys.stderr, flush=True)
    if "input" in accidents:
        print(sys.stdin.read(), end="", flush=True)
    if "deaf" in accidents:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if "ROOFLINECTL_PROFILE" in os.environ and "silent" not in accidents:
        write_records(accidents)
    if "child" in accidents:
        subprocess.run([sys.executable, __file__, "other-device"], check=True)
    if "hang" in accidents or "deaf" in accidents:
        time.sleep(60)
    if "segv" in accidents:
        os.kill(os.getpid(), signal.SIGSEGV)
    for accident in accidents:
        if accident.startswith("exit:"):
            sys.exit(int(accident[5:]))


main()
