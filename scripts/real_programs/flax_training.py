# SPDX-License-Identifier: Apache-2.0
"""Training steps of a perceptron in flax, compiled by JAX, with plain gradient descent."""

import sys

import jax
import jax.numpy as jnp
from flax import linen


class Perceptron(linen.Module):
    @linen.compact
    def __call__(self, x):
        for _ in range(6):
            x = linen.LayerNorm()(linen.gelu(linen.Dense(4096, dtype=jnp.bfloat16)(x)))
        return linen.Dense(1000)(x)


model = Perceptron()
images = jax.random.normal(jax.random.key(0), (4096, 1024))
classes = jax.random.randint(jax.random.key(1), (4096,), 0, 1000)
weights = model.init(jax.random.key(2), images)


@jax.jit
def step(weights):
    def loss(weights):
        scores = jax.nn.log_softmax(model.apply(weights, images))
        return -jnp.take_along_axis(scores, classes[:, None], axis=1).mean()

    value, gradient = jax.value_and_grad(loss)(weights)
    return jax.tree.map(lambda weight, change: weight - 0.01 * change, weights, gradient), value


for _ in range(int(sys.argv[1])):
    weights, value = step(weights)
print(f"loss {float(value):.4f}")
