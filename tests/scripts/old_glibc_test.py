# SPDX-License-Identifier: Apache-2.0
"""What is loaded into other people's programs, and runs beside them, needs glibc 2.28 at most."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

OLDEST = (2, 28)
PROGRAM = pathlib.Path(os.environ["PROGRAM"])
BINARIES = pathlib.Path(os.environ["BINARIES"])
COLLECTOR = BINARIES / "rooflinectl-collector"
INJECTION = BINARIES / "librooflinectl-injection.so"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


@unittest.skipUnless(os.environ["ROOFLINECTL_STATIC"] == "ON", "packages for other systems are built on Debian 12")
class Symbols(unittest.TestCase):
    def test_none_is_newer(self):
        for path in [PROGRAM, *filter(pathlib.Path.exists, [COLLECTOR]), *BINARIES.glob("*.so")]:
            symbols = re.findall(r"\(?GLIBC_(\d+)\.(\d+)\S*\s+(\S+)", run("objdump", "--dynamic-syms", path))
            self.assertTrue(symbols, path.name)
            # In which older versions have some of the functions.
            needed = run("readelf", "--dynamic", path)
            self.assertIn("[libpthread.so.0]", needed, path.name)
            self.assertIn("[libdl.so.2]", needed, path.name)
            self.assertEqual([symbol for *version, symbol in symbols if tuple(map(int, version)) > OLDEST], [], path.name)

    def test_the_functions_do_what_those_of_glibc_do(self):
        run(PROGRAM)


class Debian11(unittest.TestCase):
    """The oldest system that can be had here, with glibc 2.31."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("mmdebstrap") or os.geteuid() != 0:
            raise unittest.SkipTest("only root can enter another system, which mmdebstrap makes")
        if os.environ["ROOFLINECTL_STATIC"] != "ON" or "bookworm" not in pathlib.Path("/etc/os-release").read_text():
            raise unittest.SkipTest("this is no Debian 12")
        cls.root = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "root"
        run("mmdebstrap", "--variant=extract", "--include=libc6,libgcc-s1,coreutils", "--mode=root", "bullseye", cls.root,
            "http://deb.debian.org/debian")

    def inside(self, *command):
        return subprocess.run(["chroot", self.root, *command], capture_output=True, text=True, check=False)

    def assert_starts(self, path, *command):
        shutil.copy(path, self.root)
        result = self.inside(*command)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_the_functions_do_what_those_of_glibc_do(self):
        self.assert_starts(PROGRAM, f"/{PROGRAM.name}")

    @unittest.skipUnless(COLLECTOR.exists(), "there is no collector")
    def test_the_collector_and_what_is_loaded_into_programs_start(self):
        self.assert_starts(COLLECTOR, f"/{COLLECTOR.name}", "--catalogue")
        self.assert_starts(INJECTION, "env", f"LD_PRELOAD=/{INJECTION.name}", "true")


if __name__ == "__main__":
    unittest.main()
