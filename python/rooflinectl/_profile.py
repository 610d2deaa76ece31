# SPDX-License-Identifier: Apache-2.0
"""Profiles commands and functions, each in a process of its own."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from ._call import CALLS_RANGE, write_script
from ._errors import Error, ProgramFailed
from ._program import find_program, message_of, own_options
from ._run import Run

#: Begins what `profile --json` prints after the program's own output.
_SUMMARY = '{"format":"rooflinectl-profile"'


def profile(program: Union[Sequence[str], Callable[..., object]], args: Sequence[Any] = (), kwargs: Optional[Mapping[str, Any]] = None, *,
            options: Sequence[str] = (), output: Union[str, "os.PathLike[str]"] = "runs", cwd: Optional[str] = None,
            env: Optional[Mapping[str, str]] = None) -> Run:
    """Runs a command, or a function in a new Python, under `rooflinectl profile`.

    program: a command as a list, or a function, called with `args` and `kwargs`. The function, its arguments and what it refers to
    must be picklable; lambdas, closures and functions of a notebook need the package cloudpickle. As with multiprocessing, a
    script that calls this needs `if __name__ == "__main__":`. What the function returns is lost.
    options: of `rooflinectl profile`, such as ["--samples", "10"]. output: the folder in which `<program>/<UTC time>/` is made. cwd
    and env: as for subprocess.run. What the program prints goes to sys.stdout and sys.stderr.

    Raises ProgramFailed, with the run so far, if the program fails, and Error if nothing could be profiled.
    """
    if callable(program):
        with tempfile.TemporaryDirectory(prefix="rooflinectl-") as folder:
            script = write_script(pathlib.Path(folder), program, args, kwargs or {})
            return _profile([sys.executable, str(script)], options, output, cwd, env)
    if isinstance(program, str):
        raise Error(f"the command is a list: {program.split()!r}")
    if args or kwargs:
        raise Error("args and kwargs are those of a function; a command has its arguments in its list")
    return _profile(list(map(os.fspath, program)), options, output, cwd, env)


@dataclasses.dataclass(frozen=True)
class Measured:
    """What a function does on the GPU."""

    #: Its kernels: `run.points`, the page in a notebook.
    run: Run
    #: How often it was called while it was measured.
    calls: int
    #: GPU time of a call in seconds: the median times of its kernels' launches, times their number, added up.
    time_s: float
    #: The work that was passed to `measure`, per second of `time_s`; None where none was.
    flop_per_s: Optional[float]
    bytes_per_s: Optional[float]


def measure(function: Callable[..., object], args: Sequence[Any] = (), kwargs: Optional[Mapping[str, Any]] = None, *,
            work: Optional[Mapping[str, float]] = None, calls: int = 20, warmup: int = 3, options: Sequence[str] = (),
            output: Union[str, "os.PathLike[str]"] = "runs") -> Measured:
    """Measures the kernels of one function, called `calls` times in a new Python after `warmup` calls that are not measured.

    function, args, kwargs, options and output: as for `profile`. work: the useful work of a call, {"flops": ..., "bytes": ...}, or
    one of them. Needs NVTX in that Python (see `region`). Raises Error if the function launches nothing on the GPU.
    """
    work = dict(work or {})
    if not set(work) <= {"flops", "bytes"}:
        raise Error(f"work has flops and bytes, not {', '.join(sorted(set(work) - {'flops', 'bytes'}))}")
    if calls < 1 or warmup < 0:
        raise Error("calls must be at least 1, and warmup at least 0")
    with tempfile.TemporaryDirectory(prefix="rooflinectl-") as folder:
        script = write_script(pathlib.Path(folder), function, args, kwargs or {}, calls, warmup)
        run = _profile([sys.executable, str(script)], ["--capture", f"nvtx:{CALLS_RANGE}", *own_options(options)], output, None, None)
    points = [point for point in run.rows("points") if point.get("launches")]
    if not points:
        raise Error(f"{getattr(function, '__name__', 'the function')} launched no kernels: {run.folder}")
    untimed = [point["label"] for point in points if point["time_s"] is None]
    if untimed:
        raise Error(f"no launch of {', '.join(untimed)} was timed: {run.folder}")
    time_s = sum(point["time_s"] * point["launches"] for point in points) / calls
    per_s = {name: amount / time_s for name, amount in work.items()}
    return Measured(run, calls, time_s, per_s.get("flops"), per_s.get("bytes"))


def _profile(command: List[str], options: Sequence[str], output: Union[str, "os.PathLike[str]"], cwd: Optional[str],
             env: Optional[Mapping[str, str]]) -> Run:
    own = [find_program(), "profile", "--json", "--quiet", "--output", os.path.abspath(output), *own_options(options)]
    with subprocess.Popen([*own, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          cwd=cwd, env=env) as process:
        errors: List[str] = []
        reader = threading.Thread(target=_forward_errors, args=(process.stderr, errors))
        reader.start()
        try:
            summary = _forward_output(process.stdout)
            reader.join()
            exit_code = process.wait()
        except BaseException:
            process.terminate()
            raise
    run = Run(summary["run"]) if summary else None
    if exit_code != 0:
        message = message_of("".join(errors[-20:]))
        raise ProgramFailed(f"{' '.join(command)} ended with exit code {exit_code}" + (f":\n{message}" if message else ""), exit_code, run)
    if run is None:
        raise Error(message_of("".join(errors[-20:])) or f"{' '.join(command)} left no run")
    return run


def _forward_output(pipe: Optional[IO[str]]) -> Dict[str, Any]:
    """Copies the program's lines to sys.stdout; returns the summary that follows them, or nothing."""
    assert pipe is not None
    last = ""
    for line in pipe:
        sys.stdout.write(last)
        sys.stdout.flush()
        last = line
    output, marker, rest = last.rpartition(_SUMMARY)
    sys.stdout.write(output if marker else last)
    sys.stdout.flush()
    summary: Dict[str, Any] = json.loads(marker + rest) if marker else {}
    return summary


def _forward_errors(pipe: Optional[IO[str]], lines: List[str]) -> None:
    assert pipe is not None
    for line in pipe:
        lines.append(line)
        sys.stderr.write(line)
        sys.stderr.flush()
