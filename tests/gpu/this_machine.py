# SPDX-License-Identifier: Apache-2.0
"""What tests on a real GPU ask of the machine that they run on."""

import ctypes
import os
import subprocess
import tempfile


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


def environment_with_ceilings(tests, program):
    """That of a class of tests, with known ceilings: in ROOFLINECTL_TEST_CACHE, which several programs may share, or for this one."""
    cache = os.environ.get("ROOFLINECTL_TEST_CACHE")
    if cache is None:
        folder = tempfile.TemporaryDirectory()
        tests.addClassCleanup(folder.cleanup)
        cache = folder.name
    environment = dict(os.environ, XDG_CACHE_HOME=cache)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "ceilings"], cwd=folder, env=environment, capture_output=True, check=False)
    return environment
