# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/: they are built as they say, and tell why they cannot run."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def nvcc():
    """The path of nvcc, or None."""
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ] + ["/usr/local/cuda"]
    return shutil.which("nvcc") or next((path for path in (f"{home}/bin/nvcc" for home in homes) if os.access(path, os.X_OK)), None)


class Examples(unittest.TestCase):
    def test_matrix_sums_is_built_by_the_line_that_it_names(self):
        if nvcc() is None:
            self.skipTest("no nvcc")
        line = re.search(r"^//   (nvcc .*)$", (SOURCE / "examples/matrix_sums.cu").read_text(), re.MULTILINE).group(1)
        self.assertIn(line, (SOURCE / "examples/README.md").read_text())
        with tempfile.TemporaryDirectory() as folder:
            words = shlex.split(line)
            words[0] = nvcc()
            words[words.index("-arch=native")] = "-arch=sm_90"
            words[words.index("-o") + 1] = program = f"{folder}/matrix_sums"
            built = subprocess.run(words, cwd=SOURCE, capture_output=True, text=True, check=False)
            self.assertEqual((built.returncode, built.stdout + built.stderr), (0, ""))

            usage = subprocess.run([program, "--steps", "none"], capture_output=True, text=True, check=False)
            self.assertEqual((usage.returncode, usage.stderr), (2, "usage: matrix_sums [--steps NUMBER]\n"))
            if not os.path.exists("/dev/nvidiactl"):
                no_gpu = subprocess.run([program], capture_output=True, text=True, check=False)
                self.assertEqual(no_gpu.returncode, 1)
                self.assertRegex(no_gpu.stderr, r"matrix_sums: .*CUDA")

    def run_python(self, program, **variables):
        environment = dict(os.environ, PYTHONPATH="", CUDA_VISIBLE_DEVICES="", **variables)
        return subprocess.run([sys.executable, "-B", "-s", SOURCE / "examples" / program],
                              env=environment, capture_output=True, text=True, check=False)

    def test_training_step_names_what_it_lacks(self):
        result = self.run_python("training_step.py")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^training_step.py: (needs PyTorch|PyTorch finds no GPU)")

    def test_data_parallel_step_names_what_it_lacks(self):
        result = self.run_python("data_parallel_step.py")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^data_parallel_step.py: (needs PyTorch|start it with torchrun)")
        result = self.run_python("data_parallel_step.py", LOCAL_RANK="1")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"^data_parallel_step.py: (needs PyTorch|rank 1 of this host has no GPU: PyTorch finds 0)")


if __name__ == "__main__":
    unittest.main()
