# SPDX-License-Identifier: Apache-2.0
"""Programs in Python beside `rooflinectl-stress`: their results are sums of small integers, exact in whatever order they are added.

usage: stress_programs.py NAME [--seed NUMBER] [--scale NUMBER]    exits with 77 where what it needs is not there
"""

import argparse
import sys
import threading

SKIPPED = 77


def torch_threads(seed, scale):
    """Threads with streams, shapes and NVTX ranges of their own."""
    import torch
    from torch.cuda import nvtx
    results = {}

    def thread(number):
        generator = torch.Generator().manual_seed(seed * 100 + number)
        total = 0
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for step in range(int(400 * scale)):
                with nvtx.range(f"step {step}"), nvtx.range("forward"):
                    size = int(torch.randint(1, 300, (1,), generator=generator))
                    x = torch.randint(0, 8, (size, 64), generator=generator).cuda(non_blocking=True)
                    y = (x.float() @ x.float().T).relu().to(torch.int64)
                    total += int(y.sum()) if step % 8 == 0 else 0
                    z = torch.cat([x, x * 2]).cumsum(0).flip(0)
                if step % 50 == 0:
                    total += int(z.sum())
        stream.synchronize()
        results[number] = total

    threads = [threading.Thread(target=thread, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    print(sorted(results.items()))


class Items:
    """A data set whose workers open NVTX ranges in processes that are forked after CUDA is up."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        import torch
        from torch.cuda import nvtx
        with nvtx.range(f"item {index}"), nvtx.range("decode"):
            return torch.full((64,), index % 7)


def torch_loader(seed, scale):
    import torch
    from torch.cuda import nvtx
    from torch.utils.data import DataLoader
    total = torch.zeros((), dtype=torch.int64, device="cuda")
    for epoch in range(3):
        loader = DataLoader(Items(int(1000 * scale)), batch_size=10 + seed % 7, num_workers=4, pin_memory=True,
                            multiprocessing_context="fork")
        for batch in loader:
            with nvtx.range("train"):
                total += batch.cuda(non_blocking=True).square().sum() + epoch
    print(int(total))


def torch_graphs(seed, scale):
    """A graph is captured anew for each of several shapes, and replayed."""
    import torch
    total = 0
    for round_number in range(int(12 * scale)):
        x = torch.full((1 + (seed + round_number) % 50, 128), 3, device="cuda")
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            y = (x * 2 + 1).cumsum(0)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            y = (x * 2 + 1).cumsum(0)
        for replay in range(50):
            x.fill_(replay)
            graph.replay()
        total += int(y.sum())
    print(total)


def jax_steps(seed, scale):
    import jax
    import jax.numpy as jnp

    @jax.jit
    def step(x, w):
        return jnp.mod(x @ w + 1, 7)

    total = 0
    for size in (16, 64, 100, 128):
        x = jnp.mod(jnp.arange(size * size, dtype=jnp.float32).reshape(size, size) + seed, 5)
        w = jnp.mod(jnp.arange(size * size, dtype=jnp.float32).reshape(size, size), 3)
        for _ in range(int(200 * scale)):
            x = step(x, w)
        total += int(x.sum())
    print(total)


PROGRAMS = {"torch-threads": torch_threads, "torch-loader": torch_loader, "torch-graphs": torch_graphs, "jax-steps": jax_steps}


def has_gpu(name):
    if name.startswith("jax"):
        import jax
        return jax.default_backend() == "gpu"
    import torch
    return torch.cuda.is_available()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("name", choices=PROGRAMS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1)
    arguments = parser.parse_args()
    if not has_gpu(arguments.name):
        print("skipped: it finds no GPU")
        sys.exit(SKIPPED)
    PROGRAMS[arguments.name](arguments.seed, arguments.scale)


if __name__ == "__main__":
    main()
