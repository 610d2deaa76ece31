#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays ncu without a GPU: runs the program that it is given, and reports invented numbers of one kernel per point of the
program's plan, those of fake_collector.py; of a program without a plan those of fake_guest.py. FAKE_NCU changes that, by
words separated by blanks:

  old          its version is that of Debian 12
  noperm       it may not count
  nokernels    no kernel is profiled
  odd          the table has another layout
  compress     it compresses its reports, as recent versions do
  <metric>=<factor>   numbers of a metric are that much larger
  without=<variant>   no kernel of that variant is profiled
"""

import csv
import json
import os
import re
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


SASS = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
GUEST = {
    "_Z3addPf": {"shape": ("(1024, 1, 1)", "(256, 1, 1)"), "launches": 100, "gpu__time_duration.sum": 9000},
    "gemm<script>alert(1)</script>": {"shape": ("(16, 16, 1)", "(16, 8, 1)"), "launches": 10, "gpu__time_duration.sum": 1020000,
                                      "sm__ops_path_tensor_src_bf16_dst_fp32.sum": 2e9}}
COUNTED = {"dram__bytes_read.sum": 8e6, "dram__bytes_write.sum": 4e6, "lts__t_sectors_srcunit_tex.sum": 12e6 / 32,
           "smsp__inst_executed.sum": 1e5, SASS.format("fadd"): 1e6}


def rows_of_guest(kernel_id):
    """Of the launches that `::regex:KERNELS:NUMBERS` selects."""
    kernels, numbers = kernel_id.removeprefix("::regex:").rsplit(":", 1)
    for kernel, known in GUEST.items():
        if not re.search(kernels, kernel) or f"without={kernel}" in WORDS:
            continue
        for number in range(1, known["launches"] + 1):
            if re.search(numbers, str(number)):
                yield kernel, known["shape"], {**COUNTED, **known}


def print_table(rows):
    asked_for = rows["metrics"]
    out = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator="\n")
    if "odd" in WORDS:
        out.writerow(["Number", "Function"])
        return
    units = ["ns" if "duration" in metric else "byte" if "bytes" in metric and not metric.startswith("smsp") else ""
             for metric in asked_for]
    if "guest" in rows:
        out.writerow(["ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", *asked_for])
        out.writerow(["", "", "", "", "", *units])
        for number, (name, (grid, block), metrics) in enumerate(rows["guest"]):
            values = [f"{metrics.get(metric, 0) * factor_of(metric):,.0f}" for metric in asked_for]
            out.writerow([number, 7, name, block, grid, *values])
        return
    out.writerow(["ID", "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", "Kernel Name", *asked_for])
    out.writerow(["", "", "", *("ns" if "duration" in metric else "" for metric in asked_for)])
    for number, (name, metrics) in enumerate(rows["rows"]):
        values = [f"{metrics[metric] * factor_of(metric):,.0f}" for metric in asked_for]
        out.writerow([number, f'7  "rooflinectl:{name}:none:none:none:none:ASCII:{name}" ', "kernel(float *)", *values])


def factor_of(metric):
    factors = dict(word.rsplit("=", 1) for word in WORDS if "=" in word)
    return float(factors.get(metric, 1))


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
    recorded = ({"guest": list(rows_of_guest(option("--kernel-id")))} if "--kernel-id" in sys.argv else
                {"rows": list(rows_of(option("--plan")))})
    json.dump({"metrics": option("--metrics").split(","), **recorded}, open(option("--export") + "z" * ("compress" in WORDS), "w"))
    return 0


sys.exit(main())
