# SPDX-License-Identifier: Apache-2.0
"""Checks that rooflinectl refuses the numbers that the schema refuses, and no others.

usage: check_ranges.py SCHEMA WRITE_FULL_RUN READ_RUNS

Each number in the output of WRITE_FULL_RUN, in which every field occurs, is set to numbers at and beyond the ends of its
range; in a list, only the first element is changed. READ_RUNS must accept the result exactly if the schema does. Exits with
77, the code for a skipped test, where the Python module jsonschema is missing.
"""

import copy
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print(f"skipped: {sys.executable} has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

INTEGERS = [-1, 0]
NUMBERS = [-1, -1e-308, 0, 1e-308, 1e-31, 1e-29, 1e29, 1e31, 1e308]


def numbers(value, path=()):
    """The path of every number, and the number; of a list, those in its first element."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from numbers(member, path + (key,))
    elif isinstance(value, list) and value:
        yield from numbers(value[0], path + (0,))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def changed(document, path, value):
    result = copy.deepcopy(document)
    target = result
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return result


def main():
    schema_file, write_full_run, read_runs = sys.argv[1:]
    validator = jsonschema.Draft202012Validator(json.loads(pathlib.Path(schema_file).read_text(encoding="utf-8")))
    full_run = json.loads(subprocess.run([write_full_run], check=True, capture_output=True).stdout)
    cases = [(path, value, changed(full_run, path, value)) for path, number in numbers(full_run)
             for value in (INTEGERS if isinstance(number, int) else NUMBERS)
             if (path[-1], value) != ("to", 0)]  # a link from the first device to itself, which no schema can refuse
    said = subprocess.run([read_runs], input="".join(json.dumps(document) + "\n" for _, _, document in cases), check=True,
                          capture_output=True, text=True).stdout.split("\n")[:-1]
    failures = []
    for (path, value, document), refusal in zip(cases, said, strict=True):
        place = "/" + "/".join(map(str, path))
        if validator.is_valid(document) != (refusal == ""):
            failures.append(f"{place}: {value}: the schema {'accepts' if refusal else 'refuses'} it, rooflinectl does not: {refusal}")
        elif refusal and place not in refusal:
            failures.append(f"{place}: {value}: refused without naming the place: {refusal}")
    print(f"{len(cases)} numbers, {sum(refusal != '' for refusal in said)} refused")
    print("\n".join(failures))
    sys.exit(1 if failures or not any(said) else 0)


main()
