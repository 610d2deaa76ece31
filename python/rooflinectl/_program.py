# SPDX-License-Identifier: Apache-2.0
"""The program `rooflinectl`: where it is, and calls of it."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import List, Sequence, Union

from ._errors import Error

Argument = Union[str, "os.PathLike[str]"]


def find_program() -> str:
    """The path of the program that this package calls.

    The one that was installed with the package, else the one that the environment variable ROOFLINECTL names, else the one on
    the PATH. Raises Error if there is none.
    """
    installed = pathlib.Path(__file__).resolve().parent / "_install/bin/rooflinectl"
    if installed.is_file():
        return str(installed)
    named = os.environ.get("ROOFLINECTL", "")
    if named and not os.access(named, os.X_OK):
        raise Error(f"ROOFLINECTL={named}: there is no such program")
    found = named or shutil.which("rooflinectl")
    if not found:
        raise Error("the program rooflinectl was not found: add its folder to the PATH, or set ROOFLINECTL to its path")
    return os.path.abspath(found)


def call(*arguments: Argument) -> str:
    """What `rooflinectl ARGUMENTS` prints. Raises Error with its message if it fails."""
    command = [find_program(), *[os.fspath(argument) for argument in arguments]]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if result.returncode != 0:
        raise Error(message_of(result.stderr) or f"{' '.join(command)} ended with exit code {result.returncode}")
    return result.stdout


def message_of(printed: str) -> str:
    """What rooflinectl printed, without empty lines at its ends."""
    return printed.strip()


def own_options(options: Sequence[str]) -> List[str]:
    """Options for the program; raises Error if they are one text, which would be taken letter by letter."""
    if isinstance(options, str):
        raise Error(f"options are a list: {options.split()!r}")
    return list(options)
