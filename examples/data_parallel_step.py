# SPDX-License-Identifier: Apache-2.0
"""A program to profile: training steps of a small transformer on several GPUs (PyTorch's DistributedDataParallel, NCCL), one
process for each. The NVTX ranges are `forward`, `backward`, in which the gradients are all-reduced, and `optimizer`.

    rooflinectl profile --timeline=20us -- torchrun --nproc-per-node 2 examples/data_parallel_step.py --steps 1200
"""

import argparse
import os
import statistics
import sys
import time

try:
    import torch
    import torch.distributed
except ImportError:
    sys.exit("data_parallel_step.py: needs PyTorch: pip install torch")

WIDTH, HEADS, LAYERS, VOCABULARY, BATCH, LENGTH = 768, 12, 4, 16000, 8, 256


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = torch.nn.LayerNorm(WIDTH)
        self.attention = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm2 = torch.nn.LayerNorm(WIDTH)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


def train(device, steps):
    """The times of the steps, and the last loss."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Embedding(VOCABULARY, WIDTH), *(Block() for _ in range(LAYERS)), torch.nn.Linear(WIDTH, VOCABULARY)).to(device)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    torch.manual_seed(torch.distributed.get_rank())  # each has words of its own
    words = torch.randint(0, VOCABULARY, (BATCH, LENGTH), device=device)
    next_words = torch.randint(0, VOCABULARY, (BATCH, LENGTH), device=device)

    times = []
    for _ in range(steps):
        start = time.perf_counter()
        with torch.cuda.nvtx.range("forward"), torch.autocast("cuda", dtype=torch.bfloat16):
            logits = model(words).view(-1, VOCABULARY)
            loss = torch.nn.functional.cross_entropy(logits.float(), next_words.view(-1))
        with torch.cuda.nvtx.range("backward"):
            loss.backward()
        with torch.cuda.nvtx.range("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return times, loss.item()


def main():
    parser = argparse.ArgumentParser(description="training steps of a small transformer, one process per GPU")
    parser.add_argument("--steps", type=int, default=2000, metavar="NUMBER", help="default: 2000")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("--steps: at least 1")
    if "LOCAL_RANK" not in os.environ:
        sys.exit("data_parallel_step.py: start it with torchrun --nproc-per-node GPUS examples/data_parallel_step.py")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    if device.index >= torch.cuda.device_count():
        sys.exit(f"data_parallel_step.py: rank {device.index} of this host has no GPU: PyTorch finds {torch.cuda.device_count()}")

    torch.cuda.set_device(device)
    torch.distributed.init_process_group("nccl", device_id=device)
    times, loss = train(device, steps)
    last = times[-((steps + 3) // 4):]
    print(f"rank {torch.distributed.get_rank()}: {steps} steps, the median of the last {len(last)} took "
          f"{1e3 * statistics.median(last):.3f} ms per step; loss {loss:.4f}", flush=True)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
