# SPDX-License-Identifier: Apache-2.0
"""A function that another Python can import, and that plays a CUDA program."""

import pathlib
import subprocess
import sys

GUEST = str(pathlib.Path(__file__).resolve().parent.parent / "cli/fake_guest.py")


def play(accident, note=""):
    print(note, flush=True)
    subprocess.run([sys.executable, GUEST, accident], check=True)
