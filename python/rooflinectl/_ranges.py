# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges, by whichever library the process has."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from typing import Callable, Iterator, NamedTuple, Optional


class _Nvtx(NamedTuple):
    push: Callable[[str], object]
    pop: Callable[[], object]


@functools.lru_cache(maxsize=None)
def _of_package() -> Optional[_Nvtx]:
    try:
        import nvtx
    except ImportError:
        return None
    return _Nvtx(nvtx.push_range, nvtx.pop_range)


def _of_torch() -> Optional[_Nvtx]:
    torch = sys.modules.get("torch")  # a program that does not use it is not made to load it
    if torch is None or not torch.cuda.is_initialized():
        return None
    return _Nvtx(torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop)


@functools.lru_cache(maxsize=None)
def _of_library() -> Optional[_Nvtx]:
    for name in ["libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvtx3interop.so"]:
        try:
            library = ctypes.CDLL(name)
            push, pop = library.nvtxRangePushA, library.nvtxRangePop
        except (OSError, AttributeError):
            continue
        return _Nvtx(lambda text: push(text.encode()), pop)
    return None


def find_nvtx() -> Optional[_Nvtx]:
    """The package `nvtx`, else PyTorch's ranges if PyTorch is loaded, else CUDA's library; None if there is none."""
    return _of_package() or _of_torch() or _of_library()


@contextlib.contextmanager
def region(name: str) -> Iterator[None]:
    """An NVTX range around a block or, as a decorator, around each call of a function.

    Reports of `rooflinectl profile` list kernels by the ranges that they were launched in. Does nothing in a process without
    NVTX: the package `nvtx`, PyTorch, or CUDA's libnvToolsExt.
    """
    nvtx = find_nvtx()
    if nvtx is None:
        yield
        return
    nvtx.push(name)
    try:
        yield
    finally:
        nvtx.pop()
