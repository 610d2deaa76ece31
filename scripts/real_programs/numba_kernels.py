# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python with numba.cuda: a saxpy, and sums of blocks in shared memory."""

import sys

import numpy

if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack  # which numba-cuda looks for, and NumPy 2.5 has no longer

from numba import cuda, float32

BLOCK = 256


@cuda.jit
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


@cuda.jit
def block_sums(x, sums):
    shared = cuda.shared.array(BLOCK, float32)
    thread = cuda.threadIdx.x
    shared[thread] = x[cuda.grid(1)]
    cuda.syncthreads()
    width = BLOCK // 2
    while width > 0:
        if thread < width:
            shared[thread] += shared[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        sums[cuda.blockIdx.x] = shared[0]


count = 1 << 26
x = cuda.to_device(numpy.ones(count, dtype=numpy.float32))
y = cuda.to_device(numpy.zeros(count, dtype=numpy.float32))
sums = cuda.device_array(count // BLOCK, dtype=numpy.float32)
for _ in range(int(sys.argv[1])):
    saxpy[count // BLOCK, BLOCK](numpy.float32(0.5), x, y)
    block_sums[count // BLOCK, BLOCK](y, sums)
print(f"first sum {sums.copy_to_host()[0]:g}")
