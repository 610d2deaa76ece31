# SPDX-License-Identifier: Apache-2.0
"""A matrix product written in Triton: 4096 cubed, FP16 with sums in FP32."""

import sys

import torch
import triton
import triton.language as tl


@triton.jit
def matmul(a, b, c, size, TILE: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, DEPTH)
    total = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, size, DEPTH):
        left = tl.load(a + rows[:, None] * size + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * size + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * size + columns[None, :], total.to(tl.float16))


SIZE, TILE = 4096, 128
a = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.half)
b = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.half)
c = torch.empty_like(a)
for _ in range(int(sys.argv[1])):
    matmul[(SIZE // TILE, SIZE // TILE)](a, b, c, SIZE, TILE, 64, num_warps=8, num_stages=4)
torch.testing.assert_close(c, a @ b, rtol=0.02, atol=0.5)
print("equal to PyTorch's product")
