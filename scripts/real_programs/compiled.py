# SPDX-License-Identifier: Apache-2.0
"""Inference with torch.compile and CUDA graphs: every step is one launch of a graph."""

import sys

import torch

torch.manual_seed(0)
layers = [layer for _ in range(12) for layer in (torch.nn.Linear(2048, 2048), torch.nn.GELU(), torch.nn.LayerNorm(2048))]
model = torch.compile(torch.nn.Sequential(*layers).cuda().half(), mode="reduce-overhead")
x = torch.randn(512, 2048, device="cuda", dtype=torch.half)
with torch.no_grad():
    for _ in range(int(sys.argv[1])):
        y = model(x)
print(f"mean {y.float().mean().item():.4f}")
