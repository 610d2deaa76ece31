# SPDX-License-Identifier: Apache-2.0
"""A program to profile: attention written in Triton beside PyTorch's own, on the same data in FP16. The NVTX ranges are `triton` and
`pytorch`. The results are compared.

    rooflinectl profile -- python3 examples/triton_attention.py --rounds 200
"""

import argparse
import math
import sys

try:
    import torch
    import triton
    import triton.language as tl
except ImportError:
    sys.exit("triton_attention.py: needs PyTorch with Triton: pip install torch")

TEXTS, HEADS, LENGTH, DEPTH = 4, 16, 4096, 64
ROWS, COLUMNS = 128, 64  # of the scores that a block has at a time


@triton.jit
def attention(queries, keys, values, outputs, length, scale, ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    head = tl.program_id(1) * length * DEPTH
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    depth = tl.arange(0, DEPTH)
    query = tl.load(queries + head + rows[:, None] * DEPTH + depth[None, :])
    largest = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    result = tl.zeros((ROWS, DEPTH), tl.float32)
    for start in range(0, length, COLUMNS):
        columns = start + tl.arange(0, COLUMNS)
        key = tl.load(keys + head + columns[None, :] * DEPTH + depth[:, None])
        value = tl.load(values + head + columns[:, None] * DEPTH + depth[None, :])
        scores = tl.dot(query, key) * scale
        larger = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp2(scores - larger[:, None])
        shrink = tl.exp2(largest - larger)
        total = total * shrink + tl.sum(weights, 1)
        result = tl.dot(weights.to(tl.float16), value, result * shrink[:, None])
        largest = larger
    tl.store(outputs + head + rows[:, None] * DEPTH + depth[None, :], (result / total[:, None]).to(tl.float16))


def main():
    parser = argparse.ArgumentParser(description="attention in Triton and in PyTorch")
    parser.add_argument("--rounds", type=int, default=200, metavar="NUMBER", help="default: 200")
    rounds = parser.parse_args().rounds
    if rounds < 1:
        parser.error("--rounds: at least 1")
    if not torch.cuda.is_available():
        sys.exit("triton_attention.py: PyTorch finds no GPU")

    torch.manual_seed(0)
    queries, keys, values = (torch.randn(TEXTS, HEADS, LENGTH, DEPTH, device="cuda", dtype=torch.half) for _ in range(3))
    outputs = torch.empty_like(queries)
    grid = (LENGTH // ROWS, TEXTS * HEADS)
    scale = math.log2(math.e) / math.sqrt(DEPTH)
    for _ in range(rounds):
        with torch.cuda.nvtx.range("triton"):
            attention[grid](queries, keys, values, outputs, LENGTH, scale, ROWS, COLUMNS, DEPTH, num_warps=4, num_stages=3)
        with torch.cuda.nvtx.range("pytorch"):
            expected = torch.nn.functional.scaled_dot_product_attention(queries, keys, values)
    torch.testing.assert_close(outputs, expected, rtol=0.01, atol=0.002)
    print(f"{rounds} rounds, the results agree", flush=True)


if __name__ == "__main__":
    main()
