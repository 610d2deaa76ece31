# SPDX-License-Identifier: Apache-2.0
"""Checks the traces that `rooflinectl report --export perfetto` writes: protobuf decodes them by Perfetto's schema, and
what is in them is what timeline.json.gz and points.csv have.

usage: check_perfetto_trace.py SCHEMA RECORDINGS_FOLDER WRITE_FULL_RUN ROOFLINECTL

Exits with 77, the code for a skipped test, where protoc or Python's protobuf is missing."""

import bisect
import collections
import copy
import csv
import gzip
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import google.protobuf  # of what protoc writes
except ImportError:
    print(f"skipped: {sys.executable} has no module google.protobuf (Debian: python3-protobuf)")
    sys.exit(77)
if not shutil.which("protoc"):
    print("skipped: no protoc (Debian: protobuf-compiler)")
    sys.exit(77)

UNKNOWN = -1
STRIPS = {  # by name: the columns that add up to it, unit, factor; bytes are rates
    "DRAM": (["dram_read_bytes", "dram_write_bytes"], "B/s", 1),
    "DRAM read": (["dram_read_bytes"], "B/s", 1),
    "DRAM write": (["dram_write_bytes"], "B/s", 1),
    "L2": (["l2_bytes"], "B/s", 1),
    "Tensor Cores": (["tensor_active"], "%", 100),
    "FP32 pipe": (["fp32_issued"], "%", 100),
    "FP64 pipe": (["fp64_active"], "%", 100),
    "SM active": (["sm_active"], "%", 100),
    "Warps": (["warps"], "%", 100),
    "PCIe in": (["pcie_read_bytes"], "B/s", 1),
    "PCIe out": (["pcie_write_bytes"], "B/s", 1),
    "NVLink in": (["nvlink_received_bytes"], "B/s", 1),
    "NVLink out": (["nvlink_sent_bytes"], "B/s", 1),
    "SM clock": (["sm_clock_hz"], "Hz", 1),
}


def check_power(trace, device, samples):
    """Each reading covers the time since the previous one; those of the tests and of real boards come at least every 0.25 s."""
    readings = samples.get("power", [])
    if not readings:
        assert not trace.below(device, "Power")
        return
    descriptor, values = trace.counter(device, "Power")
    assert descriptor.unit_name == "W"
    starts = [samples["start_ns"][0], *(at_ns for at_ns, _ in readings)]
    expected = [(start, watts) for start, (at_ns, watts) in zip(starts, readings) if at_ns > start]
    assert values == [*expected, (readings[-1][0], UNKNOWN)], (values[:3], expected[:3])


def is_near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


class Slice:
    def __init__(self, name, start_ns, annotations, parent):
        self.name, self.start_ns, self.annotations, self.parent = name, start_ns, annotations, parent
        self.duration_ns = None

    def path(self):
        return f"{self.parent.path()}/{self.name}" if self.parent else self.name


class Trace:
    """What Perfetto makes of a trace: tracks with their slices or values, names resolved."""

    def __init__(self, schema, data):
        trace = schema.Trace.FromString(data)
        size = trace.ByteSize()
        assert size == len(data)
        trace.DiscardUnknownFields()
        assert trace.ByteSize() == size, "fields that the schema does not know"
        self.tracks, self.slices, self.values = {}, collections.defaultdict(list), collections.defaultdict(list)
        self.names = collections.defaultdict(dict)
        self.last_ns, self.open = {}, collections.defaultdict(list)
        assert trace.packet[0].sequence_flags == schema.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        for packet in trace.packet:
            assert packet.trusted_packet_sequence_id == trace.packet[0].trusted_packet_sequence_id != 0
            self.intern(packet)
            if packet.HasField("track_descriptor"):
                self.add_track(packet.track_descriptor)
            elif packet.HasField("track_event"):
                self.add_event(schema, packet)
        assert not any(self.open.values()), "slices without an end"

    def intern(self, packet):
        for kind, table in packet.interned_data.ListFields():
            for entry in table:
                text = entry.str.decode() if kind.name == "debug_annotation_string_values" else entry.name
                assert entry.iid > 0 and entry.iid not in self.names[kind.name] and text not in self.names[kind.name].values()
                self.names[kind.name][entry.iid] = text

    def add_track(self, track):
        assert track.uuid and track.uuid not in self.tracks
        assert not track.HasField("parent_uuid") or track.parent_uuid in self.tracks
        self.tracks[track.uuid] = track

    def add_event(self, schema, packet):
        event = packet.track_event
        track = self.tracks[event.track_uuid]
        assert self.last_ns.get(track.uuid, 0) <= packet.timestamp, f"{track.name} goes back in time"
        self.last_ns[track.uuid] = packet.timestamp
        stack = self.open[track.uuid]
        is_counter = event.type == schema.TrackEvent.TYPE_COUNTER
        assert track.HasField("counter") == is_counter
        if is_counter:
            self.values[track.uuid].append((packet.timestamp, event.double_counter_value))
        elif event.type == schema.TrackEvent.TYPE_SLICE_BEGIN:
            assert packet.sequence_flags == schema.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
            stack.append(Slice(self.names["event_names"][event.name_iid], packet.timestamp, self.annotations(event),
                               stack[-1] if stack else None))
            self.slices[track.uuid].append(stack[-1])
        else:
            assert event.type == schema.TrackEvent.TYPE_SLICE_END
            ended = stack.pop()
            ended.duration_ns = packet.timestamp - ended.start_ns

    def annotations(self, event):
        texts = self.names["debug_annotation_string_values"]
        return {
            self.names["debug_annotation_names"][one.name_iid]:
            texts[one.string_value_iid] if one.HasField("string_value_iid") else one.double_value
            for one in event.debug_annotations
        }

    def below(self, parent, name=None):
        return [track for track in self.tracks.values() if track.parent_uuid == parent.uuid and name in (None, track.name)]

    def slices_of(self, parent, name):
        return [one for track in self.below(parent, name) for one in self.slices[track.uuid]]

    def counter(self, parent, name):
        [track] = self.below(parent, name)
        return track.counter, self.values[track.uuid]


def rows_of_points(run, folder):
    """The row of points.csv of each measurement."""
    identity = ["kernel", "grid", "block", "cluster", "dynamic_shared_bytes", "code", "path", "device", "process"]
    with (folder / "points.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    by_identity = {tuple(row[key] for key in identity): row for row in rows}
    assert len(by_identity) == len(rows)
    names = {"cluster": "cluster", "dynamic_shared_bytes": "shared", "grid": "grid", "block": "block", "code": "code",
             "path": "path"}
    found = []
    for measured in run["measurements"]:
        values = {**{column: str(measured["axes"].get(axis, "")) for column, axis in names.items()}, "kernel": measured["subject"],
                  "device": str(measured.get("device", 0)), "process": str(measured.get("process", ""))}
        found.append(by_identity[tuple(values[key] for key in identity)])
    return found


def number(row, column):
    return float(row[column]) if row[column] else None


def check_launches(trace, device, launches, rows):
    expected = collections.defaultdict(list)
    row_of = {}
    for measurement, stream, start_ns, duration_ns in launches:
        row = rows[measurement]
        expected[stream].append((start_ns, duration_ns, row["label"]))
        row_of[stream, *expected[stream][-1]] = row
    streams = {track.name for track in trace.below(device) if track.name.startswith("stream ")}
    assert streams == {f"stream {stream}" for stream in expected}
    for stream, wanted in expected.items():
        slices = trace.slices_of(device, f"stream {stream}")
        assert all(one.parent is None for one in slices), "launches within each other"
        assert sorted((one.start_ns, one.duration_ns, one.name) for one in slices) == sorted(wanted)
        for one in slices:
            check_annotations(one.annotations, row_of[stream, one.start_ns, one.duration_ns, one.name])


def check_annotations(annotations, row):
    for name, column, factor in [("% of roofline", "fraction_of_roofline", 100), ("FLOP/s", "executed_flop_per_s", 1),
                                 ("DRAM bytes", "dram_bytes", 1)]:
        value = number(row, column)
        assert (value is None) == (name not in annotations), (row["label"], name)
        assert value is None or is_near(annotations[name], factor * value), (row["label"], name)
    assert ("bound by" in annotations) == (row["bound"] != "unknown")
    assert annotations.get("NVTX", "") == row["path"]


def gaps_of(samples):
    """Where a sample begins half an interval or more after the end of the one before."""
    ends = [start + duration for start, duration in zip(samples["start_ns"], samples["duration_ns"])]
    return [(end, start) for end, start in zip(ends, samples["start_ns"][1:]) if start - end >= samples["interval_ns"] / 2]


def check_strips(trace, device, samples):
    shown = set()
    gaps = gaps_of(samples)
    for name, (columns, unit, factor) in STRIPS.items():
        if not set(columns) <= set(samples["values"]):
            assert not trace.below(device, name)
            continue
        shown.update(columns)
        descriptor, values = trace.counter(device, name)
        assert descriptor.unit_name == unit
        sums = [sum(parts) for parts in zip(*(samples["values"][column] for column in columns))]
        expected = [(start, factor * value / (duration * 1e-9 if unit == "B/s" else 1))
                    for start, duration, value in zip(samples["start_ns"], samples["duration_ns"], sums)]
        expected += [(end, UNKNOWN) for end, _ in gaps]
        expected.append((samples["start_ns"][-1] + samples["duration_ns"][-1], UNKNOWN))
        expected.sort(key=lambda value: value[0])
        assert len(values) == len(expected), name
        for (time_ns, value), (wanted_ns, wanted) in zip(values, expected):
            assert time_ns == wanted_ns and is_near(value, wanted), (name, time_ns, value, wanted_ns, wanted)
    assert shown == set(samples["values"]), "something was sampled that no counter shows"
    check_power(trace, device, samples)
    missing = sorted((one.start_ns, one.start_ns + one.duration_ns) for one in trace.slices_of(device, "samples missing"))
    assert missing == gaps
    return len(gaps)


def check_launch_counter(trace, device, name, launches, value_of, together):
    """Between any two changes, against the launches that run then; without a value there is no track."""
    if all(value_of(launch) is None for launch in launches):
        assert not trace.below(device, name)
        return collections.Counter()
    _, values = trace.counter(device, name)
    times = sorted({time for _, _, start, duration in launches for time in (start, start + duration)})
    longest = max(duration for *_, duration in launches)
    by_start = sorted(launches, key=lambda launch: launch[2])
    starts = [launch[2] for launch in by_start]
    shown_times = [time for time, _ in values]
    seen = collections.Counter()
    for begin, end in itertools.pairwise(times):
        near = by_start[bisect.bisect_left(starts, begin - longest):bisect.bisect_right(starts, begin)]
        running = [launch for launch in near if launch[2] <= begin and launch[2] + launch[3] >= end]
        known = [value for value in map(value_of, running) if value is not None]
        wanted = 0 if not running else together(known) if known else UNKNOWN
        shown = values[bisect.bisect_right(shown_times, begin) - 1][1]
        assert is_near(shown, wanted), (name, begin, shown, wanted)
        seen["idle" if not running else "unknown" if not known else "known"] += 1
    assert set(shown_times[1:-1]) <= set(times)
    assert values[-1][1] == UNKNOWN
    return seen


def check_ranges(trace, timeline, command):
    expected = collections.defaultdict(list)
    for path, process, start_ns, duration_ns in timeline["ranges"]:
        expected[process].append((start_ns, duration_ns, timeline["paths"][path]))
    processes = {track.process.pid: track for track in trace.tracks.values() if track.HasField("process")}
    assert set(processes) == set(expected)
    nested = 0
    for pid, track in processes.items():
        assert track.process.process_name == pathlib.PurePath(command).name
        slices = trace.slices_of(track, "NVTX")
        assert sorted((one.start_ns, one.duration_ns, one.path()) for one in slices) == sorted(expected[pid])
        for one in slices:
            if one.parent:
                assert one.start_ns + one.duration_ns <= one.parent.start_ns + one.parent.duration_ns
                nested += 1
    return nested


def written(rooflinectl, run, timeline, then=lambda folder: None):
    """The trace, and what `then` makes of the folder that it is in."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
        (folder / "timeline.json.gz").write_bytes(gzip.compress(json.dumps(timeline).encode()))
        subprocess.run([rooflinectl, "report", folder, "--quiet", "--export", "perfetto"], check=True, stdout=subprocess.DEVNULL)
        return (folder / "timeline.perfetto-trace").read_bytes(), then(folder)


def check(schema, rooflinectl, run, timeline):
    data, rows = written(rooflinectl, run, timeline, lambda folder: rows_of_points(run, folder))
    trace = Trace(schema, data)
    seen = collections.Counter()
    for samples in timeline["devices"]:
        info = run["devices"][samples["device"]]
        [device] = [track for track in trace.tracks.values() if track.name == f"GPU {info['index']}: {info['name']}"]
        ranks = [track.sibling_order_rank for track in trace.below(device)]
        assert sorted(ranks) == list(range(len(ranks)))
        launches = samples["launches"]
        check_launches(trace, device, launches, rows)
        copies = [(one.start_ns, one.duration_ns, one.name.replace(" ", "_")) for one in trace.slices_of(device, "copies")]
        assert sorted(copies) == sorted((start, duration, kind) for kind, start, duration in samples["transfers"])
        seen["gaps"] += check_strips(trace, device, samples)

        def percent(launch):
            value = number(rows[launch[0]], "fraction_of_roofline")
            return None if value is None else 100 * value

        def rate(launch):
            value = number(rows[launch[0]], "flops_executed")
            return None if value is None else value / (max(launch[3], 1) * 1e-9)

        seen += check_launch_counter(trace, device, "% of roofline", launches, percent, max)
        check_launch_counter(trace, device, "FLOP/s", launches, rate, sum)
    seen["nested"] += check_ranges(trace, timeline, run["application"]["command_line"][0])
    return seen


def busier(run, timeline):
    """With launches, copies and ranges that overlap, some that take no time, and launches of which nothing is known; the
    program has two processes."""
    run, busy = copy.deepcopy(run), copy.deepcopy(timeline)
    [device] = busy["devices"]
    uncounted = len(run["measurements"]) - 1
    run["measurements"][uncounted]["counters"] = {}
    for i, (measurement, stream, start, duration) in enumerate(list(device["launches"])):
        if i % 5 == 0:
            device["launches"].append([measurement, 1, start + duration // 2, duration])
        if i % 7 == 0:
            device["launches"].append([measurement, stream, start + duration // 3, duration // 3])
        if i % 11 == 0:
            device["launches"].append([uncounted, 2, start + duration, 400])
    device["launches"].append([0, 1, device["launches"][3][2], 0])
    for kind, start, duration in list(device["transfers"]):
        device["transfers"] += [["device_to_host", start + duration // 2, duration], ["set", start + duration, 0]]
    for path, process, start, duration in list(busy["ranges"]):
        busy["ranges"].append([path, process, start + duration // 2, duration])  # of another thread
        busy["ranges"].append([path, process + 1, start, duration])
    path, process, start, duration = next(row for row in timeline["ranges"] if timeline["paths"][row[0]] == "step/loss")
    busy["ranges"] += [[path, process, start, 0], [path, process + 2, start, duration]]
    busy["ranges"].append([timeline["paths"].index("step"), process + 2, start - 1000, duration])  # ends before what is in it
    for rows, start in [(device["launches"], 2), (device["transfers"], 1), (busy["ranges"], 2)]:
        rows.sort(key=lambda row, start=start: row[start])
    return run, busy


def check_damaged(schema, rooflinectl, run, timeline):
    """The last sample lasts longer than time does: no counter goes back for it."""
    timeline = copy.deepcopy(timeline)
    timeline["devices"][0]["duration_ns"][-1] = 2 ** 64 - 1
    trace = Trace(schema, written(rooflinectl, run, timeline)[0])
    assert 2 ** 64 - 1 in trace.last_ns.values()


def main():
    proto, recordings, write_full_run, rooflinectl = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={pathlib.Path(proto).parent}", f"--python_out={folder}", proto], check=True)
        sys.path.insert(0, folder)
        import perfetto_trace_pb2 as schema  # pylint: disable=import-error,import-outside-toplevel
    printed = lambda what: json.loads(subprocess.run([write_full_run, what], check=True, capture_output=True).stdout)
    run, timeline = printed("program"), printed("timeline")
    seen = check(schema, rooflinectl, run, timeline)
    assert seen["gaps"] and seen["nested"] and seen["known"] and seen["idle"], seen
    seen = check(schema, rooflinectl, *busier(run, timeline))
    assert seen["unknown"], seen
    check_damaged(schema, rooflinectl, run, timeline)
    recorded = sorted(pathlib.Path(recordings).glob("*/timeline.json.gz"))
    assert recorded, "no recording has a timeline"
    for file in recorded:
        run = json.loads(gzip.decompress(file.with_name("run.json.gz").read_bytes()))
        check(schema, rooflinectl, run, json.loads(gzip.decompress(file.read_bytes())))


if __name__ == "__main__":
    main()
