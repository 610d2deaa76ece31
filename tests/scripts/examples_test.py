# SPDX-License-Identifier: Apache-2.0
"""The programs in examples/: they are built as they describe, and report why they cannot run."""

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
    def test_each_program_is_in_the_list_with_its_page_if_it_has_one(self):
        listed = (SOURCE / "examples/README.md").read_text()
        programs = [path for path in (SOURCE / "examples").iterdir()
                    if path.suffix in (".cu", ".py") and "rooflinectl profile" in path.read_text()]
        self.assertGreater(len(programs), 4)
        for program in programs:
            with self.subTest(program=program.name):
                self.assertIn(f"[{program.name}]({program.name})", listed)
                if not program.with_suffix(".md").exists():
                    continue
                self.assertIn(f"[{program.name}]({program.name}) · [page]({program.stem}.md)", listed)
                page = program.with_suffix(".md").read_text()
                for command in re.findall(r"^(?://|) {3,4}((?:nvcc|rooflinectl) .*)$", program.read_text(), re.MULTILINE):
                    self.assertIn(f"\n{command}\n", page)

    def build(self, name, folder):
        """With the line that the program names; its path."""
        line = re.search(r"^//   (nvcc .*)$", (SOURCE / f"examples/{name}.cu").read_text(), re.MULTILINE).group(1)
        words = shlex.split(line)
        words[0] = nvcc()
        words[words.index("-arch=native")] = "-arch=sm_90"
        words[words.index("-o") + 1] = program = f"{folder}/{name}"
        built = subprocess.run(words, cwd=SOURCE, capture_output=True, text=True, check=False)
        self.assertEqual((built.returncode, built.stdout + built.stderr), (0, ""))
        return program

    @unittest.skipIf(nvcc() is None, "no nvcc")
    def test_programs_are_built_by_the_line_that_they_name(self):
        for name in ["hello", "transpose", "matrix_sums"]:
            with self.subTest(program=name), tempfile.TemporaryDirectory() as folder:
                program = self.build(name, folder)
                if name == "matrix_sums":
                    usage = subprocess.run([program, "--steps", "none"], capture_output=True, text=True, check=False)
                    self.assertEqual((usage.returncode, usage.stderr), (2, "usage: matrix_sums [--steps NUMBER]\n"))
                if not os.path.exists("/dev/nvidiactl"):
                    no_gpu = subprocess.run([program], capture_output=True, text=True, check=False)
                    self.assertEqual(no_gpu.returncode, 1)
                    self.assertRegex(no_gpu.stderr, rf"{name}: .*CUDA")

    def test_python_programs_name_what_they_lack(self):
        no_gpu_1 = "rank 1 of this host has no GPU: PyTorch finds 0"
        for name, rank, lacks in [("training_step", {}, "PyTorch finds no GPU"), ("spectra", {}, ".*no CUDA|.*driver"),
                                  ("data_parallel_step", {}, "start it with torchrun"), ("data_parallel_step", {"LOCAL_RANK": "1"}, no_gpu_1)]:
            environment = dict(os.environ, PYTHONPATH="", CUDA_VISIBLE_DEVICES="", **rank)
            with self.subTest(program=name, **rank):
                result = subprocess.run([sys.executable, "-B", "-s", SOURCE / f"examples/{name}.py"],
                                        env=environment, capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, rf"^{name}.py: (needs PyTorch|needs CuPy|{lacks})")


if __name__ == "__main__":
    unittest.main()
