#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays rooflinectl-collector without a GPU: same protocol, invented numbers, and accidents on demand.

FAKE_COLLECTOR holds accidents, separated by blanks: `<what>@<phase>:<number>`, where the number is the index of a point
(or, in the phases `ceilings` and `primitives`, a name; `self_test:counters`), or `<what>@start`, `<what>@end`, or
`<what>@checks`. What can happen:

  segv, exit5, exit0, hang, slow, chatty      to the process
  rubbish, half, endless                      to a line
  astray, early, mistaken, skip               a point that the plan does not have, counters before the time, another
                                              point's result, no result
  unverified, failed, poison, nomemory,
  refuse                                      what a real one reports: the last three end the process
  busy (@end, @counters:<number>)             the counters are taken away before they are read, of all points or of one
  stop, kill                                  stopped as by SIGSTOP, killed
  mark                                        only writes a file into FAKE_COLLECTOR_STATE that shows how far it came
  deaf, rude, no_gpu, uncounted (@start)      does not read its request, does not say hello, has no GPU, no counters
  crowded, unfit (@start)                     `--checks` warns of other programs, finds that nothing can be measured
  miscount (@self_test:counters)              one operation too many
  boast (@start)                              claims ceilings that it was not told of
  apart (@links)                              `--links`: the devices cannot reach each other's memory
  elsewhere (@links)                          `--links`: from a device that it was not asked for
  without_nccl, wrong, twice (@collectives)   `--collectives`: there is no NCCL, a result is wrong, one is there twice
  sluggish (@device:<index>)                  every launch there takes 10 % longer
  unfit (@checks:<UUID>)                      `--checks` of this device finds that nothing can be measured on it
  meet                                        continues once two processes have come there, or exits with 5 after 10 s

With a `rank_place` in the request, `ranks` is where each rank meets the others.
Other places are `device:<index>`, where the device that a request names is chosen, `links` and `collectives`.
With FAKE_COLLECTOR_TWO there is a second device, and both have NVLinks of 500 GB/s, of which 400 are measured; it is of the
model FAKE_COLLECTOR_SECOND_NAME, else of that of the first, and FAKE_COLLECTOR_SECOND_UUID may name it. CUDA_VISIBLE_DEVICES (indices) hides devices.

FAKE_COLLECTOR_CLOCK_HZ, FAKE_COLLECTOR_UUID and FAKE_COLLECTOR_DRIVER are the clock, the device and the driver that it finds.
An accident happens in every process that gets there. One with `:once` at its end happens in the first only; the folder
FAKE_COLLECTOR_STATE remembers it.
"""

import copy
import json
import os
import signal
import sys
import time

VARIANTS = [
    # id, label, dtypes, blocks, elements per thread, output
    ("reduce_v0_global", "V0", ["f32"], [128, 256, 512], None, "partials"),
    ("reduce_v3_sequential", "V3", ["f32"], [256], None, "partials"),
    ("sum_atomic", "atomic", ["f32", "f16"], [256], None, "scalar"),
    ("sum_warp_shuffle", "warp shuffle", ["f32", "f16"], [256], 8, "scalar"),
    ("sum_multi_best", "multi best", ["f32"], [512], None, "scalar"),
    ("sum_multi_nccl", "multi NCCL", ["f32"], [512], None, "scalar"),
]
CEILINGS = ["dram_copy", "dram_read", "f32_add"] + ["nvlink", "nvlink_latency"] * ("FAKE_COLLECTOR_TWO" in os.environ)
# Kind, subject, operation and value of those that are no bandwidth of DRAM.
OTHER_CEILINGS = {"f32_add": ("compute", "f32", "add", 3e13), "nvlink": ("transfer", "nvlink", "", 400e9),
                  "nvlink_latency": ("latency", "nvlink", "latency", 1e-6)}
PRIMITIVES = [{"id": f"shuffle_{name}_i32{suffix}", "family": "shuffle", "title": f"shuffle {name}", "by": by, "dtype": "i32",
               "scope": "warp", "instructions": 1}
              for name in ["down", "up"] for suffix, by in [("", "ours"), ("_cg", "cooperative groups")]]


def catalogue():
    variants = []
    for name, label, dtypes, blocks, elements, output in VARIANTS:
        variant = {"id": name, "label": label, "title": f"the idea of {label}", "family": name.split("_")[0],
                   "dtypes": dtypes, "block_sizes": blocks, "default_block_size": 256, "output": output,
                   "destroys_input": False, "deterministic": True, "minimum_sm": 75}
        if elements:
            variant["default_elements_per_thread"] = elements
        if "multi" in name:
            variant.update(several_gpus=True, default_block_size=512)
        variants.append(variant)
    return {"variants": variants, "ceilings": CEILINGS, "primitives": PRIMITIVES}


DEVICE = {"name": "Fake GPU", "uuid": os.environ.get("FAKE_COLLECTOR_UUID", "GPU-00000000-0000-0000-0000-000000000000"), "chip": "FK100", "index": 0,
          "compute_capability": 90, "sm_count": 100, "memory_bytes": 80 << 30, "l2_bytes": 50 << 20, "memory_bus_bits": 5120,
          "memory_clock_hz": 2.6e9, "sm_clock_hz": 1.98e9, "ecc_enabled": True, "driver_version": os.environ.get("FAKE_COLLECTOR_DRIVER", "580.00"),
          "cuda_driver_version": 13000, "cuda_runtime_version": 13000, "cupti_version": 130000}

SECOND_DEVICE = dict(DEVICE, index=1,
                     uuid=os.environ.get("FAKE_COLLECTOR_SECOND_UUID", "GPU-11111111-1111-1111-1111-111111111111"),
                     name=os.environ.get("FAKE_COLLECTOR_SECOND_NAME", DEVICE["name"]))


def visible_devices():
    """Those that CUDA_VISIBLE_DEVICES leaves, numbered anew as the driver does."""
    devices = [DEVICE] + [SECOND_DEVICE] * ("FAKE_COLLECTOR_TWO" in os.environ)
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        devices = [devices[int(index)] for index in os.environ["CUDA_VISIBLE_DEVICES"].split(",")]
    return [dict(device, index=index) for index, device in enumerate(devices)]


METRICS = {"dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum",
           "fadd": "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
           "fmul": "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum",
           "ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"}

CLOCK_HZ = float(os.environ.get("FAKE_COLLECTOR_CLOCK_HZ", 1.9e9))
ACCIDENTS = os.environ.get("FAKE_COLLECTOR", "").split()


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def happens(what, place):
    """Whether the accident is due here; one marked `once` happens in the first process only."""
    if f"{what}@{place}" in ACCIDENTS:
        return True
    marked = f"{what}@{place}:once"
    if marked not in ACCIDENTS:
        return False
    memory = os.path.join(os.environ["FAKE_COLLECTOR_STATE"], marked.replace(":", "_"))
    try:
        open(memory, "x").close()
    except FileExistsError:
        return False
    return True


def accidents(place):
    if happens("mark", place):
        open(os.path.join(os.environ["FAKE_COLLECTOR_STATE"], "reached_" + place.replace(":", "_")), "w").close()
    if happens("chatty", place):
        for line in range(50000):
            sys.stderr.write(f"log line {line}\n")
        sys.stderr.flush()
    if happens("slow", place):
        time.sleep(1.5)
    if happens("segv", place):
        os.kill(os.getpid(), signal.SIGSEGV)
    if happens("kill", place):
        os.kill(os.getpid(), signal.SIGKILL)
    if happens("stop", place):
        os.kill(os.getpid(), signal.SIGSTOP)
    if happens("exit5", place):
        sys.exit(5)
    if happens("exit0", place):
        sys.exit(0)
    if happens("hang", place):
        time.sleep(600)
    if happens("rubbish", place):
        print("\x00\xff this is no message", flush=True)
        time.sleep(600)
    if happens("astray", place):
        say({"type": "progress", "phase": "time", "point": 999, "what": "?"})
        time.sleep(600)
    if happens("early", place):
        say({"type": "counters", "point": int(place.split(":")[1]), "counters": {},
             "repeats": 0, "spread": {}})
        time.sleep(600)
    if happens("half", place):
        sys.stdout.write('{"type":"time","point":')
        sys.stdout.flush()
        sys.exit(1)
    if happens("endless", place):
        block = "x" * (1 << 20)
        while True:
            sys.stdout.write(block)
    if happens("nomemory", place):
        say({"type": "failure", "kind": 1, "cause": "out of memory", "hint": ""})
        sys.exit(1)
    if happens("meet", place):
        meet()
    if happens("refuse", place):
        say({"type": "failure", "kind": 3, "cause": "the GPU has fallen off the bus", "hint": "look at dmesg"})
        sys.exit(3)


def meet():
    """Waits for another process that does the same, and leaves no trace where none came."""
    folder = os.environ["FAKE_COLLECTOR_STATE"]
    mine = os.path.join(folder, f"met_{os.getpid()}")
    open(mine, "w").close()
    for _ in range(100):
        if sum(name.startswith("met_") for name in os.listdir(folder)) >= 2:
            return
        time.sleep(0.1)
    os.unlink(mine)
    sys.exit(5)


def as_kernel_from_file(result, request, device):
    """What differs for a kernel from a file of the plan: its code must be there; without a reference, nothing is verified."""
    kernel = {kernel["id"]: kernel for kernel in request["plan"].get("kernels", [])}.get(result["subject"])
    if not kernel:
        return
    code = next((code for code in request.get("compiled_kernels", [])
                 if code["kernel"] == kernel["id"] and code["architecture"] == device["compute_capability"]), None)
    if not code or not os.path.exists(code["file"]):
        result.update(status="failed", cause="not compiled for this device")
        del result["time"], result["verification"]
        return
    result["resources"] = {"registers_per_thread": code["registers"], "shared_bytes_per_block": 0, "blocks_per_sm": 8,
                           "blocks_per_sm_by_registers": 12}
    if "work" not in kernel:
        result["work"] = {"read_bytes": 0, "written_bytes": 0, "operations": {}}
    if "reference" not in kernel:
        result.pop("verification", None)


def measurement(point, index, device, place=None):
    seconds = 1e-4 * (index + 1) * (1.1 if happens("sluggish", f"device:{device['index']}") else 1)
    result = copy.deepcopy(point)
    axes = dict({"dtype": "f32", "n": 1 << 20, "block": 256}, **point["axes"])
    size = {"f16": 2}.get(axes["dtype"], 4)
    result.update({"device": 0, "launch": {"grid": 1024, "block": axes["block"]},
                   "work": {"read_bytes": size * axes["n"], "written_bytes": 4,
                            "operations": {"f32": {"flops": max(axes["n"] - 1, 0), "fma_flops": 0}}},
                   "status": "ok", "cause": "",
                   "verification": {"passed": True, "worst_error_over_bound": 0.1, "detail": "positions"},
                   "time": {"median_s": seconds, "ci_low_s": seconds * 0.999, "ci_high_s": seconds * 1.001,
                            "launches_per_sample": 1, "mode": axes["mode"], "noisy": False, "throttled_samples": 0,
                            "samples_s": [seconds] * 10, "sample_clocks_hz": [1.9e9] * 10},
                   "counters": {}})
    gpus = axes.get("gpus", 1)
    if gpus > 1:
        seconds_of_gpus = 1e-9 * axes["n"] / gpus + 5e-6 * gpus
        result["work"]["link_bytes"] = 8 * (gpus - 1)
    elif "gpus" in axes:
        seconds_of_gpus = 1e-9 * axes["n"]
    if "gpus" in axes:
        result["time"].update(median_s=seconds_of_gpus, ci_low_s=seconds_of_gpus, ci_high_s=seconds_of_gpus)
    visible = len(visible_devices())
    obstacle = f"needs {gpus} GPUs; {visible} visible here" if gpus > visible else None
    if place and gpus > 1:
        obstacle = place["obstacle"] or None if gpus <= place["ranks"] else f"needs {gpus} GPUs; there are {place['ranks']} ranks"
        if "nccl" not in point["subject"]:
            obstacle = obstacle or "needs its GPUs in one process; across processes, use sum_multi_nccl"
        elif place["rank"] >= gpus:
            obstacle = obstacle or "other ranks measure it"
    if obstacle:
        result.update(status="skipped", cause=obstacle)
        del result["time"], result["verification"]
    if happens("unverified", f"verify:{index}"):
        result.update({"status": "unverified", "cause": "element 3: expected 1, got 2"})
        result["verification"]["passed"] = False
        del result["time"]
    if happens("failed", f"verify:{index}"):
        result.update({"status": "failed", "cause": "out of memory"})
        del result["time"], result["verification"]
    return result


def self_test():
    counted = 1025.0 if happens("miscount", "self_test:counters") else 1024.0
    agreement = {"unit": "instructions", "tolerance": 0.0, "is_relative": True, "note": ""}
    return {"reason": "", "wall_s": 0.25, "agreements": [
        dict(agreement, subject="f32_add", quantity="fadd", ours=counted, reference=1024.0),
        dict(agreement, subject="f32_mul", quantity="fmul", ours=1024.0, reference=1024.0)]}


def watch(uuids, interval_ns):
    """Every device reads 1 TB/s, writes 0.5 TB/s and draws 500 W; what is lost, or refused, is that of the last one."""
    accidents("start")
    devices = [device for device in (DEVICE, SECOND_DEVICE) if device["uuid"] in uuids]
    for device in list(devices):
        if device is devices[-1] and happens("busy", "watch"):
            say({"type": "problem", "cause": f"GPU {device['index']}: the timeline is incomplete: the counters are in use",
                 "hint": "end the other profiler"})
            devices.remove(device)
            continue
        say({"type": "sampling", "device": device["index"], "interval_ns": interval_ns, "at_ns": time.time_ns(),
             "keys": ["dram_read_bytes", "dram_write_bytes", "sm_active", "sm_clock_hz"],
             "metrics": {"sm_active": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"},
             "left_out": {"nvlink_sent_bytes": "this device cannot sample it"}})
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    at_ns = time.time_ns()
    is_last = False
    while not is_last:
        time.sleep(0.1)
        accidents("watch")
        is_last = bool(ends)
        now_ns = time.time_ns()
        samples = []
        while at_ns + interval_ns <= now_ns:
            samples.append([at_ns, interval_ns, [1000.0 * interval_ns, 500.0 * interval_ns, 0.5, 1.98e9]])
            at_ns += interval_ns
        for device in devices:
            say({"type": "samples", "device": device["index"], "samples": samples})
            say({"type": "power", "device": device["index"], "readings": [[now_ns, 500.0]]})


def links(uuids):
    """From device i to device j, i + 1 times 100 GB/s and j times 10 GB/s."""
    accidents("links")
    measured = []
    for source in range(len(uuids)):
        for target in range(len(uuids)):
            for mover in ["copy", "load", "store"] if source != target else []:
                for both_ways in [False, True] if source < target else [False]:
                    link = {"from": source, "to": target, "mover": mover, "both_ways": both_ways,
                            "bytes_per_s": (100e9 * (source + 1) + 10e9 * target) * (2 if both_ways else 1), "relative_spread": 0.001,
                            "method": "fake"}
                    if "--uncounted" not in sys.argv:
                        link.update(moved_bytes=1e9, sent_bytes=1.0002e9, received_bytes=0.9999e9)
                    if mover != "copy" and "apart@links" in ACCIDENTS:
                        link = {"from": source, "to": target, "mover": mover, "both_ways": both_ways, "bytes_per_s": 0,
                                "relative_spread": 0, "method": "", "missing": "no peer access between these devices"}
                    if "elsewhere@links" in ACCIDENTS:
                        link["to"] = 7
                    measured.append(link)
    say({"links": measured})


def collectives(uuids):
    """Each 10 µs and what 400 GB/s of algorithm bandwidth take."""
    accidents("collectives")
    if "without_nccl@collectives" in ACCIDENTS:
        say({"times": [], "missing": "NCCL is missing (looked for in the loader's search path): libnccl.so.2 (install libnccl2)"})
        return
    times = []
    for collective in ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"]:
        sizes = [{"bytes": 2 ** power, "time_s": 10e-6 + 2 ** power / 400e9, "relative_spread": 0.01} for power in [3, 15, 30]]
        transfers = {"all_reduce": 2 * (len(uuids) - 1), "send_receive": len(uuids)}.get(collective, len(uuids) - 1)
        sent = {"unavailable": "not counted"} if "--uncounted" in sys.argv else 2 ** 30 * transfers
        times.append({"collective": collective, "sizes": sizes, "sent_bytes": sent})
    if "wrong@collectives" in ACCIDENTS:
        times[0].update(sizes=[], sent_bytes={"unavailable": "not counted"}, missing="the result is wrong: element 7 of device 1 is 0, not 3")
    if "twice@collectives" in ACCIDENTS:
        times[1]["collective"] = "all_reduce"
    say({"library": "NCCL 2.99.0", "method": "fake", "times": times})


def main():
    if sys.argv[1:] == ["--catalogue"]:
        say(catalogue())
        return
    if sys.argv[1:] == ["--devices"]:
        accidents("start")
        if happens("no_gpu", "start"):
            say({"type": "failure", "kind": 3, "cause": "no CUDA device was found", "hint": "is the driver loaded?"})
            sys.exit(3)
        say({"devices": visible_devices()})
        return
    if sys.argv[1:2] == ["--checks"]:
        accidents("checks")
        checks = [{"subject": "driver", "status": "ok", "detail": "580.00", "fix": "", "stops_measuring": False}]
        if happens("uncounted", "start"):
            checks.append({"subject": "counters", "status": "fails", "detail": "reserved", "fix": "ask an administrator",
                           "stops_measuring": False})
        if happens("crowded", "start"):
            checks.append({"subject": "other programs", "status": "warning", "detail": "2 on this GPU",
                           "fix": "nvidia-smi lists them; they would disturb the times", "stops_measuring": False})
        if happens("unfit", "start") or happens("unfit", f"checks:{sys.argv[2]}"):
            checks.append({"subject": "kernels", "status": "fails", "detail": "this build has no code for this GPU",
                           "fix": "build it for sm_61", "stops_measuring": True})
        if happens("no_gpu", "start"):
            checks = [{"subject": "driver", "status": "fails", "detail": "no CUDA device was found",
                       "fix": "is the driver loaded?", "stops_measuring": True}]
        say({"checks": checks})
        return
    if sys.argv[1:2] == ["--watch"]:
        watch(sys.argv[2].split(","), int(sys.argv[sys.argv.index("--interval") + 1]))
        return
    if sys.argv[1:2] == ["--links"]:
        links(sys.argv[2].split(","))
        return
    if sys.argv[1:2] == ["--collectives"]:
        collectives(sys.argv[2].split(","))
        return
    if sys.argv[1:2] == ["--selftest"]:
        accidents("start")
        if happens("no_gpu", "start"):
            say({"type": "failure", "kind": 3, "cause": "no CUDA device was found", "hint": "is the driver loaded?"})
            sys.exit(3)
        if happens("uncounted", "start"):
            say({"type": "failure", "kind": 3, "cause": "counters are reserved for administrators", "hint": "ask one"})
            sys.exit(3)
        say({"device": DEVICE, "self_test": self_test()})
        return
    if sys.argv[1:2] == ["--metrics"]:
        counters = [{"key": key, "meaning": f"what {key} is", "metric": metric} for key, metric in METRICS.items()]
        lacking = [dict(counter, metric="") if counter["key"] == "fmul" else counter for counter in counters]
        chips = [{"chip": "FK100", "passes": 2, "counters": counters}, {"chip": "FK90", "passes": 3, "counters": lacking}]
        say({"chips": [chip for chip in chips if chip["chip"] in sys.argv[2:] or not sys.argv[2:]]})
        return
    if happens("deaf", "start"):
        time.sleep(600)
    accidents("start")
    if happens("no_gpu", "start"):
        say({"type": "failure", "kind": 3, "cause": "no CUDA device was found", "hint": "is the driver loaded?"})
        sys.exit(3)
    request = json.load(open(sys.argv[sys.argv.index("--plan") + 1])) if "--plan" in sys.argv else json.load(sys.stdin)
    if "FAKE_COLLECTOR_REQUESTS" in os.environ:
        with open(os.environ["FAKE_COLLECTOR_REQUESTS"], "a") as file:
            file.write(json.dumps(request) + "\n")
    devices = visible_devices()
    device = next((one for one in devices if request["device"] in [str(one["index"]), one["uuid"]]), devices[0])
    accidents(f"device:{device['index']}")
    points = []
    for experiment in request["plan"]["experiments"]:
        points += [dict(point, experiment=experiment["name"]) for point in experiment["points"]]

    session = {"available": True, "passes": 2, "host_setup_s": 0.5, "collection_s": 0, "metrics": METRICS}
    if not request["counters"]:
        session = {"available": False, "reason": "switched off", "hint": ""}
    elif happens("uncounted", "start"):
        session = {"available": False, "reason": "counters are reserved for administrators", "hint": "ask one"}
    if "once" in sys.argv:
        say({"type": "hello", "device": device, "catalogue": catalogue(),
             "counter_session": {"available": False, "reason": "", "hint": ""}})
        for index, point in enumerate(points):
            if index not in request["skip_points"]:
                say({"type": "progress", "phase": "time", "point": index, "what": point["subject"]})
                accidents(f"once:{index}")
        say({"type": "bye", "counter_session": {"available": False, "reason": "", "hint": ""}})
        return

    if happens("rude", "start"):
        say({"type": "progress", "phase": "time", "point": 0, "what": "?"})
        time.sleep(600)
    say({"type": "hello", "device": device, "catalogue": catalogue(), "counter_session": session})

    if request["self_test"]:
        result = {"reason": "no counters: " + session.get("reason", ""), "wall_s": 0.0, "agreements": []}
        if session["available"]:
            say({"type": "progress", "phase": "self_test", "what": "the counters"})
            accidents("self_test:counters")
            result = self_test()
        say({"type": "self_test", "self_test": result})

    if not request["skip_ceilings"]:
        say({"type": "ceiling", "ceiling": {"device": 0, "id": "dram", "kind": "bandwidth", "source": "theoretical", "subject": "dram",
             "operation": "", "value": 3.3e12, "relative_spread": 0, "method": "clock x width"}})
        if "FAKE_COLLECTOR_TWO" in os.environ:
            say({"type": "ceiling", "ceiling": {"device": 0, "id": "nvlink", "kind": "transfer", "source": "theoretical",
                 "subject": "nvlink", "operation": "", "value": 500e9, "relative_spread": 0, "method": "18 links"}})
        say({"type": "ceiling", "ceiling": {"device": 0, "id": "launch", "kind": "latency", "source": "measured", "subject": "",
             "operation": "launch", "value": 3e-6, "sm_clock_hz": CLOCK_HZ, "relative_spread": 0, "method": "fake"}})
        known_ids = []
        for index, known in enumerate(request["known_ceilings"]):
            if (known["uuid"], known["driver_version"]) == (device["uuid"], device["driver_version"]) \
                    and abs(known["launch_clock_hz"] - CLOCK_HZ) < 0.02 * CLOCK_HZ:
                known_ids = set(known["ids"]) - set(known["unconfirmed_ids"] if session["available"] else [])
                say({"type": "ceilings_known", "index": 7 if happens("boast", "start") else index})
        measured = []
        for ceiling in request["plan"]["ceilings"]:
            if ceiling in known_ids:
                continue
            say({"type": "progress", "phase": "ceilings", "what": ceiling})
            accidents(f"ceilings:{ceiling}")
            kind, subject, operation, value = OTHER_CEILINGS.get(ceiling) or ("bandwidth", "dram", ceiling.split("_")[1], 3e12)
            measured.append({
                "device": 0, "id": ceiling, "kind": kind, "source": "measured", "subject": subject, "operation": operation,
                "value": value, "relative_spread": 0.001, "method": "fake"})
            say({"type": "ceiling", "ceiling": measured[-1]})
        if session["available"] and measured:
            say({"type": "progress", "phase": "confirm", "what": "the ceilings"})
            accidents("confirm:ceilings")
            for ceiling in (one for one in measured if one["kind"] in ("bandwidth", "compute")):
                confirmation = {"agrees": True, "detail": "counted 1.0000 of the declared work"}
                say({"type": "ceiling", "ceiling": dict(ceiling, confirmation=confirmation)})

    if "rank_place" in request and not request["rank_place"]["obstacle"]:
        say({"type": "progress", "phase": "meet", "what": ""})
        accidents("ranks")

    for name in request["plan"].get("primitives", []):
        say({"type": "progress", "phase": "primitives", "what": name})
        accidents(f"primitives:{name}")
        cycles = {"median": 24.5, "ci_low": 24.4, "ci_high": 24.6, "elements": 32, "samples": [24.5] * 6}
        result = dict(next(primitive for primitive in PRIMITIVES if primitive["id"] == name), status="ok", latency=cycles,
                      throughput=dict(cycles, median=2.0, ci_low=2.0, ci_high=2.0))
        if happens("unverified", f"primitives:{name}"):
            nothing = dict(cycles, median={"unavailable": "not measured"}, samples=[])
            result.update(status="unverified", cause="wrong value in thread 3", latency=nothing, throughput=nothing)
        if happens("mistaken", f"primitives:{name}"):
            result["id"] = "shuffle_sideways"
        say({"type": "primitive", "result": result})

    to_count = []
    for index, point in enumerate(points):
        name = f"{point['experiment']}.{point['subject']}"
        if index in request["skip_points"]:
            continue
        if index in request["count_only_points"]:
            to_count.append(index)
            continue
        for phase in ["verify", "time"]:
            say({"type": "progress", "phase": phase, "point": index, "what": name})
            accidents(f"{phase}:{index}")
        if happens("skip", f"time:{index}"):
            continue
        result = measurement(point, index, device, request.get("rank_place"))
        as_kernel_from_file(result, request, device)
        poisoned = happens("poison", f"time:{index}")
        if poisoned:
            result.update({"status": "failed", "cause": "an illegal memory access"})
        if happens("mistaken", f"time:{index}"):
            result["axes"]["n"] += 1
        say({"type": "time", "point": index, "measurement": result})
        if poisoned:
            sys.exit(1)
        if result["status"] == "ok" and "gpus" not in point["axes"]:
            to_count.append(index)

    if session["available"]:
        for _ in range(2):
            for index in to_count:
                say({"type": "progress", "phase": "count", "point": index, "what": points[index]["subject"]})
                accidents(f"count:{index}")
        for index in to_count:
            n = points[index]["axes"].get("n", 1 << 20)
            counters = {"dram_read_bytes": 4.0 * n, "dram_write_bytes": 0.0, "fadd": 1.25 * n, "fmul": 0.0, "ffma": 0.0}
            if happens("busy", "end") or happens("busy", f"counters:{index}"):
                counters = {key: {"unavailable": "another program holds the performance counters"} for key in counters}
            repeats = 0 if "unavailable" in str(counters) else 3
            say({"type": "counters", "point": index, "counters": counters, "repeats": repeats,
                 "spread": {"dram_write_bytes": 1.0} if repeats else {}})
        session["collection_s"] = 0.25
    accidents("end")
    say({"type": "bye", "counter_session": session})
    if happens("linger", "end"):
        time.sleep(600)


main()
