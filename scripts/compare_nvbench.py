#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time of a kernel from a file beside nvbench's cold time of it, for the kernel that `rooflinectl new` writes.

  scripts/compare_nvbench.py --write scale_bench.cu     # the kernel as a benchmark: build it with nvbench, for this GPU
  scripts/compare_nvbench.py ./scale_bench              # measures with both, in turn, and prints the times

Needs `rooflinectl` (environment variable ROOFLINECTL, or on the PATH). Exits with 1 if times of 500 µs and more differ by more than
2 %: events, which nvbench times with, add 2 to 5 µs to a launch. Cold for both means that nothing of the arguments is in L2."""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAM = pathlib.Path(shutil.which(os.environ.get("ROOFLINECTL", "rooflinectl")) or "rooflinectl").resolve()
ROUNDS = 3
LONG_S = 500e-6
AIM = 0.02
BENCHMARK = """
#include <nvbench/nvbench.cuh>

template <typename T>
__global__ void fill(T* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<T>((i * 2654435761U >> 8) / 16777216.0F);
}

template <typename T>
void scale(nvbench::state& state, nvbench::type_list<T>) {
  const int n = static_cast<int>(state.get_int64("n"));
  T* x = nullptr;
  T* y = nullptr;
  cudaMalloc(&x, n * sizeof(T));
  cudaMalloc(&y, n * sizeof(T));
  fill<<<(n + 255) / 256, 256>>>(x, n);
  state.exec([&](nvbench::launch& launch) {
    scale_kernel<T><<<(n + 255) / 256, 256, 0, launch.get_stream()>>>(x, y, 2.0F, n);
  });
  cudaFree(x);
  cudaFree(y);
}

NVBENCH_BENCH_TYPES(scale, NVBENCH_TYPE_AXES(nvbench::type_list<float, __half>))
    .set_type_axes_names({"dtype"})
    .add_int64_axis("n", {1 << 20, 1 << 26, 1 << 29});

NVBENCH_MAIN
"""
DTYPES = {"F32": "f32", "float": "f32", "__half": "f16", "F16": "f16"}


def write_benchmark(path):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, "new", "scale.cu"], cwd=folder, check=True, capture_output=True)
        kernel = (pathlib.Path(folder) / "scale.cu").read_text()
    kernel = "".join(line for line in kernel.splitlines(keepends=True) if not line.startswith("//"))
    path.write_text(kernel.lstrip() + BENCHMARK)


def ours(folder):
    """Medians of the cold points by type and size."""
    kernel = folder / "scale.cu"
    if not kernel.exists():
        subprocess.run([PROGRAM, "new", kernel.name], cwd=folder, check=True, capture_output=True)
        kernel.write_text(kernel.read_text().replace("[2^20, 2^26]", "[2^20, 2^26, 2^29]").replace("[cold, warm]", "[cold]"))
    finished = subprocess.run([PROGRAM, "run", "scale.cu", "--require-gpu", "--no-counters"], cwd=folder, capture_output=True, text=True,
                              check=False)
    if finished.returncode:
        sys.exit(finished.stdout + finished.stderr)
    run = json.loads((folder / "runs/scale/latest/run.json").read_text())
    return {(m["axes"]["dtype"], m["axes"]["n"]): m["time"]["median_s"] for m in run["measurements"] if m["axes"]["cache"] == "cold"}


def theirs(benchmark, folder):
    """Means of nvbench's cold GPU times, likewise."""
    subprocess.run([benchmark, "--devices", "0", "--json", folder / "nvbench.json", "--quiet"], check=True)
    times = {}
    for state in json.loads((folder / "nvbench.json").read_text())["benchmarks"][0]["states"]:
        axes = {axis["name"]: axis["value"] for axis in state["axis_values"]}
        summary = next(s for s in state["summaries"] if s["tag"] == "nv/cold/time/gpu/mean")
        times[DTYPES[re.sub(r"\W", "", axes["dtype"])], int(axes["n"])] = float(next(d["value"] for d in summary["data"] if d["name"] == "value"))
    return times


def compare(benchmark):
    rounds = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(ROUNDS):
            rounds.append((ours(folder), theirs(benchmark, folder)))
    far = []
    print("type         n  rooflinectl     nvbench   ratio")
    for dtype, n in sorted(rounds[0][0]):
        a, b = (statistics.median(times[which][dtype, n] for times in rounds) for which in (0, 1))
        is_far = b >= LONG_S and abs(a / b - 1) > AIM
        far += [(dtype, n)] if is_far else []
        print(f"{dtype:4} {n:9}  {a * 1e6:8.2f} µs {b * 1e6:8.2f} µs  {a / b:6.4f}{'  far' if is_far else ''}")
    return 1 if far else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", nargs="?", type=pathlib.Path, help="an executable made of what --write wrote, and nvbench")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE.cu")
    arguments = parser.parse_args()
    if arguments.write:
        write_benchmark(arguments.write)
    elif arguments.benchmark:
        sys.exit(compare(arguments.benchmark.resolve()))
    else:
        parser.error("name a benchmark, or --write one")


if __name__ == "__main__":
    main()
