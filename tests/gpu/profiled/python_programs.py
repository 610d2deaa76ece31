# SPDX-License-Identifier: Apache-2.0
"""Programs in Python for `rooflinectl profile` to run on a GPU, as those in C++ beside it.

usage: python_programs.py NAME    exits with 77 where what it needs is not installed
"""

import os
import sys
import time

ELEMENTS = 1 << 26
ALL_PASSES_S = 3.5
SKIPPED = 77


def repeat(step, wait):
    """For as long as all passes take."""
    end = time.monotonic() + ALL_PASSES_S
    steps = 0
    while time.monotonic() < end:
        step()
        wait()
        time.sleep(0.001)
        steps += 1
    print(steps, "steps", flush=True)


def cupy_saxpy():
    import cupy
    kernel = cupy.RawKernel(r"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}""", "saxpy")
    x = cupy.ones(ELEMENTS, dtype=cupy.float32)
    y = cupy.ones(ELEMENTS, dtype=cupy.float32)
    repeat(lambda: kernel((ELEMENTS // 256,), (256,), (cupy.float32(2), x, y, cupy.int32(ELEMENTS))),
           cupy.cuda.Device().synchronize)


def triton_add():
    import torch
    import triton
    from triton_kernels import add_kernel
    x, y, out = (torch.ones(ELEMENTS, device="cuda") for _ in range(3))
    repeat(lambda: add_kernel[(triton.cdiv(ELEMENTS, 1024),)](x, y, out, ELEMENTS, 1024), torch.cuda.synchronize)


def jax_multiply_add():
    import jax
    import jax.numpy as jnp
    multiply_add = jax.jit(lambda x, y: x * 2 + y)
    x = y = jnp.ones(ELEMENTS, jnp.float32)
    repeat(lambda: multiply_add(x, y).block_until_ready(), lambda: None)


def torch_multiply(times):
    import torch
    x = torch.ones(1 << 20, device="cuda")
    for _ in range(times):
        x = x * 1.0
    torch.cuda.synchronize()


def torch_profiler():
    """The program profiles itself."""
    import torch
    torch_multiply(100)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiler:
        torch_multiply(100)
    seen = sum(event.count for event in profiler.key_averages() if "elementwise" in event.key)
    print("torch.profiler saw", seen, flush=True)


def torch_exit():
    torch_multiply(3000)
    time.sleep(0.7)  # until it is written down
    os._exit(7)


def torch_fork():
    torch_multiply(100)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    torch_multiply(100)


def torch_spawn():
    """Processes with an interpreter of their own."""
    import torch.multiprocessing
    workers = [torch.multiprocessing.get_context("spawn").Process(target=torch_multiply, args=(200,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(max(worker.exitcode for worker in workers))


PROGRAMS = {program.__name__: program for program in [
    cupy_saxpy, triton_add, jax_multiply_add, torch_profiler, torch_exit, torch_fork, torch_spawn]}

if __name__ == "__main__":
    try:
        PROGRAMS[sys.argv[1]]()
    except ImportError as error:
        print(f"skipped: {error}", flush=True)
        sys.exit(SKIPPED)
