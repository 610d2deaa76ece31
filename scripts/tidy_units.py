#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clang-tidy reads: most of its time goes to headers, so that the files of several folders are one.

usage: tidy_units.py BUILD_FOLDER, where the preset tidy was configured

Writes BUILD_FOLDER/units/<name>.cpp, which include each source once, and the commands that compile them. Prints their paths, those
that take longest first.
"""

import json
import pathlib
import re
import shlex
import sys

# By name, the targets of CMake. If two of their sources use one name in their anonymous namespaces, rename one. CLI11 is in one unit
# alone: a check searches the whole unit for each of its functions. Other targets are units of their own.
UNITS = {
    "runner": ["rooflinectl_runner", "rooflinectl_crosscheck"],
    "reports": ["rooflinectl_reports", "rooflinectl"],
    "cli": ["rooflinectl_cli", "rooflinectl-write-manuals"],
    "device": ["rooflinectl_injection", "rooflinectl_injection_entry", "rooflinectl_injection_cupti", "rooflinectl_nvtx_injection",
               "rooflinectl_kernels", "rooflinectl_measuring", "rooflinectl_cupti", "rooflinectl-collector"],
}
# The project's code that is compiled for profiled programs once more.
LEFT_OUT = ["rooflinectl_guest"]


def sources_of(file):
    """Those that a file of a unity build includes."""
    return re.findall(r'^#include "(.*)"$', file.read_text(), re.MULTILINE) if file.parent.name == "Unity" else [str(file)]


def options_of(command):
    """What may differ between targets: macros, except those of CMake, and folders of headers."""
    options = []
    words = iter(shlex.split(command))
    for word in words:
        if word == "-isystem":
            options += [(word, next(words))]
        elif re.match(r"-I|-D(?!\w+_EXPORTS$)", word):
            options += [(word,)]
    return options


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    unit_of = {target: name for name, targets in UNITS.items() for target in targets}
    sources, options, commands = {}, {}, {}
    known = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        target = re.search(r" -o \S*CMakeFiles/([^/]+)\.dir/", entry["command"])[1]
        if file.suffix not in [".cpp", ".cxx"] or target in LEFT_OUT:
            continue
        unit = unit_of.get(target, target)
        new = [source for source in sources_of(file) if source not in known]
        known.update(new)
        sources.setdefault(unit, []).extend(new)
        options.setdefault(unit, {}).update(dict.fromkeys(options_of(entry["command"])))
        commands.setdefault(unit, shlex.split(entry["command"].split(" -o ")[0]))
    folder = build / "units"
    folder.mkdir(exist_ok=True)
    database = []
    for unit in sorted(sources, key=lambda unit: (unit not in UNITS, -len(sources[unit]))):
        if not sources[unit]:
            continue
        file = folder / f"{unit}.cpp"
        file.write_text("".join(f'#include "{source}"\n' for source in sources[unit]))
        arguments = commands[unit] + [word for option in options[unit] for word in option] + ["-c", str(file)]
        database.append({"directory": str(build), "file": str(file), "arguments": arguments})
        print(file)
    (folder / "compile_commands.json").write_text(json.dumps(database, indent=1))


main()
