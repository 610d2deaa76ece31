# SPDX-License-Identifier: Apache-2.0
"""What tests on a real GPU ask of the machine that they run on."""

import ctypes


def gpu_count():
    """None without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def no_gpu():
    """Why nothing can run on a GPU here; None if it can."""
    count = gpu_count()
    return "no NVIDIA driver" if count is None else None if count else "no GPU"
