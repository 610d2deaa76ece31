# SPDX-License-Identifier: Apache-2.0
"""The architecture, checked: who includes whom, which library is used where, and what the programs link."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

MAY_INCLUDE = {
    "core": set(),
    "kernels": {"core"},
    "collector": {"core", "kernels"},
    "analysis": {"core"},
    "reports": {"core", "analysis"},
    "crosscheck": {"core", "analysis"},
    "cli": {"core", "analysis", "crosscheck", "reports"},
}

# A library's header -> the files that may include it.
MAY_USE = {
    r"yaml-cpp/": r"core/yaml_reader\.(cpp|h)",
    r"nlohmann/": r"core/json_fields\.h|reports/[a-z_]+\.cpp",
    r"cairo|ft2build\.h": r"reports/([a-z_]+\.cpp|painter\.h)",
    r"zlib": r"reports/deflate\.cpp",
    r"sqlite3": r"crosscheck/sqlite_reader\.cpp",
    r"cupti|nvperf": r"collector/cupti/.*",
    r"cuda|cub/|nvtx3/|cooperative_groups": r"(collector|kernels)/.*",
    r"CLI/": r"cli/(command_line\.(cpp|h)|commands\.h|cmd_[a-z]+\.cpp|main\.cpp)|collector/main\.cpp",
}

def includes():
    """Every include of our own folders: (file, included header)."""
    for folder in MAY_INCLUDE:
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
                for header in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
                    yield path.relative_to(SOURCE).as_posix(), header


class Layers(unittest.TestCase):
    def test_folders_include_only_what_lies_below_them(self):
        checked = 0
        for file, header in includes():
            folder, below = file.split("/")[0], header.split("/")[0]
            if below not in MAY_INCLUDE:
                continue
            checked += 1
            self.assertIn(below, MAY_INCLUDE[folder] | {folder}, f"{file} includes {header}")
        self.assertGreater(checked, 100)

    def test_libraries_are_used_where_they_belong(self):
        for file, header in includes():
            for library, users in MAY_USE.items():
                if re.match(library, header):
                    self.assertRegex(file, f"^({users})$", f"{file} includes {header}")

    def test_rooflinectl_links_no_cuda(self):
        linked = subprocess.run(["ldd", os.environ["ROOFLINECTL"]], capture_output=True, text=True, check=True).stdout
        self.assertIn("libstdc++", linked)
        self.assertNotRegex(linked, r"libcuda|libcudart|libcupti|libnv")
        # Nor is the CUDA runtime in it as a static library.
        self.assertNotIn(b"cudaLaunchKernel", pathlib.Path(os.environ["ROOFLINECTL"]).read_bytes())


if __name__ == "__main__":
    unittest.main()
