# SPDX-License-Identifier: Apache-2.0
"""A program to profile: Fourier transforms of cuFFT, a kernel written in CUDA C++ and sums of CUB, all from CuPy.

    rooflinectl profile -- python3 examples/spectra.py --steps 50
"""

import argparse
import sys

try:
    import cupy
    from cupyx.profiler import time_range
except ImportError:
    sys.exit("spectra.py: needs CuPy: pip install cupy-cuda13x")

COUNT, SIGNALS = 1 << 16, 1024

# The window that keeps a signal's ends from appearing in its spectrum.
window = cupy.RawKernel(
    """extern "C" __global__ void hann_window(float2* signals, int length, int count) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= count) return;
      const float weight = 0.5f - 0.5f * cosf(6.2831853f * (i % length) / length);
      signals[i].x *= weight;
      signals[i].y *= weight;
    }""",
    "hann_window")


def main():
    parser = argparse.ArgumentParser(description="spectra of many signals")
    parser.add_argument("--steps", type=int, default=50, metavar="NUMBER", help="default: 50")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("--steps: at least 1")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        sys.exit(f"spectra.py: {error}")

    moments = cupy.arange(COUNT, dtype=cupy.float32) / COUNT
    frequencies = cupy.arange(1, SIGNALS + 1, dtype=cupy.float32)[:, None]
    tones = cupy.exp(2j * cupy.pi * frequencies * moments).astype(cupy.complex64)
    elements = tones.size
    for _ in range(steps):
        with time_range("window"):
            signals = tones.copy()
            window(((elements + 255) // 256,), (256,), (signals, cupy.int32(COUNT), cupy.int32(elements)))
        with time_range("transform"):
            spectra = cupy.fft.fft(signals, axis=1)
        with time_range("power"):
            power = (spectra.real ** 2 + spectra.imag ** 2).sum(axis=1)
    loudest = int(cupy.abs(spectra[9]).argmax())
    if loudest != 10:
        sys.exit(f"spectra.py: the tenth tone is loudest at {loudest} instead of 10")
    print(f"{steps} steps, power of the first signal {float(power[0]):.4g}")


if __name__ == "__main__":
    main()
