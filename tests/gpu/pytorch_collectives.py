#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's NCCL collectives of one size, a process for each GPU, and prints a JSON object: bytes, and seconds of each.

usage: pytorch_collectives.py BYTES"""

import json
import os
import statistics
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WARM_UPS = 5
SAMPLES = 7
CALLS_PER_SAMPLE = 10


def collectives(rank, n_ranks, n_elements):
    """Their names in a run.json, and what calls them."""
    part = n_elements // n_ranks
    whole = torch.zeros(n_elements, device="cuda")
    other = torch.zeros(n_elements, device="cuda")

    def send_receive():
        operations = [dist.P2POp(dist.isend, whole, (rank + 1) % n_ranks), dist.P2POp(dist.irecv, other, (rank - 1) % n_ranks)]
        for request in dist.batch_isend_irecv(operations):
            request.wait()

    return {"all_reduce": lambda: dist.all_reduce(whole),
            "all_gather": lambda: dist.all_gather_into_tensor(whole, other[:part]),
            "reduce_scatter": lambda: dist.reduce_scatter_tensor(other[:part], whole),
            "broadcast": lambda: dist.broadcast(whole, 0),
            "send_receive": send_receive}


def seconds_of(call):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(WARM_UPS):
        call()
    samples = []
    for _ in range(SAMPLES):
        torch.cuda.synchronize()
        dist.barrier()
        begin.record()
        for _ in range(CALLS_PER_SAMPLE):
            call()
        end.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(end) / 1e3 / CALLS_PER_SAMPLE)
    return statistics.median(samples)


def run(rank, n_ranks, n_bytes):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=n_ranks, device_id=torch.device("cuda", rank))
    n_elements = n_bytes // 4 // n_ranks * n_ranks
    times = {name: seconds_of(call) for name, call in collectives(rank, n_ranks, n_elements).items()}
    if rank == 0:
        print(json.dumps({"bytes": 4 * n_elements, "seconds": times}))
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    os.environ["NCCL_NVLS_ENABLE"] = "0"  # as rooflinectl has it
    mp.spawn(run, args=(torch.cuda.device_count(), int(sys.argv[1])), nprocs=torch.cuda.device_count())
