#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's NCCL collectives of one size, and prints a JSON object: the versions, their bytes, and the seconds of each in
one process for all GPUs, as rooflinectl calls them, and in a process for each GPU.

usage: pytorch_collectives.py BYTES"""

import json
import os
import statistics
import sys

import torch
import torch.cuda.nccl
import torch.distributed as dist
import torch.multiprocessing as mp

WARM_UPS = 5
SAMPLES = 7
CALLS_PER_SAMPLE = 10


def seconds_of(call, synchronize):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    for _ in range(WARM_UPS):
        call()
    samples = []
    for _ in range(SAMPLES):
        synchronize()
        begin.record()
        for _ in range(CALLS_PER_SAMPLE):
            call()
        end.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(end) / 1e3 / CALLS_PER_SAMPLE)
    return statistics.median(samples)


def in_one_process(n_ranks, n_elements):
    """It has no send and receive."""
    devices = [torch.device("cuda", rank) for rank in range(n_ranks)]
    part = n_elements // n_ranks
    inputs, outputs = ([torch.zeros(n_elements, device=device) for device in devices] for _ in range(2))
    calls = {"all_reduce": lambda: torch.cuda.nccl.all_reduce(inputs, outputs),
             "all_gather": lambda: torch.cuda.nccl.all_gather([one[:part] for one in inputs], outputs),
             "reduce_scatter": lambda: torch.cuda.nccl.reduce_scatter(inputs, [one[:part] for one in outputs]),
             "broadcast": lambda: torch.cuda.nccl.broadcast(inputs)}

    def synchronize():
        for device in devices:
            torch.cuda.synchronize(device)

    return {name: seconds_of(call, synchronize) for name, call in calls.items()}


def as_rank(rank, n_ranks, n_elements, results):
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=n_ranks, device_id=torch.device("cuda", rank))
    part = n_elements // n_ranks
    whole, other = (torch.zeros(n_elements, device="cuda") for _ in range(2))

    def send_receive():
        operations = [dist.P2POp(dist.isend, whole, (rank + 1) % n_ranks), dist.P2POp(dist.irecv, other, (rank - 1) % n_ranks)]
        for request in dist.batch_isend_irecv(operations):
            request.wait()

    def synchronize():
        torch.cuda.synchronize()
        dist.barrier()

    calls = {"all_reduce": lambda: dist.all_reduce(whole),
             "all_gather": lambda: dist.all_gather_into_tensor(whole, other[:part]),
             "reduce_scatter": lambda: dist.reduce_scatter_tensor(other[:part], whole),
             "broadcast": lambda: dist.broadcast(whole, 0),
             "send_receive": send_receive}
    times = {name: seconds_of(call, synchronize) for name, call in calls.items()}
    if rank == 0:
        results.put(times)
    dist.destroy_process_group()


def in_a_process_per_gpu(n_ranks, n_elements):
    results = mp.get_context("spawn").SimpleQueue()
    mp.spawn(as_rank, args=(n_ranks, n_elements, results), nprocs=n_ranks)
    return results.get()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29531")
    os.environ["NCCL_NVLS_ENABLE"] = "0"  # as rooflinectl has it
    ranks = torch.cuda.device_count()
    elements = int(sys.argv[1]) // 4 // ranks * ranks
    print(json.dumps({"torch": torch.__version__, "nccl": ".".join(map(str, torch.cuda.nccl.version())), "bytes": 4 * elements,
                      "process_per_gpu": in_a_process_per_gpu(ranks, elements), "one_process": in_one_process(ranks, elements)}))
