# SPDX-License-Identifier: Apache-2.0
"""A program to profile: training steps of a small transformer in PyTorch, in BF16 where autocast allows it, with AdamW.
The NVTX ranges are `forward`, `backward` and `optimizer`.

    rooflinectl profile --timeline -- python3 examples/training_step.py --steps 300
"""

import argparse
import statistics
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("training_step.py: needs PyTorch: pip install torch")

WIDTH, HEADS, LAYERS, VOCABULARY, BATCH, LENGTH = 1024, 16, 8, 32000, 8, 512


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


def main():
    parser = argparse.ArgumentParser(description="training steps of a small transformer")
    parser.add_argument("--steps", type=int, default=100, metavar="NUMBER", help="default: 100")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("--steps: at least 1")
    if not torch.cuda.is_available():
        sys.exit("training_step.py: PyTorch finds no GPU")

    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Embedding(VOCABULARY, WIDTH), *(Block() for _ in range(LAYERS)), torch.nn.Linear(WIDTH, VOCABULARY)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    words = torch.randint(0, VOCABULARY, (BATCH, LENGTH), device="cuda")
    next_words = torch.randint(0, VOCABULARY, (BATCH, LENGTH), device="cuda")

    times = []
    for _ in range(steps):
        torch.cuda.synchronize()
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

    last = times[-((steps + 3) // 4):]
    print(f"{steps} steps, the median of the last {len(last)} took {1e3 * statistics.median(last):.3f} ms per step; "
          f"loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
