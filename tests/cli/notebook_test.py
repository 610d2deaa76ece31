# SPDX-License-Identifier: Apache-2.0
"""examples/notebook.py reads a recording and draws it, where pandas and matplotlib are installed."""

import gzip
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PNG = b"\x89PNG\r\n\x1a\n"


def python_with_pandas():
    """The interpreter of this test or that of the system, whichever has both packages; None if neither has."""
    for python in [sys.executable, "/usr/bin/python3"]:
        if subprocess.run([python, "-c", "import matplotlib, pandas"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return python
    return None


PYTHON = python_with_pandas()


@unittest.skipUnless(PYTHON, "no Python has pandas and matplotlib (Debian: python3-pandas python3-matplotlib)")
class Notebook(unittest.TestCase):
    def test_redraws_a_run(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            recording = SOURCE / "recordings/reductions-h200/run.json.gz"
            (folder / "run.json").write_bytes(gzip.decompress(recording.read_bytes()))
            subprocess.run([os.environ["ROOFLINECTL"], "report", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            environment = dict(os.environ, MPLBACKEND="agg", MPLCONFIGDIR=name)
            result = subprocess.run([PYTHON, SOURCE / "examples/notebook.py", folder, folder / "picture.png"], env=environment,
                                    capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertTrue((folder / "picture.png").read_bytes().startswith(PNG))
            header, *rows = result.stdout.splitlines()
            self.assertEqual(header.split(), ["label", "time_s", "fraction_of_roofline", "bound"])
            self.assertEqual(rows[-1].split()[0], "V8")


if __name__ == "__main__":
    unittest.main()
