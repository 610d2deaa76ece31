# SPDX-License-Identifier: Apache-2.0
"""scripts/compare_real_programs.py with stand-ins for rooflinectl, GPUs and a package."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"

# Enough of both for numba_kernels.py to come to its end.
NUMPY = """\
row_stack = float32 = float
def ones(count, dtype): return []
zeros = ones
"""
NUMBA = """\
import types
class Kernel:
    def __getitem__(self, shape): return lambda *arguments: None
cuda = types.SimpleNamespace(jit=lambda function: Kernel(), to_device=lambda array: array,
                             device_array=lambda count, dtype: types.SimpleNamespace(copy_to_host=lambda: [1.0]))
float32 = float
"""
ROOFLINECTL = """\
#!/bin/sh
# profile --once --json --output DIR -- PROGRAM...
[ "$1 $2 $3 $4 $6" = "profile --once --json --output --" ] || exit 2
output=$5
shift 6
"$@" || exit $?
cp "$(dirname "$0")/run.json" "$output/run.json"
echo '{"run": "'"$output"'/run.json", "groups": 7, "counted_share": 0.9375, "counted_share_of_steps": 0.96875, "application": {"wall_s": 100, "launches": 6000}}'
"""


class RealPrograms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("installed/bin/rooflinectl", ROOFLINECTL)
        self.write("installed/bin/run.json", json.dumps({"measurements": [{"launches": {"counted": 200}}, {"subject": "a_variant"}]}))
        self.write("packages/numpy.py", NUMPY)
        self.write("packages/numba.py", NUMBA)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def compare(self, *arguments, gpus=1):
        self.write("tools/nvidia-smi", "#!/bin/sh\n" + "echo GPU\n" * gpus)
        environment = {"PATH": f"{self.folder}/tools:/usr/bin:/bin", "PYTHONPATH": str(self.folder / "packages")}
        return subprocess.run([sys.executable, SCRIPTS / "compare_real_programs.py", self.folder / "installed", *arguments],
                              env=environment, capture_output=True, text=True, check=False)

    def test_what_profile_adds_to_a_program(self):
        (self.folder / "kept").mkdir()
        result = self.compare("numba_kernels", "--output", str(self.folder / "kept"))
        self.assertEqual(result.returncode, 0, result.stderr)
        header, _, row = result.stdout.splitlines()
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        self.assertEqual(len(cells), header.count("|") - 1)
        plain, added = float(cells[1]), float(cells[2])
        self.assertAlmostEqual(plain + added, 100, places=1)
        self.assertEqual((cells[0], cells[3:]), ("`numba_kernels`", ["4.30", "6000", "200", "7", "93.75 %", "96.88 %"]))
        self.assertTrue((self.folder / "kept/run.json").is_file())

    def test_what_cannot_run_is_named(self):
        result = self.compare("nccl_ranks", "cupy_fft")
        self.assertEqual(result.returncode, 0)
        self.assertIn("nccl_ranks is left out: it needs torch and 2 GPUs", result.stderr)
        self.assertIn("cupy_fft is left out: it needs cupy and 1 GPU\n", result.stderr)

    def test_without_a_gpu(self):
        result = self.compare(gpus=0)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("there is no GPU", result.stderr)

    def test_an_unknown_program(self):
        result = self.compare("numba")
        self.assertEqual(result.returncode, 2)
        self.assertIn("there is no program 'numba'", result.stderr)

    def test_each_program_of_the_catalogue_is_there(self):
        listed = self.compare("--help").stdout
        for program in (SCRIPTS / "real_programs").glob("*.py"):
            self.assertIn(program.stem, listed)


if __name__ == "__main__":
    unittest.main()
