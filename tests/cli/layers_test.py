# SPDX-License-Identifier: Apache-2.0
"""The architecture, checked: who includes whom, which library is used where, and what the programs link."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

RULES = "tests/cli/layers.txt"
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

# A library's header -> the files that may include it.
MAY_USE = {
    r"yaml-cpp/": r"core/plan/yaml_reader\.(cpp|h)",
    r"nlohmann/": r"core/json/json\.h|reports/[a-z_/]+\.cpp",
    r"cairo|ft2build\.h": r"reports/draw/[a-z_]+\.cpp",
    r"png\.h": r"reports/draw/encoders\.cpp",
    r"zlib": r"core/files/compression\.cpp",
    r"zstd": r"core/files/compression\.cpp",
    r"sqlite3": r"readers/nsys/sqlite_reader\.cpp",
    r"protozero/": r"reports/formats/perfetto_encoder\.cpp|readers/ncu/ncu_report\.cpp",
    r"utf8(/.*)?\.h": r"core/text/printable\.cpp",
    r"cupti|nvperf": r"(collector/cupti|injection)/.*",
    r"cuda|cub/|nvtx3/|cooperative_groups": r"(collector|injection|kernels)/.*",
    r"CLI/": r"cli/(commands\.(cpp|h)|manual/command_manual\.(cpp|h)|commands/cmd_[a-z]+\.cpp)|collector/main\.cpp",
}


def may_include():
    """A folder -> those whose headers it may include, besides its own."""
    permissions = {}
    for line in (SOURCE / RULES).read_text().splitlines():
        if line.startswith("#"):
            continue
        row = re.fullmatch(r"([a-z_/]+): (nothing|[a-z_/*]+(?: [a-z_/*]+)*)", line)
        assert row, f"{RULES}: not `folder: folders` or `folder: nothing`: {line}"
        folder, others = row.groups()
        assert folder not in permissions, f"{RULES}: two rows for {folder}"
        permissions[folder] = [] if others == "nothing" else others.split()
    return permissions


def is_meant(permission, folder):
    """`core/*` means `core` and what is in it."""
    return folder == permission or (permission.endswith("/*") and (folder + "/").startswith(permission[:-1]))


def folder_of(file):
    return pathlib.PurePosixPath(file).parent.as_posix()


def sources():
    """Our C++ and CUDA files in the folders that CMake builds; tests may include everything."""
    for folder in sorted(set(re.findall(r"add_subdirectory\((\w+)", (SOURCE / "CMakeLists.txt").read_text())) - {"tests"}):
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in SUFFIXES and "node_modules" not in path.parts:
                yield path


def includes():
    """Every include: (file, included header)."""
    for path in sources():
        for header in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
            yield path.relative_to(SOURCE).as_posix(), header


class Layers(unittest.TestCase):
    def assert_none(self, mistakes):
        if mistakes:
            self.fail("\n".join(sorted(set(mistakes))))

    def test_every_folder_has_a_row(self):
        folders = {folder_of(path.relative_to(SOURCE)) for path in sources()}
        rows = may_include().keys()
        self.assertGreater(len(folders), 40)
        self.assert_none([f"{folder}/ has no row in {RULES}" for folder in folders - rows]
                         + [f"{RULES} has a row for {folder}/, which has no sources" for folder in rows - folders])

    def test_folders_include_what_their_rows_permit_and_nothing_else(self):
        rows = may_include()
        unused = {(folder, permission) for folder, permissions in rows.items() for permission in permissions}
        mistakes = []
        for file, header in includes():
            folder, other = folder_of(file), folder_of(header)
            if folder == other or folder not in rows or other not in rows:
                continue  # a library's, or of a folder without a row
            used = {(folder, permission) for permission in rows[folder] if is_meant(permission, other)}
            if not used:
                mistakes.append(f"{file} includes {header}, which {RULES} does not permit")
            unused -= used
        mistakes += [f"{RULES} permits {folder}/ to include {permission}, and no file does" for folder, permission in unused]
        self.assert_none(mistakes)

    def test_libraries_are_used_where_they_belong(self):
        for file, header in includes():
            for library, users in MAY_USE.items():
                if re.match(library, header):
                    self.assertRegex(file, f"^({users})$", f"{file} includes {header}")

    def test_rooflinectl_links_no_cuda(self):
        # Neither as shared libraries nor, as it is one static program, as archives.
        linked = subprocess.run(["readelf", "--dynamic", os.environ["ROOFLINECTL"]], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(linked, r"libcuda|libcudart|libcupti|libnv")
        self.assertNotIn(b"cudaLaunchKernel", pathlib.Path(os.environ["ROOFLINECTL"]).read_bytes())


if __name__ == "__main__":
    unittest.main()
