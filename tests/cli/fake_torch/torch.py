# SPDX-License-Identifier: Apache-2.0
"""Plays PyTorch on a GPU, with arrays of NumPy, for driver.py: each call in a range becomes a launch in the records of a process
into which librooflinectl-injection.so is loaded. FAKE_TORCH: `two`: a call launches two kernels; `crash`: the second point's call
ends the process; `silent`: nothing is launched."""

import atexit
import json
import os
import signal
import sys
import time
import types

import numpy as np

DEVICE = "GPU-00000000-0000-0000-0000-000000000000"
COUNTERS = {
    "memory": {"dram_read_bytes": 8e6, "dram_write_bytes": 4e6, "l2_bytes": 12e6, "l1_bytes": 12e6, "warp_instructions": 1e5,
               "tensor_pipe_instructions": 0, "tensor_pipe_hfma2": 0},
    "operations": {"fadd": 0, "fmul": 1e6, "ffma": 0, "shared_bytes": 0, "warp_instructions_sass": 1e5},
    "tensor": {"tensor_pipe_instructions": 0, "tensor_pipe_hfma2": 0},
    "pipes": {"fma_pipe_instructions": 5e4, "fp64_pipe_instructions": 0}}
FLUSHING_BYTES = 100 << 20
accidents = os.environ.get("FAKE_TORCH", "").split()
launches = {}
bfloat16 = "bfloat16"
__version__ = "2.9.0"


class Tensor:
    def __init__(self, data, dtype=None):
        self.data, self.dtype = data, dtype

    def cuda(self):
        # What fills L2 is large, and only read.
        return Tensor(self.data if self.data.nbytes >= FLUSHING_BYTES else self.data.copy(), self.dtype)

    def to(self, dtype):
        return Tensor(self.data, dtype)

    def detach(self):
        return self

    def float(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.data.copy()

    def copy_(self, other):
        self.data[:] = other.data

    def sum(self):
        """Takes as long as a GPU might, and no processor."""
        time.sleep(0.005)

    def __ne__(self, other):
        return Tensor(self.data != other.data)

    def reshape(self, *shape):
        return Tensor(self.data.reshape(*shape), self.dtype)

    def int(self):
        return self

    def any(self):
        return self.data.any()

    def argmax(self):
        return self.data.argmax()

    def __getitem__(self, key):
        return Tensor(self.data[key], self.dtype)

    def __setitem__(self, key, value):
        self.data[key] = value.data if isinstance(value, Tensor) else value

    def __mul__(self, factor):
        return Tensor(self.data * factor, self.dtype)

    __rmul__ = __mul__


def from_numpy(data):
    return Tensor(data)


def as_tensor(tensor):
    return tensor


def push(name):
    if "crash" in accidents and name.endswith(":b"):
        os.kill(os.getpid(), signal.SIGSEGV)
    launches[name] = launches.get(name, 0) + 1


cuda = types.SimpleNamespace(synchronize=lambda: None, nvtx=types.SimpleNamespace(range_push=push, range_pop=lambda: None))


def write_records():
    settings = json.loads(os.environ["ROOFLINECTL_PROFILE"])
    path = os.path.join(settings["records"], f"{os.getpid()}-{time.monotonic_ns()}.jsonl")
    start = time.monotonic_ns()
    with open(path, "w", encoding="utf-8") as file:
        def write(kind, **record):
            file.write(json.dumps({"type": kind, **record}) + "\n")

        write("process", process=os.getpid(), parent=os.getppid(), command_line=sys.argv, start_ns=start)
        write("device", device=0, uuid=os.environ["CUDA_VISIBLE_DEVICES"], chip="FK100")
        kernels = ["scale_kernel", "other_kernel"] if "two" in accidents else ["scale_kernel"]
        for place, symbol in enumerate(kernels):
            write("kernel", kernel=place, symbol=symbol, registers_per_thread=32, static_shared_bytes=0, local_bytes_per_thread=0,
                  has_half_arithmetic=False)
        groups = [(name, place) for name in launches for place in range(len(kernels))]
        for group, (name, place) in enumerate(groups):
            write("group", group=group, device=0, kernel=place, grid=[1024, 1, 1], block=[128, 1, 1], dynamic_shared_bytes=0, blocks_per_sm=8,
                  path=name, first_launch=1)
        write("pass", **{"pass": settings["passes"][0] if settings["passes"] else "", "is_traced": True, "at_ns": start})
        for group, (name, place) in enumerate(groups):
            write("launches", launches=[[group, 7, start + 20_000 * i, 10_000 * (place + 1), False] for i in range(launches[name])])
        for ordinal, wanted in enumerate(settings["passes"]):
            write("pass", **{"pass": wanted, "is_traced": wanted != "operations", "at_ns": start + 10**12 + ordinal})
            for group in range(len(groups)):
                write("counted", group=group, **{"pass": wanted}, ordinal=ordinal + 1, counters=COUNTERS.get(wanted, {f"{wanted}_ops": 0}))
        write("end", at_ns=time.monotonic_ns(), lost_activities=0, lost_records=0)


if "ROOFLINECTL_PROFILE" in os.environ and "silent" not in accidents:
    atexit.register(write_records)
