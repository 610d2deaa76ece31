# SPDX-License-Identifier: Apache-2.0
"""The installed folder: complete, movable, and in need of nothing but glibc."""

import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
GLIBC = r"linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv)\.so"
NVIDIA = r"lib(cuda|cupti)\.so"
NO_ENVIRONMENT = {}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        parent = pathlib.Path(cls.temporary.name)
        subprocess.run([os.environ["CMAKE_COMMAND"], "--install", os.environ["BUILD_FOLDER"], "--prefix", parent / "first"],
                       check=True, stdout=subprocess.DEVNULL)
        cls.folder = (parent / "first").rename(parent / "moved")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def binaries(self):
        return [path for folder in ["bin", "lib"] for path in (self.folder / folder).iterdir() if not path.is_symlink()]

    def test_has_what_it_should(self):
        self.assertTrue(os.access(self.folder / "bin/rooflinectl", os.X_OK))
        shared = self.folder / "share/rooflinectl"
        self.assertEqual((shared / "experiments.yaml").read_bytes(), (SOURCE / "experiments.yaml").read_bytes())
        for file in [*(SOURCE / "experiments").iterdir(), *(SOURCE / "examples").glob("*.*")]:
            self.assertEqual((shared / file.parent.name / file.name).read_bytes(), file.read_bytes())
        self.assertTrue((shared / "recordings").is_dir())
        self.assertTrue((self.folder / "share/man/man1/rooflinectl-run.1").is_file())

    def test_the_readme_links_to_what_is_installed(self):
        readme = self.folder / "share/doc/rooflinectl/README.md"
        for target in re.findall(r"\]\(([^)#:]+)", readme.read_text()):
            self.assertTrue((readme.parent / target).is_file(), target)

    def test_programs_find_every_library_in_the_folder(self):
        for program in (self.folder / "bin").iterdir():
            linked = subprocess.run(["/usr/bin/ldd", program], capture_output=True, text=True, env=NO_ENVIRONMENT,
                                    check=True).stdout
            for line in linked.splitlines():
                if not re.match(rf"\s*(/.*/)?({GLIBC}|{NVIDIA})", line):
                    self.assertIn(f"=> {self.folder}/bin/../lib/", line, program.name)

    def test_neither_glibc_nor_the_driver_is_included(self):
        for path in self.binaries():
            self.assertNotRegex(path.name, rf"^({GLIBC}|{NVIDIA})")

    def test_nothing_points_back_to_where_it_was_built(self):
        for path in self.binaries():
            dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            self.assertNotIn("RUNPATH", dynamic, path.name)  # it would not hold for the libraries of libraries
            for rpath in re.findall(r"Library rpath: \[(.*)\]", dynamic):
                self.assertEqual(rpath, "$ORIGIN/../lib", path.name)

    def test_runs_without_an_environment(self):
        result = subprocess.run([self.folder / "bin/rooflinectl", "run", self.folder / "share/rooflinectl/experiments.yaml",
                                 "--dry-run"], env=NO_ENVIRONMENT, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("reduce_v3_sequential", result.stdout)

    def test_reports_need_neither_fonts_nor_an_environment(self):
        plan = self.folder / "share/rooflinectl/experiments.yaml"

        def draw(folder, environment):
            with tempfile.TemporaryDirectory() as output:
                result = subprocess.run([folder / "rooflinectl", "run", plan, "--replay",
                                         self.folder / "share/rooflinectl/recordings/reductions-h200", "--output", output],
                                        env=environment, cwd="/", capture_output=True, text=True, check=False)
                self.assertEqual(result.returncode, 0, result.stderr)
                return (pathlib.Path(output) / "reductions/latest/roofline.png").read_bytes()

        no_fonts = pathlib.Path(self.temporary.name) / "no-fonts.conf"
        no_fonts.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
        here = draw(pathlib.Path(os.environ["ROOFLINECTL"]).parent, os.environ)
        self.assertEqual(draw(self.folder / "bin", NO_ENVIRONMENT), here)
        self.assertEqual(draw(self.folder / "bin", {"FONTCONFIG_FILE": str(no_fonts), "HOME": "/nonexistent"}), here)

    def test_the_archive_is_small(self):
        with tempfile.TemporaryDirectory() as output:
            cpack = pathlib.Path(os.environ["CMAKE_COMMAND"]).with_name("cpack")
            subprocess.run([cpack, "-G", "TGZ", "-B", output], cwd=os.environ["BUILD_FOLDER"], check=True, stdout=subprocess.DEVNULL)
            (archive,) = pathlib.Path(output).glob("rooflinectl-*.tar.gz")
            self.assertLess(archive.stat().st_size, 64 << 20)
            with tarfile.open(archive) as files:
                self.assertTrue(any(name.endswith("/bin/rooflinectl") for name in files.getnames()))


if __name__ == "__main__":
    unittest.main()
