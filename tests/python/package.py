# SPDX-License-Identifier: Apache-2.0
"""Lets tests import the package, and the helpers of tests/cli."""

import importlib.util
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PACKAGE = SOURCE / "python"
sys.path[:0] = [str(PACKAGE), str(SOURCE / "tests/cli")]


def needs(*modules):
    """Skips a test where one of these packages is not installed."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    return unittest.skipIf(missing, f"{sys.executable} lacks {', '.join(missing)} (Debian: {' '.join('python3-' + name.lower() for name in missing)})")
