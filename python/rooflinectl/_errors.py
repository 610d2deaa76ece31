# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, and packages that may be missing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._run import Run


class Error(RuntimeError):
    """rooflinectl is missing, or refused what it was asked; the text says why and what to do."""


class ProgramFailed(Error):
    """A profiled program or function ended with another exit code than 0."""

    def __init__(self, message: str, exit_code: int, run: Optional[Run]) -> None:
        super().__init__(message)
        #: Of the program; 128 + N after signal N.
        self.exit_code = exit_code
        #: What was measured until then; None if nothing was.
        self.run = run


def require(module: str, purpose: str) -> Any:
    """Imports an optional package. Raises Error naming what to install if it is not there."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0].lower()
        raise Error(f"{purpose} needs {package}: pip install {package}") from error
