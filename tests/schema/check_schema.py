# SPDX-License-Identifier: Apache-2.0
"""Checks that the schema accepts what rooflinectl writes, and nothing else.

usage: check_schema.py SCHEMA SCHEMA_1 RECORDINGS_FOLDER WRITE_FULL_RUN

Every run.json.gz below RECORDINGS_FOLDER and the output of WRITE_FULL_RUN, in which every field occurs, must be valid. The
latter must become invalid when any value in it is set to null, any required member is removed, or any object but a map
gets an unknown member. Exits with 77, the code for a skipped test, where the Python module jsonschema is missing.
"""

import copy
import gzip
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print(f"skipped: {sys.executable} has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

OPTIONAL_MEMBERS = {
    "bytes_in_flight_per_block", "cause", "clock_event_reasons", "clusters", "collectives", "confirmation", "counter_repeats", "counter_spread", "counters_scale", "cupti_version", "default_elements_per_thread", "elements_per_thread", "energy", "launch_mode", "link_bytes", "links", "missing", "operations_path",
    "measured_utc", "mode", "moved_bytes",
    "application", "below_s", "counted_until_s", "first", "folder", "gaps_before", "graph_kernels", "graph_nodes", "has_half_arithmetic", "has_sparse_products", "products", "held", "held_s", "idle_before_s", "imports", "interval_s", "operations_per_tensor_instruction", "over_time", "period", "problems", "ranges", "sampled", "source_text", "stall", "stalled",
    "symbol", "undisturbed",
    "process", "python_versions", "rank", "primitives", "instructions", "resources", "resumed_utc", "self_test", "cross_checks", "time", "verification", "environment", "settings", "several_gpus", "text_sha256", "together"}
MAPS = {"axes", "clock_event_reasons", "counter_spread", "counters", "metrics", "operations", "python_versions", "variables"}
# Objects whose every member may be absent.
LOOSE = {"settings"}


def containers(value, path=()):
    """Every object and array in `value` with its path."""
    if isinstance(value, dict):
        yield path, value
        for key, member in value.items():
            yield from containers(member, path + (key,))
    elif isinstance(value, list):
        yield path, value
        for index, element in enumerate(value):
            yield from containers(element, path + (index,))


def is_map(path):
    return bool(path) and path[-1] in MAPS


def is_optional(path, key):
    return (
        key in OPTIONAL_MEMBERS
        or path[-1:] and path[-1] in LOOSE
        or (key == "sm_clock_hz" and path[0] in {"ceilings", "measurements", "primitives"})
        or (key == "device" and path[0] == "primitives")
        or (key == "host" and path[:1] == ("devices",))
        or (key in {"sent_bytes", "received_bytes"} and path[0] == "links")
        or (key in {"library", "method"} and path == ("collectives",))
        or (key == "launches" and path[0] == "measurements" and len(path) == 2)
        or (key in {"exit_code", "wall_s", "passes", "hosts", "collectives", "other_ranks"} and path == ("application",))
        or (key in {"boot_id", "uncertainty_s"} and path[:2] == ("application", "hosts"))
        or (key in {"ranks", "collectives", "holds"} and path[:2] == ("application", "processes"))
        or (key in {"path", "bytes"} and path[:2] == ("application", "collectives"))
        or (key not in {"name", "format"} and path[:1] == ("imports",))
        or (key in {"median_s", "p95_s"} and path[:2] == ("application", "ranges"))
        or (key in {"hint", "process", "subject"} and path[:2] == ("application", "problems"))
        or (key == "kernels" and path == ("plan",))
        or (key == "compiled_kernels" and path == ())
        or (key in ("options", "warnings") and path[:1] == ("compiled_kernels",))
        or (path[:2] == ("plan", "kernels") and (
            (key in {"options", "work", "reference"} and len(path) == 3)
            or (key in {"count", "fill", "seed"} and path[3:4] == ("arguments",))
            or (key in {"cluster", "shared_bytes"} and path[3:] == ("launch",))
            or path[3:4] in {("work",), ("reference",)})))


def damaged_copies(document):
    """What was damaged, and the damaged document."""
    def damaged(path, damage):
        result = copy.deepcopy(document)
        target = result
        for key in path:
            target = target[key]
        damage(target)
        return result

    for path, container in containers(document):
        keys = list(container) if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield f"{path + (key,)} is null", damaged(path, lambda target: target.__setitem__(key, None))
        if isinstance(container, dict) and not is_map(path):
            yield f"{path} has an unknown member", damaged(path, lambda target: target.update(unknown=1))
            for key in keys:
                if not is_optional(path, key):
                    yield f"{path + (key,)} is missing", damaged(path, lambda target: target.pop(key))


def validator_of(file):
    schema = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def main():
    schema_file, schema_1_file, recordings, write_full_run = sys.argv[1:]
    validator, validator_1 = map(validator_of, [schema_file, schema_1_file])
    failures = []

    full_run = json.loads(subprocess.run([write_full_run], check=True, capture_output=True).stdout)
    documents = {"the full run": full_run}
    for file in pathlib.Path(recordings).rglob("run.json.gz"):
        documents[str(file)] = json.loads(gzip.decompress(file.read_bytes()))
    for name, document in documents.items():
        failures += [f"{name}: {error.json_path}: {error.message}" for error in (validator_1 if document["schema"] == 1 else validator).iter_errors(document)]

    copies = list(damaged_copies(full_run))
    failures += [f"accepted although {what}" for what, document in copies if validator.is_valid(document)]

    print(f"{len(documents)} documents, {len(copies)} damaged copies")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
