#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays nsys without a GPU: runs the program that it is given, and exports a database that is constructed after the documented
schema, with the NVTX range of every point of the program's plan and in it one kernel, as long as in fake_collector.py.
FAKE_NSYS changes that, by words separated by blanks:

  old                  its version is that of Debian 12
  qdstrm               it leaves a .qdstrm and no report
  nokernels            the database has no kernels
  without=<variant>    no range of that variant
  slow=<variant>       the kernel of that variant takes twice as long
  spoil                a folder stands in the place of the run's run.json afterwards
"""

import json
import os
import pathlib
import sqlite3
import subprocess
import sys

from points import points_of, range_name

WORDS = os.environ.get("FAKE_NSYS", "").split()


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def export(points, file):
    if os.path.exists(file):
        os.remove(file)
    database = sqlite3.connect(file)
    database.executescript("""
        CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
                                  globalTid INTEGER, textId INTEGER, domainId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
                                                  correlationId INTEGER, nameId INTEGER NOT NULL);
        INSERT INTO StringIds VALUES (1, 'kernel(float *)');
        INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'rooflinectl', 16777217, NULL, 1);
    """)
    if "nokernels" not in WORDS:
        database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
                         "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL)")
    for index, point in points:
        if f"without={point['subject']}" in WORDS:
            continue
        start = 10**9 * (index + 1)
        length = (100000 * (index + 1) - 3000) * (2 if f"slow={point['subject']}" in WORDS else 1)
        database.execute("INSERT INTO NVTX_EVENTS VALUES (?, ?, 59, ?, 16777217, NULL, 1)",
                         (start, start + 10**8, range_name(point)))
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 16777217, ?, 1)",
                         (start + 10, start + 20, index))
        if "nokernels" not in WORDS:
            database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 16777216, 1)",
                             (start + 1000, start + 1000 + length, index))
    database.commit()
    if "spoil" in WORDS:
        run = str(pathlib.Path(file).parents[2] / "run.json")  # the tool records two folders below
        os.rename(run, run + ".before")
        os.mkdir(run)


def main():
    if "--version" in sys.argv:
        version = "2022.4.2.1-df9881f" if "old" in WORDS else "2025.3.1.90-253135822126v0"
        print(f"NVIDIA Nsight Systems version {version}")
        return 0
    if sys.argv[1] == "export":
        export(json.load(open(sys.argv[-1])), option("--output"))
        return 0
    code = subprocess.run(sys.argv[sys.argv.index("--output") + 2:], check=False).returncode
    ending = ".qdstrm" if "qdstrm" in WORDS else ".nsys-rep"
    json.dump(points_of(option("--plan")), open(option("--output") + ending, "w"))
    return code


sys.exit(main())
