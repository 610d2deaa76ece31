# SPDX-License-Identifier: Apache-2.0
"""Transforms of cuFFT, a RawKernel and sums of CUB, all from CuPy."""

import sys

import cupy

saxpy = cupy.RawKernel(
    """extern "C" __global__ void saxpy(float a, const float* x, float* y, int count) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < count) y[i] = a * x[i] + y[i];
    }""",
    "saxpy")
count = 1 << 26
x, y = cupy.ones(count, dtype=cupy.float32), cupy.ones(count, dtype=cupy.float32)
signals = cupy.ones((256, 1 << 16), dtype=cupy.complex64)
for _ in range(int(sys.argv[1])):
    saxpy((count // 256,), (256,), (cupy.float32(0.5), x, y, cupy.int32(count)))
    spectra = cupy.fft.fft(signals, axis=1)
    total = y.sum()
print(f"total {float(total):g}, first {abs(spectra[0, 0]):g}")
