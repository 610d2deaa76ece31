# SPDX-License-Identifier: Apache-2.0
"""A matrix product and an all-reduce of 256 MiB a step, in one process per GPU: started by torchrun."""

import os
import sys

import torch
import torch.distributed

rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
torch.distributed.init_process_group("nccl", device_id=torch.device("cuda", rank))
a = torch.randn(4096, 4096, device="cuda", dtype=torch.bfloat16)
gradients = torch.ones(1 << 26, device="cuda")
for _ in range(int(sys.argv[1])):
    product = a @ a
    torch.distributed.all_reduce(gradients, op=torch.distributed.ReduceOp.AVG)
torch.cuda.synchronize()
print(f"rank {rank}: {gradients[0].item():g}")
torch.distributed.destroy_process_group()
