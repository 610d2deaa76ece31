# SPDX-License-Identifier: Apache-2.0
"""`%%rooflinectl` in IPython and Jupyter: `%load_ext rooflinectl`."""

from __future__ import annotations

import pathlib
import shlex
import sys
import tempfile
from typing import Any

from ._profile import profile
from ._run import Run


def profile_cell(line: str, cell: str) -> Run:
    """Profiles the cell as a program of its own: it does not see the notebook's variables, nor the notebook its.

    The line has options of `rooflinectl profile`: `%%rooflinectl --samples 10`. The run, whose page the notebook shows, goes into
    runs/notebook_cell/.
    """
    with tempfile.TemporaryDirectory(prefix="rooflinectl-") as folder:
        script = pathlib.Path(folder) / "notebook_cell.py"
        script.write_text(cell, encoding="utf-8")
        return profile([sys.executable, str(script)], options=shlex.split(line))


def load_ipython_extension(ipython: Any) -> None:
    """Called by `%load_ext rooflinectl`."""
    ipython.register_magic_function(profile_cell, magic_kind="cell", magic_name="rooflinectl")
