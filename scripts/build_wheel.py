#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of an installed folder (`cmake --install`) and the Python package in python/.

usage: build_wheel.py INSTALLED OUTPUT

Its tag names the oldest glibc that the binaries run with, which readelf reads from them. Prints the path of the wheel.
"""

import base64
import csv
import hashlib
import io
import pathlib
import re
import subprocess
import sys
import tomllib
import zipfile

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "python"
# What Linux 3.10, the oldest that rooflinectl runs on, comes with; a static program alone needs none.
OLDEST_GLIBC = (2, 17)
# pip puts the path of the Python it runs in into the first line. Importing the package would take longer than most commands.
COMMAND = """\
#!python
import importlib.util, os, sys
(folder,) = importlib.util.find_spec("rooflinectl").submodule_search_locations
program = os.path.join(folder, "_install/bin/rooflinectl")
os.execv(program, [program, *sys.argv[1:]])
"""


def needed_glibc(binaries):
    """The oldest glibc that has every symbol that the binaries need, as (2, minor)."""
    versions = "".join(subprocess.run(["readelf", "--version-info", binary], capture_output=True, text=True, check=True).stdout
                       for binary in binaries)
    return max([OLDEST_GLIBC, *((int(major), int(minor)) for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", versions))])


def metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}", "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}"]
    for extra, packages in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {package}; extra == '{extra}'" for package in packages)]
    return "\n".join(lines) + "\n"


class Wheel:
    """Writes files and their RECORD. The same files give the same bytes."""

    def __init__(self, path, information):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.record = f"{information}/RECORD"
        self.rows = []

    def add(self, name, content, executable=False):
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if executable else 0o100644) << 16
        self.archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.rows.append((name, f"sha256={digest}", len(content)))

    def add_folder(self, name, folder):
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
            self.add(f"{name}/{file.relative_to(folder)}", file.read_bytes(), executable=bool(file.stat().st_mode & 0o100))

    def close(self):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*self.rows, (self.record, "", "")])
        self.archive.writestr(zipfile.ZipInfo(self.record), text.getvalue())
        self.archive.close()


def main(installed, output):
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    version = subprocess.run([installed / "bin/rooflinectl", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    if version != project["version"]:
        sys.exit(f"{installed}/bin/rooflinectl has version {version}, and python/pyproject.toml {project['version']}")
    if "INTERP" in subprocess.run(["readelf", "--program-headers", installed / "bin/rooflinectl"], capture_output=True, text=True,
                                  check=True).stdout:
        sys.exit(f"{installed}/bin/rooflinectl needs shared libraries: build it with -DROOFLINECTL_STATIC=ON")
    if not (installed / "share/doc/rooflinectl/licences").is_dir():
        sys.exit(f"{installed} lacks the licences of what is linked in: build it on Debian or Ubuntu")

    major, minor = needed_glibc([*(installed / "bin").iterdir(), *(installed / "lib").glob("*")])
    tag = f"py3-none-manylinux_{major}_{minor}_x86_64"
    path = output / f"rooflinectl-{version}-{tag}.whl"
    information = f"rooflinectl-{version}.dist-info"
    output.mkdir(parents=True, exist_ok=True)
    wheel = Wheel(path, information)
    wheel.add_folder("rooflinectl", PACKAGE / "rooflinectl")
    wheel.add_folder("rooflinectl/_install", installed)
    wheel.add(f"rooflinectl-{version}.data/scripts/rooflinectl", COMMAND.encode(), executable=True)
    wheel.add(f"{information}/METADATA", metadata(project).encode())
    wheel.add(f"{information}/WHEEL",
              f"Wheel-Version: 1.0\nGenerator: build_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    wheel.add(f"{information}/LICENSE", (PACKAGE.parent / "LICENSE").read_bytes())
    wheel.close()
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*map(pathlib.Path, sys.argv[1:]))
