# SPDX-License-Identifier: Apache-2.0
"""The installed folder: complete, movable, and in need of no library that others would have to install."""

import ctypes
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tarfile
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
# What comes with every glibc, and what the machine with the GPU has.
SYSTEM_OR_CUDA = r"^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|cuda|cupti))\.so\.\d+$"
NO_ENVIRONMENT = {}
STATIC = unittest.skipUnless(os.environ["ROOFLINECTL_STATIC"] == "ON", "rooflinectl is linked with shared libraries")


def refuse_newer_system_calls():
    """From here on, this process has the system calls of Linux 3.10 on x86-64; the kernel does not know any newer one."""
    finit_module, enosys = 313, 38
    load, greater, answer = 0x20, 0x25, 0x06  # BPF_LD|BPF_W|BPF_ABS, BPF_JMP|BPF_JGT|BPF_K, BPF_RET|BPF_K
    fail, allow = 0x00050000 | enosys, 0x7FFF0000  # SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW
    steps = [(load, 0, 0, 0), (greater, 0, 1, finit_module), (answer, 0, 0, fail), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    call = ctypes.CDLL(None, use_errno=True).prctl
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    if call(no_new_privileges, 1, 0, 0, 0) != 0 or call(seccomp, filter_mode, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system calls cannot be filtered")


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
        return [*(self.folder / "bin").iterdir(), *(self.folder / "lib").glob("*")]

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

    @STATIC
    def test_rooflinectl_is_static(self):
        segments = subprocess.run(["readelf", "--program-headers", self.folder / "bin/rooflinectl"], capture_output=True, text=True,
                                  check=True).stdout
        self.assertNotIn("INTERP", segments)
        self.assertIn("GNU_EH_FRAME", segments)  # without which the first exception takes 5 ms

    @STATIC
    def test_what_needs_libraries_needs_those_of_the_system_and_of_cuda_alone(self):
        for path in self.binaries():
            dynamic = subprocess.run(["readelf", "--dynamic", path], capture_output=True, text=True, check=True).stdout
            self.assertNotRegex(dynamic, "RPATH|RUNPATH", path.name)
            for library in re.findall(r"NEEDED.*\[(.*)\]", dynamic):
                self.assertRegex(library, SYSTEM_OR_CUDA, path.name)

    def test_brings_no_library_of_others(self):
        for path in self.binaries():
            self.assertRegex(path.name, "^(lib)?rooflinectl")

    @STATIC
    def test_runs_where_there_is_nothing_else(self):
        if os.geteuid() != 0:
            self.skipTest("only root can enter another system")
        with tempfile.TemporaryDirectory() as root:
            shutil.copytree(self.folder, f"{root}/rooflinectl")
            (pathlib.Path(root) / "proc/self").mkdir(parents=True)
            (pathlib.Path(root) / "proc/self/exe").symlink_to("/rooflinectl/bin/rooflinectl")
            subprocess.run(["/rooflinectl/bin/rooflinectl", "report", "/rooflinectl/share/rooflinectl/recordings/reductions-h200",
                            "--output", "/report"], preexec_fn=lambda: os.chroot(root), cwd="/", env=NO_ENVIRONMENT, check=True,
                           stdout=subprocess.DEVNULL)
            self.assertTrue(os.path.exists(f"{root}/report/report.html"))

    @STATIC
    def test_runs_on_the_system_calls_of_linux_3_10(self):
        with tempfile.TemporaryDirectory() as output:
            subprocess.run([self.folder / "bin/rooflinectl", "run", self.folder / "share/rooflinectl/experiments.yaml", "--replay",
                            self.folder / "share/rooflinectl/recordings/reductions-h200", "--output", output],
                           preexec_fn=refuse_newer_system_calls, env=NO_ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)
            self.assertTrue((pathlib.Path(output) / "reductions/latest/report.html").is_file())

    def test_has_the_licences_of_what_is_linked_in(self):
        if not shutil.which("dpkg-query"):
            self.skipTest("the licences are those of Debian's packages")
        licences = self.folder / "share/doc/rooflinectl/licences"
        for package in ["libc6-dev", "libcairo2-dev", "libcli11-dev", "libfmt-dev", "libfreetype-dev", "libsqlite3-dev", "libstdc++-*-dev",
                        "libyaml-cpp-dev", "nlohmann-json3-dev", "zlib1g-dev"]:
            (licence,) = licences.glob(f"{package}.txt")
            self.assertRegex(licence.read_text(errors="replace").lower(), "copyright", package)

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
