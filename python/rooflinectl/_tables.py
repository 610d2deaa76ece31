# SPDX-License-Identifier: Apache-2.0
"""The rows of a run's tables, from what the program wrote, and the types of their columns."""

from __future__ import annotations

import csv
import io
from typing import Any, Dict, List, Literal, Tuple

Row = Dict[str, Any]
Table = Literal["points", "ranges", "launches", "ceilings", "devices"]
TABLES = ("points", "ranges", "launches", "ceilings", "devices")

_TEXT, _COUNT, _NUMBER, _TRUTH = "string", "Int64", "float64", "boolean"

#: What tells the groups of a program's launches apart: columns of points.csv, and where run.json has the same.
_IDENTITY = ("experiment", "kernel", "grid", "block", "cluster", "dynamic_shared_bytes", "code", "path", "device", "rank",
             "process")

_POINT_TYPES = {
    **dict.fromkeys(
        ["variant", "family", "dtype", "cache", "status", "bound", "flags", "experiment", "label", "cause", "busiest_level",
         "executed_missing", "roof_missing", "bound_missing", "launch_mode", "timed", "kernel", "grid", "block", "cluster", "path",
         "roof_resource", "roof_ceiling", "operator"], _TEXT),
    **dict.fromkeys(
        ["n", "block_size", "elements_per_thread", "gpus", "dynamic_shared_bytes", "code", "device", "rank", "process", "launches",
         "traced", "counted"], _COUNT)}

_COLUMNS: Dict[str, Dict[str, str]] = {
    "points": {},  # as the header of points.csv
    "ranges": {"experiment": _TEXT, "device": _COUNT, "path": _TEXT, "launches": _COUNT, "total_time_s": _NUMBER,
               "share_of_gpu_time": _NUMBER, "recoverable_s": _NUMBER, "fraction_of_roofline": _NUMBER, "flop_per_s": _NUMBER,
               "ai": _NUMBER, "flops_complete": _TRUTH, "count": _COUNT, "median_s": _NUMBER, "p95_s": _NUMBER, "interval_s": _NUMBER},
    "launches": {"label": _TEXT, **{name: _POINT_TYPES[name] for name in _IDENTITY}, "start_s": _NUMBER, "launches": _COUNT,
                 "held": _COUNT, "shortest_s": _NUMBER, "median_s": _NUMBER, "longest_s": _NUMBER},
    "ceilings": {"device": _COUNT, "id": _TEXT, "kind": _TEXT, "source": _TEXT, "subject": _TEXT, "operation": _TEXT, "value": _NUMBER,
                 "unit": _TEXT, "relative_spread": _NUMBER, "sm_clock_hz": _NUMBER, "method": _TEXT, "measured_utc": _TEXT},
    "devices": {"name": _TEXT, "uuid": _TEXT, "chip": _TEXT, "index": _COUNT, "compute_capability": _COUNT, "sm_count": _COUNT,
                "memory_bytes": _COUNT, "l2_bytes": _COUNT, "memory_bus_bits": _COUNT, "memory_clock_hz": _NUMBER, "sm_clock_hz": _NUMBER,
                "ecc_enabled": _TRUTH, "driver_version": _TEXT, "cuda_driver_version": _COUNT, "cuda_runtime_version": _COUNT,
                "cupti_version": _COUNT, "pci_bus_id": _TEXT, "persistence_mode": _TRUTH, "compute_mode": _TEXT, "mig_mode": _TRUTH,
                "power_limit_w": _NUMBER, "default_power_limit_w": _NUMBER, "max_power_limit_w": _NUMBER, "max_sm_clock_hz": _NUMBER,
                "max_memory_clock_hz": _NUMBER, "application_sm_clock_hz": _NUMBER, "application_memory_clock_hz": _NUMBER}}

#: Of the value of a ceiling, by its kind.
_UNITS = {"bandwidth": "byte/s", "transfer": "byte/s", "compute": "operation/s", "latency": "s"}


def columns_of(table: Table, rows: List[Row]) -> Dict[str, str]:
    """The columns of a table and their types in pandas. Those of points are what the program wrote."""
    if table != "points":
        return _COLUMNS[table]
    return {name: _POINT_TYPES.get(name) or _type_of(name, rows) for name in (rows[0] if rows else _POINT_TYPES)}


def points(text: str) -> List[Row]:
    """The rows of a points.csv: numbers are numbers, empty fields None."""
    return [{name: _value(name, field) for name, field in row.items()} for row in csv.DictReader(io.StringIO(text))]


def ranges(run: Row, explanation: Row) -> List[Row]:
    """What the program says of the ranges' kernels, with the times of the ranges on the host."""
    host = {entry["path"]: entry for entry in run.get("application", {}).get("ranges", [])}
    return [_complete("ranges", {**entry, **host.get(entry["path"], {}), "experiment": experiment["experiment"], "device": experiment["device"]})
            for experiment in explanation["experiments"] for entry in experiment["ranges"]]


def launches(run: Row, point_rows: List[Row]) -> List[Row]:
    """Starts and times of the launches of a profiled program's groups, with the labels of `point_rows`."""
    named = {_key(row): {"label": row["label"], "experiment": row["experiment"]} for row in point_rows if row.get("kernel")}
    rows = []
    for measurement in run["measurements"]:
        parts = measurement.get("launches", {}).get("over_time", [])
        group = _group(measurement) if parts else {}
        for start, count, held, shortest, median, longest in parts:
            rows.append(_complete("launches", {**group, **named.get(_key(group), {}), "start_s": start, "launches": count,
                                               "held": held, "shortest_s": shortest, "median_s": median, "longest_s": longest}))
    return rows


def ceilings(run: Row) -> List[Row]:
    """The ceilings, each with the unit of its value."""
    return [_complete("ceilings", {"device": 0, **ceiling, "unit": _UNITS.get(ceiling["kind"])}) for ceiling in run["ceilings"]]


def devices(run: Row) -> List[Row]:
    """The GPUs, each with its settings beside its properties."""
    all_devices = run.get("devices") or [run["device"]]  # schema 1 has one
    return [_complete("devices", {**device, **device.get("settings", {})}) for device in all_devices]


def _complete(table: Table, row: Row) -> Row:
    return {name: row.get(name) for name in _COLUMNS[table]}


def _value(name: str, field: str) -> Any:
    kind = _POINT_TYPES.get(name)
    if field == "":
        return None
    if kind == _TEXT:
        return field
    if kind == _COUNT:
        return int(field)
    try:
        return float(field)
    except ValueError:  # an axis with names as values
        return field


def _type_of(name: str, rows: List[Row]) -> str:
    return _TEXT if any(isinstance(row[name], str) for row in rows) else _NUMBER


def _group(measurement: Row) -> Row:
    """A group of launches in run.json as points.csv names it."""
    named = {"shared": "dynamic_shared_bytes", "grid": "grid", "block": "block", "cluster": "cluster", "code": "code",
             "path": "path"}
    fields = {named.get(axis, f"axis {axis}"): value for axis, value in measurement["axes"].items()}
    fields.update({"experiment": measurement["experiment"], "kernel": measurement["subject"], "device": measurement.get("device", 0),
                   "rank": measurement.get("rank", ""), "process": measurement.get("process", "")})
    return {name: _value(name, str(field)) for name, field in fields.items()}


def _key(row: Row) -> Tuple[Tuple[str, Any], ...]:
    suffix = f"_device{row['device']}"  # points.csv has it in runs of several devices
    experiment = row["experiment"]
    row = {**row, "experiment": experiment[:-len(suffix)] if experiment.endswith(suffix) else experiment}
    return tuple(sorted((name, value) for name, value in row.items()
                        if value is not None and (name in _IDENTITY or name.startswith("axis "))))
