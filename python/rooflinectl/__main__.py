# SPDX-License-Identifier: Apache-2.0
"""`python -m rooflinectl ARGUMENTS` is `rooflinectl ARGUMENTS`."""

import os
import sys

from ._errors import Error
from ._program import find_program

try:
    program = find_program()
    os.execv(program, [program, *sys.argv[1:]])
except (Error, OSError) as error:
    sys.exit(f"{error}")
