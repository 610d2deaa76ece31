# SPDX-License-Identifier: Apache-2.0
"""examples/known_work.py compares a run with what is known: exact work passes, and nothing that is missing or wrong does."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "examples/known_work.py"
SPEC = importlib.util.spec_from_file_location("known_work", SCRIPT)
known_work = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(known_work)

ROUNDS = 6
# Counters that add up to one unit of each kind of work.
COUNTERS = {"dram_bytes": {"dram_read_bytes": 0.75, "dram_write_bytes": 0.25},
            "f32_flops": {"fadd": 0.125, "fmul": 0.125, "ffma": 0.375, "ffma2": {"unavailable": "this chip has no such counter"}},
            "f64_flops": {"dadd": 0, "dmul": 0, "dfma": 0, "tensor_f64_ops": 1}}


def measurements_of(name, factor=1.0):
    """Two kernels in the range of an operation, one launched once a round, the other twice."""
    known = known_work.KNOWN[name]
    counters = {key: value if isinstance(value, dict) else value * (known.amount or 1) * factor
                for key, value in COUNTERS.get(known.kind, {known.kind: 1}).items()}

    def part(share, launches):
        return {"axes": {"path": f"{name}/inner"}, "launches": {"count": ROUNDS * launches},
                "counters": {key: value if isinstance(value, dict) else value * share for key, value in counters.items()}}
    return [part(0.5, 1), part(0.25, 2)]


class Comparison(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.measurements = {name: measurements_of(name) for name in known_work.KNOWN}

    def compare(self):
        run = {"application": {"command_line": ["python3", "known_work.py", "--rounds", str(ROUNDS)]},
               "measurements": [one for ones in self.measurements.values() for one in ones]}
        (self.folder / "run.json").write_text(json.dumps(run))
        return subprocess.run([sys.executable, SCRIPT, "--compare", self.folder], capture_output=True, text=True, timeout=60, check=False)

    def row(self, result, name):
        [line] = [line for line in result.stdout.splitlines() if line.startswith(f"| {name} |")]
        return [cell.strip() for cell in line.strip("|").split("|")]

    def test_exact_work_passes(self):
        result = self.compare()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for name, known in known_work.KNOWN.items():
            self.assertEqual(self.row(result, name)[4], "1.000000" if known.amount else "", name)

    def test_what_differs_or_was_not_counted_exits_with_1(self):
        for name, factor in {"product bf16": 1.00001, "add fp32": 1.03, "product fp64": 0.97}.items():
            self.setUp()
            self.measurements[name] = measurements_of(name, factor)
            result = self.compare()
            self.assertEqual(result.returncode, 1, name)
            self.assertEqual(self.row(result, name)[5], "beyond its tolerance")
        self.setUp()
        self.measurements["convolution"][0]["counters"] = {"tensor_bf16_ops": {"unavailable": "not counted"}}
        result = self.compare()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(self.row(result, "convolution")[5], "groups not counted: 1")

    def test_what_did_not_run_is_named(self):
        del self.measurements["product fp8"]
        result = self.compare()
        self.assertEqual(result.returncode, 0)
        self.assertEqual(self.row(result, "product fp8")[5], "did not run")

    def test_each_operation_is_made(self):
        """The table of operations, without PyTorch."""
        source = SCRIPT.read_text()
        made = source[source.index("makers = {"):source.index("assert makers.keys()")]
        for name in known_work.KNOWN:
            self.assertIn(f'"{name}": ', made)


if __name__ == "__main__":
    unittest.main()
