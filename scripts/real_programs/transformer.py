# SPDX-License-Identifier: Apache-2.0
"""Training steps of a transformers language model, made from its configuration: 124 million random weights, BF16 autocast."""

import sys

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
model = GPT2LMHeadModel(GPT2Config()).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
tokens = torch.randint(0, model.config.vocab_size, (8, 512), device="cuda")
for _ in range(int(sys.argv[1])):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(input_ids=tokens, labels=tokens).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(f"loss {loss.item():.4f}")
