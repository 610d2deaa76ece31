# SPDX-License-Identifier: Apache-2.0
"""scripts/validate.py, with programs that play the collector, ncu, a profiled program and PyTorch."""

import importlib.util
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import HERE, PROGRAM, SOURCE, ProgramTest

SCRIPT = SOURCE / "scripts/validate.py"
FADD = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"
TRAINING_STEP = f"""\
import runpy, sys
sys.argv = [sys.argv[0], "often"]
runpy.run_path("{HERE}/fake_guest.py", run_name="__main__")
"""
# One launch of the program's long kernel, 2 % shorter than its mean, and nothing else.
TORCH = """\
class profiler:
    class ProfilerActivity:
        CUDA = None
    class profile:
        def __init__(self, activities): pass
        def __enter__(self): return self
        def __exit__(self, *_): pass
        def export_chrome_trace(self, file):
            open(file, "w").write('{"traceEvents": [{"cat": "kernel", "name": "gemm<other spelling>", "dur": 980, '
                                  '"args": {"grid": [16, 16, 1], "block": [16, 8, 1]}}]}')
"""

specification = importlib.util.spec_from_file_location("validate", SCRIPT)
validate = importlib.util.module_from_spec(specification)
specification.loader.exec_module(validate)


class Arithmetic(unittest.TestCase):
    def row(self, *comparisons):
        table = validate.Table()
        table.add("sums", "arithmetic", comparisons)
        return table.rows[0][2:]

    def test_a_row_names_the_number_that_is_nearest_to_its_tolerance(self):
        self.assertEqual(self.row(validate.Comparison("time of a", "s", 1.01, 1, 0.02), validate.Comparison("time of b", "s", 2.2, 2, 1)),
                         ["2", "0", "1 % of 2 %: time of a"])
        self.assertEqual(self.row(validate.Comparison("time of a", "s", 1.03, 1, 0.02)), ["1", "1", "3 % of 2 %: time of a"])
        self.assertEqual(self.row(validate.Comparison("fadd of a", "", 7, 7, 0)), ["1", "0", "0"])
        self.assertEqual(self.row(validate.Comparison("fadd of a", "", 3, 0, 2)), ["1", "1", "3 of 2: fadd of a"])

    def test_what_has_to_be_equal_differs_by_any_difference(self):
        one = validate.Comparison("fadd of a", "", 1024, 1023, 0)
        self.assertTrue(one.differs)
        self.assertEqual(one.part_of_allowed, math.inf)

    def test_agreements_without_one_of_the_numbers_are_left_out(self):
        agreement = {"subject": "a", "quantity": "fadd", "unit": "", "ours": 5, "reference": 4, "tolerance": 0.5, "is_relative": True}
        missing = dict(agreement, reference={"unavailable": "not counted"})
        [one] = validate.comparisons_of([agreement, missing, dict(missing, ours=missing["reference"], reference=1)])
        self.assertEqual((one.what, one.allowed), ("fadd of a", 2))
        self.assertRaises(validate.NotRun, validate.Table().add_by_kind, "sums", "ncu", validate.comparisons_of([missing]))

    def test_kernels_are_told_apart_by_name_and_shape(self):
        ours = validate.kernel("void at::native::add<float>(float*)", validate.sizes("8x64"), validate.sizes(128))
        self.assertEqual(ours, validate.kernel("void at::native::add<float, 4>(float*)", [8, 64, 1], [128, 1, 1]))

    def test_means_are_those_of_kernels_that_take_long_enough(self):
        def measurement(name, total_s, traced):
            return {"subject": name, "axes": {"grid": 8, "block": 32}, "launches": {"total_s": total_s, "traced": traced}}

        run = {"measurements": [measurement("long<1>", 0.1, 100), measurement("long<2>", 0.2, 50), measurement("short", 0.1, 10000),
                                measurement("rare", 0.001, 1), measurement("untraced", 0.1, 0)]}
        [(name, mean_s)] = validate.mean_times(run).items()
        self.assertEqual(name, ("long", (8, 1, 1), (32, 1, 1)))
        self.assertAlmostEqual(mean_s, 0.3 / 150)

    def test_stall_shares_are_those_of_kernels_with_one_name_and_shape(self):
        def measurement(median_s, **counters):
            return {"subject": "add<1>", "axes": {"grid": 8, "block": 32}, "time": {"median_s": median_s},
                    "counters": {f"{name}_warp_cycles": value for name, value in counters.items()}}

        run = {"measurements": [measurement(30e-6, active=100, long_scoreboard_stall=90, stall_pass=200),
                                measurement(10e-3, active=100, long_scoreboard_stall=25),
                                measurement(1e-6, active=100, long_scoreboard_stall=100),
                                measurement(1, active={"unavailable": "no pass"}, long_scoreboard_stall=1)]}
        [(key, share)] = validate.stall_shares(run).items()
        self.assertEqual(key, (("add<1>", (8, 1, 1), (32, 1, 1)), "long_scoreboard"))
        self.assertAlmostEqual(share, (30e-6 * 0.45 + 10e-3 * 0.25) / (30e-6 + 10e-3))

    def test_counters_are_means_over_the_launches_of_kernels_with_one_name_and_shape(self):
        def measurement(median_s, launches, subject="add<1>", **counters):
            return {"subject": subject, "axes": {"grid": 8, "block": 40}, "time": {"median_s": median_s}, "launches": {"count": launches},
                    "counters": {f"{name}_pipe_instructions": value for name, value in counters.items()}}

        run = {"measurements": [measurement(30e-6, 1, alu=10, xu=0), measurement(30e-6, 3, alu=50, xu={"unavailable": "no pass"}),
                                measurement(1e-6, 100, alu=7), measurement(30e-6, 1, "add<2>", alu=1)]}
        name, other = (("add<1>", (8, 1, 1), (40, 1, 1)), ("add<2>", (8, 1, 1), (40, 1, 1)))
        keys = ["alu_pipe_instructions", "xu_pipe_instructions"]
        self.assertEqual(validate.counters_of_launches(run, keys), {(name, keys[0]): 40, (name, keys[1]): 0, (other, keys[0]): 1})
        self.assertEqual(validate.counters_of_launches(run, keys, "CUDA graph"), {})
        self.assertEqual(validate.warps_of(name), 16)
        self.assertEqual(validate.short(name), "add grid 8x1x1")

    def test_the_timeline_is_compared_where_its_launches_were_counted(self):
        def row(sentence):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "summary.md").write_text(f"\n- 7.56 TB sampled to and from DRAM{sentence}; Tensor Cores active for 1 s.\n")
                validation = validate.Validation(folder, folder)
                validation.training_run = lambda: folder
                validation.programs_timeline("timeline")
            return validation.table.rows[0]

        counted = ", 0.986 of the 7.67 TB counted for the launches in it"
        self.assertEqual(row(counted)[2:], ["1", "0", "1.4 % of 3 %: sampled DRAM bytes"])
        with self.assertRaisesRegex(validate.NotRun, "no DRAM bytes"):
            row(", no counted bytes to compare with")
        with self.assertRaisesRegex(validate.NotRun, "12 % of their time was not counted"):
            row(counted + " (12 % of their time was not counted)")


class Steps(unittest.TestCase):
    def test_what_several_steps_need_is_tried_once_also_where_it_fails(self):
        class Tried:
            calls = 0

            @validate.once
            def run(self):
                self.calls += 1
                raise validate.NotRun("no GPU")

        tried = Tried()
        for _ in range(2):
            self.assertRaises(validate.NotRun, tried.run)
        self.assertEqual(tried.calls, 1)


class Script(ProgramTest):
    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.install = self.folder / "install"
        examples = self.install / "share/rooflinectl/examples"
        for folder in [self.tools, self.install / "bin", examples, self.folder / "modules"]:
            folder.mkdir(parents=True)
        (self.install / "bin/rooflinectl").symlink_to(PROGRAM)
        (self.folder / "plan.yaml").rename(self.install / "share/rooflinectl/experiments.yaml")
        (examples / "training_step.py").write_text(TRAINING_STEP)

    def validate(self, *arguments, **environment):
        return subprocess.run([sys.executable, SCRIPT, self.install, *arguments], cwd=self.folder, capture_output=True, text=True,
                              timeout=120, check=False, env=self.environment(
                                  PATH=f"{self.tools}:/usr/bin:/bin", PYTHONPATH=str(self.folder / "modules"),
                                  ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so", **environment))

    def install_ncu(self):
        (self.tools / "ncu").symlink_to(HERE / "fake_ncu.py")

    def install_torch(self):
        (self.folder / "modules/torch.py").write_text(TORCH)

    def test_what_cannot_be_compared_is_named_with_the_reason(self):
        result = self.validate()
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"^1 × Fake GPU, driver 580\.00, rooflinectl .*, \d{4}-\d\d-\d\d\n\n")
        self.assertIn("\n| kernels of known work: exact counts | arithmetic | 2 | 0 | 0 |\n", result.stdout)
        for what, reason in {"kernels of experiments.yaml": "no ncu on the PATH", "kernels of training_step.py": "no ncu on the PATH",
                             "links": "one GPU", "collectives": "one GPU"}.items():
            self.assertIn(f"\n- not run: {what}: {reason}\n", result.stdout)
        self.assertRegex(result.stdout, r"\n- \d+ seconds: kernels of known work \d+, .*, collectives 0\n$")

    @unittest.skipIf(importlib.util.find_spec("torch"), "PyTorch is here")
    def test_without_pytorch(self):
        self.install_ncu()
        result = self.validate(FAKE_COLLECTOR_TWO="1")
        for what in ["kernels", "times", "timeline"]:
            self.assertIn(f"\n- not run: {what} of training_step.py: no torch\n", result.stdout)
        self.assertIn("\n- not run: collectives: no torch\n", result.stdout)

    def test_own_kernels_beside_ncu(self):
        self.install_ncu()
        result = self.validate("--keep", "kept")
        self.assert_exit(result, 0)
        self.assertIn("\n| kernels of experiments.yaml: exact counts | Nsight Compute 2025.3.1 | 12 | 0 | 0 |\n", result.stdout)
        self.assertRegex(result.stdout, r"\n\| kernels of experiments.yaml: times \| Nsight Compute 2025.3.1 \| 4 \| 0 \| ")
        self.assertTrue(list((self.folder / "kept/kernels").glob("*/*Z/run.json")))

    def test_a_difference_exits_with_1_and_hides_nothing(self):
        self.install_ncu()
        result = self.validate(FAKE_NCU=f"{FADD}=1.001", FAKE_COLLECTOR="miscount@self_test:counters", FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 1)
        self.assertIn("| 2 | 1 | 0.098 % of 0 %: fadd of f32_add |\n", result.stdout)
        self.assertIn("\n- differs: fadd of f32_add: 1025, beside 1024; allowed: 0\n", result.stdout)
        self.assertIn("\n| kernels of experiments.yaml: exact counts | Nsight Compute 2025.3.1 | 12 | 4 | ", result.stdout)
        self.assertIn("\n| links | bytes that were moved | ", result.stdout)

    def test_a_program_beside_ncu_and_torch_profiler(self):
        self.install_ncu()
        self.install_torch()
        result = self.validate()
        self.assertRegex(result.stdout, r"\n\| kernels of training_step.py: exact counts \| Nsight Compute 2025.3.1 \| \d+ \| 0 \| 0 \|\n")
        self.assertIn("\n| times of training_step.py | torch.profiler | 1 | 0 | 2 % of 5 %: mean time of gemm |\n", result.stdout)
        self.assertIn("\n- not run: timeline of training_step.py: the report has no DRAM bytes that were sampled", result.stdout)
        self.assert_exit(result, 0)

    def test_links_and_collectives_of_two_gpus(self):
        result = self.validate(FAKE_COLLECTOR_TWO="1", FAKE_COLLECTOR="without_nccl@collectives")
        self.assertRegex(result.stdout, r"^2 × Fake GPU, ")
        [compared] = re.findall(r"\n\| links \| bytes that were moved \| (\d+) \| 0 \| 0.02 % of 2 %: sent_bytes of device ", result.stdout)
        self.assertEqual(int(compared) % 2, 0)
        self.install_torch()
        result = self.validate(FAKE_COLLECTOR_TWO="1", FAKE_COLLECTOR="without_nccl@collectives")
        self.assertIn("\n- not run: collectives: NCCL is missing (looked for in the loader's search path)", result.stdout)
        self.assert_exit(result, 0)

    def test_a_step_that_fails_hides_no_other(self):
        result = self.validate(FAKE_COLLECTOR_TWO="1", FAKE_COLLECTOR="uncounted@start segv@links")
        self.assertIn("\n- not run: kernels of known work: ", result.stdout)
        self.assertIn("counters are reserved for administrators\n", result.stdout)
        self.assertIn("\n- not run: links: ", result.stdout)
        self.assert_exit(result, 3)

    def test_without_a_gpu_there_is_nothing_to_validate(self):
        result = self.validate(FAKE_COLLECTOR="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertRegex(result.stderr, r"^validate\.py: .*no CUDA device was found\n$")
        self.assertEqual(result.stdout, "")


if __name__ == "__main__":
    unittest.main()
