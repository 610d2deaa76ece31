#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `rooflinectl profile` adds to real programs, as a Markdown table: each runs plain, then profiled in one run. Before
that, each is profiled once, so that neither run reads its files for the first time.

  scripts/compare_real_programs.py INSTALLED_FOLDER [--output DIR] [PROGRAM...]

Without a PROGRAM, all whose packages are there and that the GPUs here can run. --output keeps the profiled runs. Added is the
time from the start of the program to its end, profiled and plain; allowed are 4 s and 1.5 ms for each counted launch.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent
PROGRAMS = FOLDER / "real_programs"
EXAMPLES = FOLDER.parent / "examples"
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]

# name: package that it needs, GPUs, options of Python, program, its arguments
CATALOGUE = {
    "training_step": ("torch", 1, [], EXAMPLES / "training_step.py", ["--steps", "300"]),
    "transformer": ("transformers", 1, [], PROGRAMS / "transformer.py", ["250"]),
    "resnet50": ("torchvision", 1, [], PROGRAMS / "resnet50.py", ["600"]),
    "compiled": ("torch", 1, [], PROGRAMS / "compiled.py", ["10000"]),
    "generation": ("torch", 1, [], EXAMPLES / "generation.py", ["--words", "500"]),
    "transformers_generation": ("transformers", 1, [], PROGRAMS / "transformers_generation.py", ["3"]),
    "jax_training_step": ("jax", 1, [], EXAMPLES / "jax_training_step.py", ["--steps", "1000"]),
    "jax_training_step_cached": ("jax", 1, [], EXAMPLES / "jax_training_step.py", ["--steps", "1000"]),
    "flax_training": ("flax", 1, [], PROGRAMS / "flax_training.py", ["4000"]),
    "flax_training_cached": ("flax", 1, [], PROGRAMS / "flax_training.py", ["4000"]),
    "known_work_eager": ("torch", 1, [], EXAMPLES / "known_work.py", ["--how", "eager"]),
    "known_work_graphs": ("torch", 1, [], EXAMPLES / "known_work.py", ["--how", "graphs"]),
    "triton_attention": ("triton", 1, [], EXAMPLES / "triton_attention.py", ["--rounds", "200"]),
    "triton_matmul": ("triton", 1, [], PROGRAMS / "triton_matmul.py", ["20000"]),
    "cupy_fft": ("cupy", 1, [], PROGRAMS / "cupy_fft.py", ["10000"]),
    "numba_kernels": ("numba", 1, [], PROGRAMS / "numba_kernels.py", ["10000"]),
    "data_parallel_step": ("torch", 2, TORCHRUN, EXAMPLES / "data_parallel_step.py", ["--steps", "300"]),
    "nccl_ranks": ("torch", 2, TORCHRUN, PROGRAMS / "nccl_ranks.py", ["6000"]),
    "nccl_one_process": ("torch", 2, [], PROGRAMS / "nccl_one_process.py", ["5000"]),
}


# Programs that JAX compiles once for all runs: with its compilation cache, which the first run fills.
CACHED = {"jax_training_step_cached", "flax_training_cached"}


def with_cache(folder):
    """The environment in which JAX keeps all that it compiles in a folder."""
    return os.environ | {
        "JAX_COMPILATION_CACHE_DIR": str(folder),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }


def gpus():
    """How many there are."""
    if not shutil.which("nvidia-smi"):
        return 0
    listed = subprocess.run(["nvidia-smi", "--list-gpus"], capture_output=True, text=True, check=False)
    return len(listed.stdout.splitlines())


def seconds_of(command, environment):
    """Wall time of a command, and what it printed; None if it failed."""
    print(" ".join(map(str, command)), file=sys.stderr)
    start = time.monotonic()
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    end = time.monotonic()
    if done.returncode != 0:
        print(done.stderr[-3000:], f"exit code {done.returncode}", sep="\n", file=sys.stderr)
        return None
    return end - start, done.stdout


def row(name, rooflinectl, output, command, environment):
    """The table's row of one program; None if it failed."""
    profile = [rooflinectl, "profile", "--once", "--json", "--output", output, "--", *command]
    if seconds_of(profile, environment) is None:
        return None
    plain = seconds_of(command, environment)
    profiled = seconds_of(profile, environment)
    if plain is None or profiled is None:
        return None
    summary = json.loads(profiled[1].splitlines()[-1])
    run = json.loads(pathlib.Path(summary["run"]).read_text(encoding="utf-8"))
    application = summary["application"]
    counted = sum(point.get("launches", {}).get("counted", 0) for point in run["measurements"])
    added = application["wall_s"] - plain[0]
    return [f"`{name}`", f"{plain[0]:.2f}", f"{added:.2f}", f"{4 + 1.5e-3 * counted:.2f}", str(application["launches"]), str(counted),
            str(summary["groups"]), f"{100 * summary['counted_share']:.2f} %", f"{100 * summary['counted_share_of_steps']:.2f} %"]


def main():
    parser = argparse.ArgumentParser(description="what `rooflinectl profile` adds to real programs")
    parser.add_argument("installed", type=pathlib.Path)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("program", nargs="*", help=f"of {', '.join(CATALOGUE)}")
    options = parser.parse_intermixed_args()
    for name in options.program:
        if name not in CATALOGUE:
            parser.error(f"there is no program {name!r}")
    rooflinectl = options.installed / "bin/rooflinectl"
    if not shutil.which(rooflinectl):
        parser.error(f"there is no {rooflinectl}")

    here = gpus()
    if here == 0:
        sys.exit("there is no GPU, or no nvidia-smi that lists it")
    failed = []
    print("| program | plain, s | added, s | allowed, s | launches | of them counted | groups | GPU time fully counted | GPU time in steps fully counted |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as temporary:
        for name in options.program or CATALOGUE:
            package, needed, python_options, program, arguments = CATALOGUE[name]
            if importlib.util.find_spec(package) is None or here < needed:
                print(f"{name} is left out: it needs {package} and {needed} GPU{'s' if needed > 1 else ''}", file=sys.stderr)
                continue
            command = [sys.executable, *python_options, str(program), *arguments]
            environment = os.environ
            if name in CACHED:
                environment = with_cache(pathlib.Path(temporary) / name)
            cells = row(name, rooflinectl, options.output or temporary, command, environment)
            if cells is None:
                failed.append(name)
            else:
                print("|", " | ".join(cells), "|", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
