# SPDX-License-Identifier: Apache-2.0
"""All-reduces of 64 MiB over all GPUs of one process: kernels that wait for each other's GPU."""

import sys

import torch
from torch.cuda import nccl

gpus = range(torch.cuda.device_count())
values = [torch.ones(1 << 24, device=f"cuda:{gpu}") for gpu in gpus]
for _ in range(int(sys.argv[1])):
    nccl.all_reduce(values)
    for value in values:
        value.mul_(1 / len(values))
for gpu in gpus:
    torch.cuda.synchronize(gpu)
print(f"{len(values)} GPUs: {values[0][0].item():g}")
