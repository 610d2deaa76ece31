# SPDX-License-Identifier: Apache-2.0
"""Triton takes a kernel's source from its module."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)
