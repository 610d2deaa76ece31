# SPDX-License-Identifier: Apache-2.0
"""The wheel: what auditwheel would ask of it, and pip in a fresh environment."""

import base64
import csv
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ["BUILD_FOLDER"]
# Every Linux has these in the versions of the tag, and the machine with the GPU has the last two.
LIBRARIES = r"^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|cuda|cupti))\.so\.\d+$"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def setUpModule():
    global WHEEL, FOLDER
    if os.environ["ROOFLINECTL_STATIC"] != "ON":
        raise unittest.SkipTest("a wheel has a static program")
    FOLDER = pathlib.Path(unittest.enterModuleContext(tempfile.TemporaryDirectory()))
    run(os.environ["CMAKE_COMMAND"], "--install", BUILD, "--prefix", FOLDER / "installed")
    WHEEL = pathlib.Path(run(sys.executable, SOURCE / "scripts/build_wheel.py", FOLDER / "installed", FOLDER).strip())
    zipfile.ZipFile(WHEEL).extractall(FOLDER / "content")


class Content(unittest.TestCase):
    def binaries(self):
        found = [path for path in (FOLDER / "content").rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
        self.assertIn("rooflinectl", [path.name for path in found])
        return found

    def test_the_record_has_every_file_with_its_hash_and_size(self):
        with zipfile.ZipFile(WHEEL) as archive:
            (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
            rows = {name: (digest, size) for name, digest, size in csv.reader(archive.read(record).decode().splitlines())}
            self.assertEqual(list(rows), archive.namelist())
            self.assertEqual(rows.pop(record), ("", ""))
            for name, recorded in rows.items():
                content = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual(recorded, (f"sha256={digest}", str(len(content))), name)

    def test_no_binary_needs_a_newer_glibc_than_the_tag_or_another_library(self):
        tagged = tuple(map(int, re.search(r"-py3-none-manylinux_(\d+)_(\d+)_x86_64\.whl$", WHEEL.name).groups()))
        for path in self.binaries():
            for version in re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "--version-info", path)):
                self.assertLessEqual(tuple(map(int, version)), tagged, path.name)
            for library in re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", path)):
                self.assertRegex(library, LIBRARIES, path.name)

    def test_no_binary_names_the_folder_it_was_built_in(self):
        """Except in the names of the files by which kernels are registered: nvcc writes them as it was given them."""
        for path in self.binaries():
            for folder in [SOURCE, BUILD]:
                named = re.findall(re.escape(f"{folder}/".encode()) + rb"(?!kernels/\w+/\w+\.cu\0)[^\0]*", path.read_bytes())
                self.assertEqual(named, [], path.name)

    def test_has_the_licences_of_what_is_linked_in(self):
        licences = FOLDER / "content/rooflinectl/_install/share/doc/rooflinectl/licences"
        for package in ["libc6-dev", "libcairo2-dev", "libfmt-dev", "libfreetype-dev", "libsqlite3-dev", "libstdc++-12-dev",
                        "libyaml-cpp-dev", "nlohmann-json3-dev", "zlib1g-dev"]:
            found = list(licences.glob(re.sub(r"\d+-dev$", "*-dev", package) + ".txt"))
            self.assertTrue(found, package)
            self.assertRegex(found[0].read_text(errors="replace").lower(), "licen[cs]e|copyright", package)
        self.assertTrue(list((FOLDER / "content").glob("*.dist-info/LICENSE")))

    def test_is_the_same_when_made_again(self):
        again = run(sys.executable, SOURCE / "scripts/build_wheel.py", FOLDER / "installed", FOLDER / "again").strip()
        self.assertEqual(pathlib.Path(again).read_bytes(), WHEEL.read_bytes())


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run(sys.executable, "-m", "venv", FOLDER / "environment")
        cls.folder = FOLDER / "environment/bin"
        run(cls.folder / "pip", "install", "--no-index", WHEEL)

    def test_the_command_and_the_package_run_the_program_that_came_with_it(self):
        for command in [[self.folder / "rooflinectl"], [self.folder / "python", "-m", "rooflinectl"]]:
            nothing_else = {"PATH": "/nonexistent"}
            self.assertRegex(run(*command, "--version", env=nothing_else, cwd="/"), r"^rooflinectl \d")
            self.assertIn("reduce_v3_sequential", run(*command, "list", env=nothing_else, cwd="/"))


class FromAClone(unittest.TestCase):
    def test_pip_installs_the_package_alone_which_uses_the_program_that_it_is_told(self):
        """With Debian's setuptools: pip would download the same."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        python = folder / "environment/bin/python"
        shutil.copytree(SOURCE / "python", folder / "python", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
        run(sys.executable, "-m", "venv", "--system-site-packages", folder / "environment")
        run(python, "-m", "pip", "install", "--no-index", "--no-build-isolation", "./python", cwd=folder)
        shutil.rmtree(folder / "python")
        program = {"ROOFLINECTL": f"{BUILD}/bin/rooflinectl"}
        self.assertRegex(run(python, "-m", "rooflinectl", "--version", env=program, cwd="/"), r"^rooflinectl \d")
        load = f"import rooflinectl; print(len(rooflinectl.load('{SOURCE}/recordings/ladder-h200').rows('points')))"
        self.assertEqual(run(python, "-c", load, env=program, cwd="/"), "48\n")
        self.assertTrue(list((folder / "environment").rglob("rooflinectl/py.typed")))


if __name__ == "__main__":
    unittest.main()
