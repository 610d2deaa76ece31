# SPDX-License-Identifier: Apache-2.0
"""Texts written by a small Llama of transformers, made from its configuration, eagerly: each 48 words."""

import sys

import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
config = LlamaConfig(hidden_size=1024, intermediate_size=2816, num_hidden_layers=16, num_attention_heads=16, vocab_size=32000)
model = LlamaForCausalLM(config).to("cuda", torch.bfloat16).eval()
prompt = torch.randint(0, config.vocab_size, (4, 128), device="cuda")
for _ in range(int(sys.argv[1])):
    text = model.generate(prompt, max_new_tokens=48, min_new_tokens=48, do_sample=False, pad_token_id=0)
print(f"sum of the words {int(text.sum())}")
