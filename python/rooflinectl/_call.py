# SPDX-License-Identifier: Apache-2.0
"""Calls of a function in another Python: the script that makes them, and what it runs."""

from __future__ import annotations

import multiprocessing.spawn
import pathlib
import pickle
import re
import sys
from typing import Any, Callable, Mapping, Sequence

from ._errors import Error
from ._ranges import find_nvtx, region

#: The NVTX range around the calls that are measured.
CALLS_RANGE = "rooflinectl.measure"

#: Of what multiprocessing tells a process that it spawns: how to import as its parent does, and the parent's script.
_PREPARATION = ("sys_path", "sys_argv", "orig_dir", "init_main_from_name", "init_main_from_path")


def write_script(folder: pathlib.Path, function: Callable[..., object], args: Sequence[Any], kwargs: Mapping[str, Any], calls: int = 0,
                 warmup: int = 0) -> pathlib.Path:
    """Writes a script into `folder` that calls the function: once or, for a measurement, `warmup` and then `calls` times.

    It is named like the function. Raises Error if the function or its arguments cannot be pickled.
    """
    name = getattr(function, "__name__", "function")
    preparation = multiprocessing.spawn.get_preparation_data(name)
    (folder / "preparation").write_bytes(pickle.dumps({key: preparation[key] for key in _PREPARATION if key in preparation}))
    (folder / "call").write_bytes(_pickled((function, tuple(args), dict(kwargs), calls, warmup)))
    script = folder / f"{re.sub('[^A-Za-z0-9_]', '_', name).strip('_') or 'function'}.py"
    package = str(pathlib.Path(__file__).resolve().parent.parent)
    script.write_text(f"import sys\nsys.path.insert(0, {package!r})\nfrom rooflinectl._call import call\ncall({str(folder)!r})\n",
                      encoding="utf-8")
    return script


def call(folder: str) -> None:
    """Makes the calls that `write_script` wrote into `folder`."""
    multiprocessing.spawn.prepare(pickle.loads((pathlib.Path(folder) / "preparation").read_bytes()))
    function, args, kwargs, calls, warmup = pickle.loads((pathlib.Path(folder) / "call").read_bytes())
    if calls == 0:
        function(*args, **kwargs)
        return
    for _ in range(warmup):
        function(*args, **kwargs)
    if find_nvtx() is None:
        sys.exit("rooflinectl.measure needs NVTX: pip install nvtx")
    with region(CALLS_RANGE):
        for _ in range(calls):
            function(*args, **kwargs)
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_initialized():
            torch.cuda.synchronize()


def _pickled(value: object) -> bytes:
    try:
        import cloudpickle
    except ImportError:
        return _pickled_by_name(value)
    content: bytes = cloudpickle.dumps(value)
    return content


def _pickled_by_name(value: object) -> bytes:
    try:
        content = pickle.dumps(value)
        if b"__main__" in content and not hasattr(sys.modules["__main__"], "__file__"):
            raise pickle.PicklingError("another Python cannot import what a notebook or an interactive session defines")
        return content
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Error(f"the function cannot be called in another Python ({error}): pip install cloudpickle, or move it into a module") from error
