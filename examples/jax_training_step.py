# SPDX-License-Identifier: Apache-2.0
"""A program to profile: training steps of a small transformer in JAX, in BF16 with weights in FP32, with plain gradient descent. XLA
makes one CUDA graph, or a few, of a whole step.

    rooflinectl profile -- python3 examples/jax_training_step.py --steps 1000
"""

import argparse
import statistics
import sys
import time

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit("jax_training_step.py: needs JAX: pip install 'jax[cuda13]'")

WIDTH, HEADS, LAYERS, VOCABULARY, BATCH, LENGTH = 1024, 16, 6, 16000, 16, 512
RATE = 0.01


def new_weights(key):
    def normal(*shape):
        nonlocal key
        key, own = jax.random.split(key)
        return 0.02 * jax.random.normal(own, shape)

    layers = [{"project": normal(WIDTH, 3 * WIDTH), "combine": normal(WIDTH, WIDTH), "widen": normal(WIDTH, 4 * WIDTH),
               "narrow": normal(4 * WIDTH, WIDTH)} for _ in range(LAYERS)]
    return {"words": normal(VOCABULARY, WIDTH), "head": normal(WIDTH, VOCABULARY), "layers": layers}


def normalised(x):
    wide = x.astype(jnp.float32)
    wide = wide - wide.mean(-1, keepdims=True)
    return (wide * jax.lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype)


def product(x, weights):
    return x @ weights.astype(x.dtype)


def scores_of(weights, words):
    x = weights["words"][words].astype(jnp.bfloat16)
    for layer in weights["layers"]:
        projected = product(normalised(x), layer["project"]).reshape(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS)
        y = jax.nn.dot_product_attention(projected[:, :, 0], projected[:, :, 1], projected[:, :, 2], is_causal=True)
        x = x + product(y.reshape(BATCH, LENGTH, WIDTH), layer["combine"])
        x = x + product(jax.nn.gelu(product(normalised(x), layer["widen"])), layer["narrow"])
    return product(normalised(x), weights["head"]).astype(jnp.float32)


@jax.jit
def step(weights, words, next_words):
    def loss(weights):
        chances = jax.nn.log_softmax(scores_of(weights, words))
        return -jnp.take_along_axis(chances, next_words[..., None], axis=-1).mean()

    value, gradient = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda weight, change: weight - RATE * change, weights, gradient), value


def main():
    parser = argparse.ArgumentParser(description="training steps of a small transformer in JAX")
    parser.add_argument("--steps", type=int, default=300, metavar="NUMBER", help="default: 300")
    steps = parser.parse_args().steps
    if steps < 1:
        parser.error("--steps: at least 1")
    if jax.default_backend() != "gpu":
        sys.exit("jax_training_step.py: JAX finds no GPU")

    keys = jax.random.split(jax.random.key(0), 3)
    weights = new_weights(keys[0])
    words = jax.random.randint(keys[1], (BATCH, LENGTH), 0, VOCABULARY)
    next_words = jax.random.randint(keys[2], (BATCH, LENGTH), 0, VOCABULARY)
    times = []
    for _ in range(steps):
        start = time.perf_counter()
        weights, value = step(weights, words, next_words)
        value.block_until_ready()
        times.append(time.perf_counter() - start)

    last = times[-((steps + 3) // 4):]
    print(f"{steps} steps, the median of the last {len(last)} took {1e3 * statistics.median(last):.3f} ms per step; "
          f"loss {float(value):.4f}", flush=True)


if __name__ == "__main__":
    main()
