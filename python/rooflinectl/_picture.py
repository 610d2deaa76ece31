# SPDX-License-Identifier: Apache-2.0
"""A roofline with matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional, Tuple, Union

from ._errors import Error, require
from ._run import Run
from ._tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Area of a point's mark in square points: with an equal share of the time, and at most.
_AREA, _LARGEST = 40.0, 600.0


def roofline(run: Union[Run, str, "os.PathLike[str]"], experiment: Optional[str] = None, device: int = 0) -> Figure:
    """Draws the points of a run under the roofs of one device, both axes logarithmic.

    run: a Run, or what `load` takes. experiment: only its points; all of them without it. device: its row in `run.devices`.
    Marks of a program's kernels have an area by their share of GPU time, and executed work; those of variants useful work. The
    figure does not belong to pyplot: use `figure.savefig`, or show it in a notebook. Raises Error if no point has both work and
    time, or matplotlib is not installed.
    """
    figures = require("matplotlib.figure", "rooflinectl.roofline")
    run = run if isinstance(run, Run) else Run(run)
    rows = [row for row in run.rows("points") if experiment in (None, row["experiment"]) and (row.get("device") or 0) == device]
    marks = [mark for mark in map(_mark, rows) if mark is not None]
    if not marks:
        raise Error(f"{run.folder}: no point of {'the run' if experiment is None else experiment} has an intensity and a rate to draw")
    figure: Figure = figures.Figure(figsize=(9, 6), layout="constrained")
    axes: Any = figure.add_subplot(xscale="log", yscale="log", xlabel="arithmetic intensity (operations/byte)",
                                   ylabel="performance (GFLOP/s)")
    bandwidths, rates = _roofs(run, rows, device)
    left, right = min(mark[1] for mark in marks) / 4, max(mark[1] for mark in marks) * 4
    if bandwidths and rates:
        right = max(right, 4 * max(roof["value"] for roof in rates) / min(roof["value"] for roof in bandwidths))
    for roof in bandwidths:
        end = min(right, max((rate["value"] for rate in rates), default=roof["value"] * right) / roof["value"])
        axes.plot([left, end], [roof["value"] * left / 1e9, roof["value"] * end / 1e9], color="0.5", linewidth=1)
    for roof in rates:
        start = max(left, roof["value"] / max((bandwidth["value"] for bandwidth in bandwidths), default=roof["value"] / left))
        axes.plot([start, right], [roof["value"] / 1e9] * 2, color="0.5", linewidth=1)
    style = {"fontsize": 8, "color": "0.4", "textcoords": "offset points"}
    for value, text in _labels(bandwidths, "TB/s"):
        axes.annotate(text, (left, value * left / 1e9), xytext=(14, -2), **style)
    for value, text in _labels(rates, "TFLOP/s"):
        axes.annotate(text, (right, value / 1e9), xytext=(-2, 3), horizontalalignment="right", **style)
    for bound in sorted({mark[0] for mark in marks}):
        of_bound = [mark for mark in marks if mark[0] == bound]
        axes.scatter([mark[1] for mark in of_bound], [mark[2] / 1e9 for mark in of_bound], s=_areas(of_bound, len(marks)), alpha=0.7,
                     label=bound, zorder=3)
    axes.legend(title="bound", fontsize=8)
    axes.set_title(f"{run.data['plan']['name']} on {run.rows('devices')[device]['name']}", fontsize=10)
    return figure


#: Bound, operations per byte, operations per second, share of GPU time.
_Mark = Tuple[str, float, float, Optional[float]]


def _mark(row: Row) -> Optional[_Mark]:
    is_useful = row["flop_per_s"] is not None
    intensity = row["ai_useful"] if is_useful else row["ai_executed"]
    rate = row["flop_per_s"] if is_useful else row.get("executed_flop_per_s")
    return (row["bound"], intensity, rate, row.get("share_of_gpu_time")) if intensity and rate else None


def _areas(marks: List[_Mark], count: int) -> List[float]:
    return [_AREA if share is None else min(_LARGEST, max(_AREA / 10, _AREA * share * count)) for _, _, _, share in marks]


def _roofs(run: Run, points: List[Row], device: int) -> Tuple[List[Row], List[Row]]:
    """Bandwidths of DRAM, and rates of the pipes that the points are under or have the type of: measured ones if there are any."""
    ceilings = [ceiling for ceiling in run.rows("ceilings") if ceiling["device"] == device]
    is_measured = any(ceiling["source"] == "measured" and ceiling["kind"] == "bandwidth" for ceiling in ceilings)
    source = "measured" if is_measured else "theoretical"
    roofs = [ceiling for ceiling in ceilings if ceiling["source"] == source]
    named = {part.strip() for point in points for part in (point.get("roof_ceiling") or "").split("+")}
    types = {point["dtype"] for point in points}
    bandwidths = [roof for roof in roofs if roof["kind"] == "bandwidth" and roof["subject"] == "dram" and roof["operation"] not in ("triad", "mix")]
    rates = [roof for roof in roofs if roof["kind"] == "compute"
             and (roof["id"] in named or roof["subject"] in types and roof["operation"] not in ("tensor", "sustained"))]
    return bandwidths, rates


def _labels(roofs: List[Row], unit: str) -> List[Tuple[float, str]]:
    """A text for each roof, or for several that are too close for texts of their own, with the value where it stands."""
    groups: List[List[Row]] = []
    for roof in sorted(roofs, key=lambda roof: float(roof["value"]), reverse=True):
        if groups and roof["value"] > 0.8 * groups[-1][0]["value"]:
            groups[-1].append(roof)
        else:
            groups.append([roof])
    return [(group[0]["value"], ", ".join(f"{roof['id']} {roof['value'] / 1e12:.3g}" for roof in group) + f" {unit}") for group in groups]
