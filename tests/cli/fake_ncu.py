#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays ncu without a GPU: runs the program that it is given, and reports invented numbers of one kernel per point of the
program's plan, those of fake_collector.py. FAKE_NCU changes that, by words separated by blanks:

  old          its version is that of Debian 12
  noperm       it may not count
  nokernels    no kernel is profiled
  odd          the table has another layout
  <metric>=<factor>   numbers of a metric are that much larger
  without=<variant>   no kernel of that variant is profiled
"""

import csv
import json
import os
import subprocess
import sys

from points import points_of, range_name

WORDS = os.environ.get("FAKE_NCU", "").split()


def rows_of(plan):
    for index, point in points_of(plan):
        if f"without={point['subject']}" in WORDS:
            continue
        n = point["axes"]["n"]
        yield range_name(point), {"gpu__time_duration.sum": 100000 * (index + 1) - 3000, "dram__bytes_read.sum": 4 * n,
                                  "dram__bytes_write.sum": 0, "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum": 1.25 * n,
                                  "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum": 0,
                                  "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": 0}


def print_table(rows):
    asked_for = rows["metrics"]
    out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator="\n")
    if "odd" in WORDS:
        out.writerow(["Number", "Function"])
        return
    out.writerow(["ID", "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", "Kernel Name", *asked_for])
    out.writerow(["", "", "", *("ns" if "duration" in metric else "" for metric in asked_for)])
    for number, (name, metrics) in enumerate(rows["rows"]):
        factors = dict(word.split("=") for word in WORDS if "=" in word)
        values = [f"{metrics[metric] * float(factors.get(metric, 1)):,.0f}" for metric in asked_for]
        out.writerow([number, f'7  "rooflinectl:{name}:none:none:none:none:ASCII:{name}" ', "kernel(float *)", *values])


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def main():
    if "FAKE_NCU_CALLS" in os.environ:
        with open(os.environ["FAKE_NCU_CALLS"], "a") as file:
            file.write(json.dumps(sys.argv[1:]) + "\n")
    if "--version" in sys.argv:
        version = "2022.4.1.0" if "old" in WORDS else "2025.3.1.0"
        print(f"NVIDIA (R) Nsight Compute Command Line Profiler\nVersion {version} (build 36398880) (public-release)")
        return 0
    if "--import" in sys.argv:
        if not os.path.exists(option("--import")):
            print(f"==ERROR== Could not open report file '{option('--import')}'.")
            return 1
        print_table(json.load(open(option("--import"))))
        return 0
    program = sys.argv[sys.argv.index("--export") + 2:]
    print("==PROF== Connected to process 1", flush=True)
    code = subprocess.run(program, check=False).returncode
    if code != 0:
        print(f"==ERROR== The application returned an error code ({code}).")
        return code
    if "noperm" in WORDS:
        print("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on "
              "the target device 0.")
        return 1
    if "nokernels" in WORDS:
        print("==WARNING== No kernels were profiled.")
        return 0
    rows = list(rows_of(option("--plan")))
    json.dump({"metrics": option("--metrics").split(","), "rows": rows}, open(option("--export"), "w"))
    return 0


sys.exit(main())
