# SPDX-License-Identifier: Apache-2.0
"""The shipped recordings, for tests."""

import gzip
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "recordings"
REDUCTIONS = FOLDER / "reductions-h200/run.json.gz"


def recorded(file=REDUCTIONS):
    """The run in a recording."""
    return json.loads(gzip.decompress(file.read_bytes()))
