# SPDX-License-Identifier: Apache-2.0
"""The points of a request to the collector, for the programs that play other profilers."""

import json


def points_of(request_file):
    """Index and point of each that is to be launched."""
    with open(request_file) as file:
        request = json.load(file)
    points = [dict(point, experiment=experiment["name"]) for experiment in request["plan"]["experiments"]
              for point in experiment["points"]]
    return [(index, point) for index, point in enumerate(points) if index not in request["skip_points"]]


def range_name(point):
    axes = point["axes"]
    elements = f".e{axes['elements']}" if "elements" in axes else ""
    return (f"{point['experiment']}.{point['subject']}.{axes['dtype']}.n{axes['n']}.b{axes['block']}{elements}"
            f".{axes['cache']}")
