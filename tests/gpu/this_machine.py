# SPDX-License-Identifier: Apache-2.0
"""What tests on a real GPU ask of the machine that they run on."""

import ctypes


def no_gpu():
    """Why nothing can run on a GPU here; None if it can."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver"
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return "no GPU"
    return None
