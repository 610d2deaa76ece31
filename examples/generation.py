# SPDX-License-Identifier: Apache-2.0
"""A program to profile: a small transformer in PyTorch, with random weights in BF16, writes word after word with a cache of keys and
values. The NVTX ranges are `prompt`, which is eager, and `words`, in which every word is one launch of a CUDA graph.

    rooflinectl profile --timeline -- python3 examples/generation.py --words 500
"""

import argparse
import sys
import time

try:
    import torch
except ImportError:
    sys.exit("generation.py: needs PyTorch: pip install torch")

WIDTH, HEADS, LAYERS, VOCABULARY, BATCH = 1024, 16, 12, 32000, 8
PROMPT, LENGTH = 128, 1024  # words; the cache has place for LENGTH
WARM_UP = 3


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = torch.nn.LayerNorm(WIDTH)
        self.project = torch.nn.Linear(WIDTH, 3 * WIDTH)
        self.combine = torch.nn.Linear(WIDTH, WIDTH)
        self.norm2 = torch.nn.LayerNorm(WIDTH)
        self.mlp = torch.nn.Sequential(
            torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.GELU(), torch.nn.Linear(4 * WIDTH, WIDTH))
        for name in ["keys", "values"]:
            self.register_buffer(name, torch.zeros(BATCH, HEADS, LENGTH, WIDTH // HEADS))

    def forward(self, x, positions, visible):
        projected = self.project(self.norm1(x)).view(BATCH, -1, 3, HEADS, WIDTH // HEADS)
        query, key, value = projected.permute(2, 0, 3, 1, 4)
        self.keys.index_copy_(2, positions, key)
        self.values.index_copy_(2, positions, value)
        y = torch.nn.functional.scaled_dot_product_attention(query, self.keys, self.values, attn_mask=visible)
        x = x + self.combine(y.transpose(1, 2).reshape(x.shape))
        return x + self.mlp(self.norm2(x))


class Writer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.places = torch.nn.Embedding(LENGTH, WIDTH)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.head = torch.nn.Linear(WIDTH, VOCABULARY)

    def forward(self, words, positions):
        """The word that follows `words` (batch × number), which stand at `positions`."""
        x = self.words(words) + self.places(positions)
        visible = torch.arange(LENGTH, device=words.device) <= positions[:, None]
        for block in self.blocks:
            x = block(x, positions, visible)
        return self.head(x[:, -1]).argmax(-1, keepdim=True)


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser(description="a small transformer writes words")
    parser.add_argument("--words", type=int, default=500, metavar="NUMBER", help=f"at most {LENGTH - PROMPT - 1}; default: 500")
    parser.add_argument("--texts", type=int, default=1, metavar="NUMBER", help="one after the other; default: 1")
    parser.add_argument("--eager", action="store_true", help="without a CUDA graph")
    options = parser.parse_args()
    if not 1 <= options.words <= LENGTH - PROMPT - 1:
        parser.error(f"--words: from 1 to {LENGTH - PROMPT - 1}")
    if options.texts < 1:
        parser.error("--texts: at least 1")
    if not torch.cuda.is_available():
        sys.exit("generation.py: PyTorch finds no GPU")

    torch.manual_seed(0)
    model = Writer().to("cuda", torch.bfloat16)
    text = torch.randint(0, VOCABULARY, (BATCH, LENGTH), device="cuda")
    last, place = text[:, :1].clone(), torch.zeros(1, dtype=torch.long, device="cuda")

    def write_word():
        last.copy_(model(last, place))
        place.add_(1)
        text.index_copy_(1, place, last)

    def read_prompt():
        last.copy_(model(text[:, :PROMPT], torch.arange(PROMPT, device="cuda")))
        place.fill_(PROMPT)
        text.index_copy_(1, place, last)

    step = write_word
    if not options.eager:
        place.fill_(PROMPT)  # what is written there is written again
        aside = torch.cuda.Stream()
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                write_word()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            write_word()
        step = graph.replay

    for _ in range(options.texts):
        with torch.cuda.nvtx.range("prompt"):
            read_prompt()
        torch.cuda.synchronize()
        start = time.perf_counter()
        with torch.cuda.nvtx.range("words"):
            for _ in range(options.words):
                step()
            torch.cuda.synchronize()
        took = time.perf_counter() - start
    print(f"{options.words} words in each of {BATCH} texts, {1e3 * took / options.words:.3f} ms per word; "
          f"sum of the words {int(text[:, PROMPT:PROMPT + options.words + 1].sum())}", flush=True)


if __name__ == "__main__":
    main()
