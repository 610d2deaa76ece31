# SPDX-License-Identifier: Apache-2.0
"""The Debian package: installed, used, upgraded and removed in a system that has nothing else."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

CPACK = pathlib.Path(os.environ["CMAKE_COMMAND"]).with_name("cpack")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def make_package(folder, *options):
    run(CPACK, "-G", "DEB", "-B", folder, *options, cwd=os.environ["BUILD_FOLDER"])
    (package,) = pathlib.Path(folder).glob("*.deb")
    return package


def setUpModule():
    global PACKAGE
    folder = unittest.enterModuleContext(tempfile.TemporaryDirectory())
    PACKAGE = make_package(f"{folder}/package")


class Deb(unittest.TestCase):
    def test_depends_on_glibc_alone(self):
        self.assertRegex(run("dpkg-deb", "--field", PACKAGE, "Depends"), r"^libc6 \(>= 2\.(28|36)\)\n$")

    def test_links_lead_to_what_it_brings(self):
        content = run("dpkg-deb", "--contents", PACKAGE)
        files = set(re.findall(r" \./(\S+)$", content, re.MULTILINE))
        links = re.findall(r" \./(\S+) -> /(\S+)$", content, re.MULTILINE)
        self.assertIn(("usr/bin/rooflinectl", "opt/rooflinectl/bin/rooflinectl"), links)
        self.assertIn("usr/share/man/man1/rooflinectl-profile.1", dict(links))
        self.assertIn("usr/share/bash-completion/completions/rooflinectl", dict(links))
        for _, target in links:
            self.assertIn(target, files)
        self.assertFalse([file for file in files if not re.match(r"(opt(/rooflinectl|$|/$)|usr(/|$))", file)])


class System(unittest.TestCase):
    """A Debian 12 with its essential packages only."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("mmdebstrap"):
            raise unittest.SkipTest("there is no mmdebstrap")
        if os.geteuid() != 0:
            raise unittest.SkipTest("only root can enter another system")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.root = cls.folder / "root"
        sources = [file for file in [pathlib.Path("/etc/apt/sources.list"), *pathlib.Path("/etc/apt/sources.list.d").glob("*")]
                   if file.is_file() and "bookworm" in file.read_text()]
        if not sources:
            raise unittest.SkipTest("this is no Debian 12")
        run("mmdebstrap", "--variant=essential", "--mode=root", "bookworm", cls.root, *sources)
        # The program finds its recordings by /proc/self/exe.
        run("mount", "-t", "proc", "proc", cls.root / "proc")
        cls.addClassCleanup(run, "umount", cls.root / "proc")

    def inside(self, *command):
        return run("chroot", self.root, *command)

    def install(self, package):
        shutil.copy(package, self.root / "package.deb")
        self.inside("dpkg", "--install", "/package.deb")
        (self.root / "package.deb").unlink()

    def files(self):
        return set(run("find", self.root, "-path", f"{self.root}/var", "-prune", "-o", "-path", f"{self.root}/proc", "-prune", "-o",
                       "-print").splitlines())

    def test_installs_runs_upgrades_and_goes(self):
        before = self.files()
        self.install(make_package(self.folder / "older", "-D", "CPACK_PACKAGE_VERSION=0.0.1"))
        self.install(PACKAGE)
        self.assertNotIn("0.0.1", self.inside("dpkg-query", "--show", "rooflinectl"))
        self.assertRegex(self.inside("rooflinectl", "--version"), r"^rooflinectl \d")
        self.inside("rooflinectl", "report", "/opt/rooflinectl/share/rooflinectl/recordings/reductions-h200", "--output", "/tmp/report")
        self.assertTrue((self.root / "tmp/report/report.html").is_file())
        shutil.rmtree(self.root / "tmp/report")
        self.inside("dpkg", "--purge", "rooflinectl")
        self.assertEqual(self.files() - before, set())


if __name__ == "__main__":
    unittest.main()
