# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/schema/timeline.schema.json accepts the recorded timelines, but none with a member more or fewer.

usage: check_timeline_schema.py SCHEMA RECORDINGS_FOLDER

Exits with 77, the code for a skipped test, where the Python module jsonschema is missing."""

import copy
import gzip
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print(f"skipped: {sys.executable} has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)


def first_samples(timeline):
    """A short one, as quick to check."""
    short = copy.deepcopy(timeline)
    short["ranges"] = short["ranges"][:5]
    for device in short["devices"]:
        for list_of in [device, device["values"]]:
            list_of.update({key: values[:5] for key, values in list_of.items() if isinstance(values, list)})
    return short


def damaged_copies(timeline):
    for place in [lambda whole: whole, lambda whole: whole["devices"][0]]:
        for key in set(place(timeline)) - {"power"}:  # older files have none
            damaged = copy.deepcopy(timeline)
            del place(damaged)[key]
            yield f"no {key}", damaged
        damaged = copy.deepcopy(timeline)
        place(damaged)["unknown"] = 1
        yield "a member more", damaged
    damaged = copy.deepcopy(timeline)
    damaged["devices"][0]["launches"][0].append(1)
    yield "a launch of five numbers", damaged
    damaged = copy.deepcopy(timeline)
    damaged["devices"][0]["power"] = [[1, 100.0, 1]]
    yield "a reading of three numbers", damaged


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    files = sorted(pathlib.Path(sys.argv[2]).glob("*/timeline.json.gz"))
    assert files, "no recording has a timeline"
    for file in files:
        timeline = json.loads(gzip.decompress(file.read_bytes()))
        short = first_samples(timeline)
        for document in [timeline, short]:
            for error in validator.iter_errors(document):
                sys.exit(f"{file}: {error.json_path}: {error.message}")
        for what, damaged in damaged_copies(short):
            if validator.is_valid(damaged):
                sys.exit(f"{file}: valid with {what}")


if __name__ == "__main__":
    main()
