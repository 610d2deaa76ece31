# SPDX-License-Identifier: Apache-2.0
"""The architecture, checked: who includes whom, which library is used where, and what the programs link."""

import os
import pathlib
import re
import subprocess
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

# A folder -> those whose headers it may include, besides its own. What is not named here is a mistake.
MAY_INCLUDE = {
    "core": set(),  # the errors
    "core/text": {"core"},
    "core/files": {"core"},
    "core/model": {"core"},
    "core/stats": {"core/model"},
    "core/plan": {"core", "core/text", "core/model"},
    "core/serial": {"core", "core/text", "core/files", "core/model", "core/stats"},
    "kernels": {"core/*"},
    "collector/device": {"core/*", "kernels"},
    "collector/timing": {"core/*", "kernels", "collector/device"},
    "collector/points": {"core/*", "kernels", "collector/device", "collector/timing"},
    "collector/cupti": {"core/*", "collector/device"},
    "collector/ceilings": {"core/*", "kernels", "collector/device", "collector/timing", "collector/cupti"},
    "collector/tuning": {"core/*", "kernels", "collector/device", "collector/timing"},
    "collector/sampling": {"core/*", "collector/device", "collector/cupti"},
    "collector/injection": {"core/*", "collector/cupti", "collector/sampling"},
    "collector": {"core/*", "kernels", "collector/*"},
    "analysis": {"core/*", "analysis/*"},
    "analysis/roofline": {"core/*", "analysis"},
    "analysis/explain": {"core/*", "analysis", "analysis/roofline"},
    "analysis/program": {"core/*", "analysis", "analysis/roofline"},
    "analysis/timeline": {"core/*", "analysis", "analysis/roofline"},
    "analysis/devices": {"core/*", "analysis", "analysis/roofline"},
    "analysis/compare": {"core/*", "analysis", "analysis/roofline"},
    "profilers": {"core/*"},
    "crosscheck": {"core/*", "analysis/*", "profilers"},
    "runner": {"core/*"},
    "runner/processes": {"core/*"},
    "runner/runs": {"core/*", "runner"},
    "runner/machine": {"core/*", "runner/processes", "runner/runs"},
    "runner/measuring": {"core/*", "runner", "runner/processes", "runner/runs", "runner/machine"},
    "runner/ranks": {"core/*", "runner", "runner/processes", "runner/runs", "runner/machine", "runner/measuring"},
    "runner/profiling/points": {"core/*"},
    "runner/profiling": {"core/*", "runner", "runner/processes", "runner/runs", "runner/machine", "runner/measuring", "runner/profiling/points"},
    "runner/merging": {"core/*", "runner", "runner/runs", "runner/measuring"},
    "runner/importing": {"core/*", "profilers", "runner", "runner/runs", "runner/profiling/*", "runner/crosscheck"},
    "runner/watching": {"core/*", "runner", "runner/processes", "runner/runs", "runner/machine", "runner/measuring", "runner/profiling/points"},
    "runner/crosscheck": {"core/*", "analysis/*", "profilers", "crosscheck", "runner/processes"},
    "reports/draw": {"core/*"},
    "reports/text": {"core/*"},
    "reports/tables": {"core/*", "analysis/*", "reports/text"},
    "reports/charts/model": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables"},
    "reports/charts/parts": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/model"},
    "reports/charts/layouts": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/model", "reports/charts/parts"},
    "reports": {"core/*", "analysis/*", "reports/*"},
    "reports/formats": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/*", "reports"},
    "reports/page": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/*", "reports/formats", "reports"},
    "reports/compare": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/*"},
    "reports/history": {"core/*", "analysis/*", "reports/text", "reports/draw", "reports/tables", "reports/charts/*", "reports/compare"},
    "cli/manual": {"core/*", "runner", "cli"},
    "cli": {"core/*", "analysis/*", "crosscheck", "runner/*", "reports/*"},
}

# A library's header -> the files that may include it.
MAY_USE = {
    r"yaml-cpp/": r"core/plan/yaml_reader\.(cpp|h)",
    r"nlohmann/": r"core/serial/json\.h|reports/[a-z_/]+\.cpp",
    r"cairo|ft2build\.h": r"reports/draw/([a-z_]+\.cpp|painter\.h)",
    r"png\.h": r"reports/draw/png\.cpp",
    r"zlib": r"core/files/(compression|unpacked_stream)\.cpp",
    r"zstd": r"core/files/compression\.cpp",
    r"sqlite3": r"profilers/sqlite_reader\.cpp",
    r"protozero/": r"reports/formats/perfetto_encoder\.cpp|profilers/ncu_report_fields\.h",
    r"utf8(/.*)?\.h": r"core/text/utf8\.cpp",
    r"cupti|nvperf": r"collector/(cupti|injection)/.*",
    r"cuda|cub/|nvtx3/|cooperative_groups": r"(collector|kernels)/.*",
    r"CLI/": r"cli/(command_line\.(cpp|h)|commands\.h|manual/command_manual\.cpp|cmd_[a-z]+\.cpp)|collector/main\.cpp",
}


def room_of(file):
    """The folder of MAY_INCLUDE that a file is in: the deepest one."""
    folder = pathlib.PurePosixPath(file).parent
    while folder.as_posix() not in MAY_INCLUDE and folder.parent != folder:
        folder = folder.parent
    return folder.as_posix()


def may_include(room, other):
    return other == room or any(
        other == allowed or (allowed.endswith("/*") and (other + "/").startswith(allowed[:-1])) for allowed in MAY_INCLUDE[room])


def includes():
    """Every include of our own folders: (file, included header)."""
    for folder in sorted({room.split("/")[0] for room in MAY_INCLUDE}):
        for path in sorted((SOURCE / folder).rglob("*")):
            if path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
                for header in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(), re.MULTILINE):
                    yield path.relative_to(SOURCE).as_posix(), header


class Layers(unittest.TestCase):
    def test_folders_include_only_what_lies_below_them(self):
        checked = 0
        for file, header in includes():
            room, other = room_of(file), room_of(header)
            if other not in MAY_INCLUDE:
                continue
            checked += 1
            self.assertTrue(may_include(room, other), f"{file} includes {header}")
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
