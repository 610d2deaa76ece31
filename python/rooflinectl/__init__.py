# SPDX-License-Identifier: Apache-2.0
"""Roofline measurements of CUDA kernels, from Python and notebooks.

The program `rooflinectl` measures and analyses; this package starts it and reads what it writes. It needs the standard library
alone: pandas, matplotlib and IPython are imported where they are used.

    import rooflinectl
    run = rooflinectl.profile(["python3", "train.py", "--steps", "20"])
    run.points.sort_values("recoverable_s", ascending=False).head()
    rooflinectl.roofline(run).savefig("roofline.png")
"""

from ._errors import Error, ProgramFailed
from ._notebook import load_ipython_extension
from ._picture import roofline
from ._profile import Measured, measure, profile
from ._program import find_program
from ._ranges import region
from ._run import Run, load

__all__ = ["Error", "Measured", "ProgramFailed", "Run", "find_program", "load", "load_ipython_extension", "measure", "profile", "region", "roofline"]
