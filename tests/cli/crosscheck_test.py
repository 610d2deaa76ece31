# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl crosscheck` from outside, with programs that play the collector, ncu and nsys."""

import base64
import gzip
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import unittest
import zlib

from program import HERE, PLAN, PROGRAM, REPORTS, SOURCE, ProgramTest
from recordings import REDUCTIONS as RECORDING, recorded

NCU_TABLE = SOURCE / "tests/data/ncu-2025.3.1-h200-reductions.csv"
FADD = "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum"


class CrosscheckTest(ProgramTest):
    """A run of the demo plan."""

    def setUp(self):
        super().setUp()
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        self.calls = self.folder / "calls"
        for tool in ["ncu", "nsys"]:
            (self.tools / tool).symlink_to(HERE / f"fake_{tool}.py")

    def environment(self, accidents="", **extra):
        return super().environment(accidents, PATH=f"{self.tools}:/usr/bin:/bin", FAKE_NCU_CALLS=str(self.calls), **extra)

    def crosscheck(self, *arguments, accidents="", **extra):
        return self.call("crosscheck", *arguments, accidents=accidents, **extra)

    def run_and_check(self, *arguments, **extra):
        self.assert_exit(self.run_plan(), 0)
        return self.crosscheck("runs/demo/latest", *arguments, **extra)

    def start(self, *arguments, accidents="", until):
        """Starts the program, and returns when it has printed `until` to standard error."""
        process = subprocess.Popen([PROGRAM, *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=self.environment(accidents))
        # Told to end, it ends what it started; killed, it would leave that writing into the folder.
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)
        for line in process.stderr:
            if until in line:
                return process
        return self.fail(f"it ended without '{until}'")

    def kept(self):
        return {check["tool"]: check for check in self.run_json().get("cross_checks", [])}


class Tools(CrosscheckTest):
    def test_a_run_agrees_with_both(self):
        result = self.run_and_check("--with", "ncu,nsys")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^ncu 2025\.3\.1$")
        self.assertRegex(result.stdout, r"(?m)^  fadd +4 +0 +0 +0 +exact$")
        self.assertRegex(result.stdout, r"(?m)^  nvtx_range +4 +0 +0 +0 +exact$")
        self.assertEqual(list(self.kept()), ["ncu", "nsys"])
        self.assertEqual(self.kept()["ncu"]["version"], "2025.3.1")
        self.assertIn("Cross-check with ncu 2025.3.1", (self.folder / "runs/demo/latest/summary.md").read_text())
        # Again: the new checks replace the old ones.
        self.assert_exit(self.crosscheck("runs/demo/latest/run.json", "--with", "ncu"), 0)
        self.assertEqual(list(self.kept()), ["nsys", "ncu"])

    def test_ncu_is_asked_for_what_is_compared_at_the_same_clock_and_cache(self):
        self.write("plan.yaml", PLAN + "    cache: [cold, warm]\n")
        self.assert_exit(self.run_and_check("--with", "ncu"), 0)
        calls = [json.loads(line) for line in self.calls.read_text().splitlines()]
        profiled = [call for call in calls if "--export" in call]
        caches = [call[call.index("--cache-control") + 1] for call in profiled]
        self.assertEqual(caches, ["all", "none"])
        self.assertEqual([call[call.index("--replay-mode") + 1] for call in profiled], ["kernel", "application"])
        for call in profiled:
            self.assertEqual(call[call.index("--clock-control") + 1], "none")
            self.assertEqual(call[call.index("--nvtx-include") + 1], "regex:rooflinectl@.*/")
            metrics = call[call.index("--metrics") + 1].split(",")
            self.assertEqual(len(metrics), 6)
            self.assertIn(FADD, metrics)
        self.assertEqual(len({a["subject"] for a in self.kept()["ncu"]["agreements"]}), 8)

    def test_a_difference_exits_with_1_and_is_shown(self):
        result = self.run_and_check("--with", "ncu", FAKE_NCU=f"{FADD}=1.001")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^  fadd +0 +4 +0 ")
        self.assertRegex(result.stdout, r"(?m)^  sums\.reduce_v0_global\.\S+ +fadd +1310720 +1312031 .* differs$")

    def test_reports_that_ncu_compresses_are_found(self):
        self.assert_exit(self.run_and_check("--with", "ncu", FAKE_NCU="compress"), 0)
        report = self.folder / "runs/demo/latest/crosscheck/ncu-cold.ncu-repz"
        self.assertTrue(report.exists())
        self.assert_exit(self.crosscheck("runs/demo/latest", "--with", "ncu", "--ncu-file", report), 0)

    def test_what_is_not_profiled_is_unavailable(self):
        result = self.run_and_check("--with", "ncu", FAKE_NCU="without=sum_atomic")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^  sums\.sum_atomic\.f32\S+ +time .*unavailable: no kernel was profiled")

    def test_a_range_that_nsys_misses_is_a_difference(self):
        result = self.run_and_check("--with", "nsys", FAKE_NSYS="without=sum_atomic")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^  nvtx_range +3 +1 ")

    def test_a_duration_that_differs_in_nsys(self):
        result = self.run_and_check("--with", "nsys", FAKE_NSYS="slow=reduce_v3_sequential")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^  sums\.reduce_v3_sequential\.\S+ +time +200\.0 µs +394\.0 µs .*differs")

    def test_without_kernels_nsys_still_checks_the_ranges(self):
        result = self.run_and_check("--with", "nsys", FAKE_NSYS="nokernels")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^  nvtx_range +4 +0 +0 ")
        self.assertRegex(result.stdout, r"(?m)^  time +0 +0 +4 ")

    def test_a_tool_older_than_cuda_13_is_named_where_it_sees_no_kernel(self):
        result = self.run_and_check("--with", "nsys", FAKE_NSYS="nokernels old")
        self.assert_exit(result, 0)
        hint = "nsys 2022.4.2 is older than CUDA 13: it sees NVTX ranges, but no kernels; install Nsight Systems 2025.3 or newer"
        self.assertIn(f"\n  hint: {hint}\n", result.stdout)
        page = (self.folder / "runs/demo/latest/report.html").read_text()
        data = re.search(r'<script type="application/zlib" id="page-data">\s*([^<]+)</script>', page).group(1)
        self.assertIn(hint, zlib.decompress(base64.b64decode(data)).decode())
        result = self.crosscheck("runs/demo/latest", "--with", "ncu", FAKE_NCU="nokernels old")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: ncu profiled no kernel\n  hint: ncu 2022.4.1 is older than CUDA 13: it sees no kernels; "
                      "install Nsight Compute 2025.3 or newer\n", result.stdout)
        for words in ["old", "nokernels"]:
            self.assertNotIn("older than", self.crosscheck("runs/demo/latest", "--with", "nsys", FAKE_NSYS=words).stdout)

    def test_points_that_failed_are_left_out(self):
        self.assert_exit(self.run_plan("failed@verify:1"), 1)
        self.assert_exit(self.crosscheck("runs/demo/latest", "--with", "ncu"), 0)
        self.assertNotIn("sums.reduce_v3_sequential", json.dumps(self.kept()))

    def test_a_plan_is_measured_first(self):
        self.assert_exit(self.crosscheck("plan.yaml", "--with", "ncu"), 0)
        self.assertEqual(list(self.kept()), ["ncu"])

    def test_all_shows_every_comparison(self):
        result = self.run_and_check("--with", "ncu", "--all")
        self.assertRegex(result.stdout, r"(?m)^  sums\.reduce_v0_global\.\S+ +fadd +1310720 +1310720 +0 +exact +agrees$")


class Programs(CrosscheckTest):
    """Runs of `rooflinectl profile`: ncu runs the program again."""

    RUN = "runs/fake_guest/latest"
    TENSOR = "sm__ops_path_tensor_src_bf16_dst_fp32.sum"

    def profile(self, *guest, command=()):
        command = command or [sys.executable, str(HERE / "fake_guest.py"), "often", *guest]
        result = self.call("profile", "--once", "--", *command, ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so")
        self.assert_exit(result, 0)

    def agreements(self):
        run = json.loads((self.folder / self.RUN / "run.json").read_text())
        (check,) = run["cross_checks"]
        return {(agreement["subject"], agreement["quantity"]): agreement for agreement in check["agreements"]}

    def test_a_launch_of_each_kernel_is_compared(self):
        self.profile()
        result = self.crosscheck(self.RUN)
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^  tensor_bf16_ops +1 +0 +0 +0 +exact$")
        self.assertRegex(result.stdout, r"(?m)^  fadd +2 +0 +0 +0 +exact$")
        self.assertRegex(result.stdout, r"(?m)^  time +1 +0 +1 +")
        self.assertIn("launches of less than 50 µs are not compared", result.stdout)
        self.assertIn("running the program again: ", result.stderr)
        self.assertNotIn("guest: out", result.stdout)
        self.assertIn("Cross-check with ncu 2025.3.1", (self.folder / self.RUN / "summary.md").read_text())
        log = (self.folder / self.RUN / "crosscheck/ncu-program.log").read_text()
        self.assertIn("guest: out", log)

    def test_ncu_is_asked_for_the_launches_that_the_points_began_with(self):
        self.profile("steps")
        self.assert_exit(self.crosscheck(self.RUN), 0)
        (call,) = [call for line in self.calls.read_text().splitlines() if "--kernel-id" in (call := json.loads(line))]
        for name, value in {"--cache-control": "none", "--clock-control": "none", "--kernel-name-base": "mangled",
                            "--target-processes": "all"}.items():
            self.assertEqual(call[call.index(name) + 1], value)
        self.assertEqual(call[call.index("--kernel-id") + 1], r"::regex:^(_Z3addPf|gemm<script>alert\(1\)</script>)$:^(1)$")
        self.assertIn(self.TENSOR, call[call.index("--metrics") + 1])
        self.assertEqual(call[-3:], [str(HERE / "fake_guest.py"), "often", "steps"])

    def test_the_program_runs_where_it_ran(self):
        self.write("guest.sh", f"#!/bin/sh\npwd >> places\nexec {sys.executable} {HERE / 'fake_guest.py'} often\n")
        (self.folder / "guest.sh").chmod(0o755)
        self.profile(command=["./guest.sh"])
        other = self.folder / "other"
        other.mkdir()
        result = subprocess.run([PROGRAM, "crosscheck", "../runs/guest/latest"], cwd=other, capture_output=True, text=True,
                                timeout=60, env=self.environment(), check=False)
        self.assert_exit(result, 0)
        self.assertEqual(len(set((self.folder / "places").read_text().splitlines())), 1)

    def test_operations_are_exact_and_times_nearly(self):
        self.profile()
        result = self.crosscheck(self.RUN, FAKE_NCU=f"{self.TENSOR}=1.0000001")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"(?m)^  gemm\S* +tensor_bf16_ops +2000000000 +2000000200 .* differs$")
        self.assert_exit(self.crosscheck(self.RUN, FAKE_NCU="gpu__time_duration.sum=1.02"), 0)
        self.assert_exit(self.crosscheck(self.RUN, FAKE_NCU="gpu__time_duration.sum=1.1"), 1)
        self.assert_exit(self.crosscheck(self.RUN, FAKE_NCU="smsp__inst_executed.sum=1.04"), 0)

    def test_traffic_that_fits_into_l2_is_listed(self):
        self.profile()
        result = self.crosscheck(self.RUN, FAKE_NCU="dram__bytes_read.sum=3")
        self.assert_exit(result, 0)
        self.assertIn("28 MB; traffic below eight times L2 depends on what L2 holds", result.stdout)

    def test_what_ncu_does_not_see_again_is_unavailable(self):
        self.profile()
        result = self.crosscheck(self.RUN, FAKE_NCU="without=gemm<script>alert(1)</script>")
        self.assert_exit(result, 0)
        self.assertIn("ncu profiled no launch with this kernel, grid and block", result.stdout)

    def test_a_graph_is_listed(self):
        self.profile("graph")
        result = self.crosscheck(self.RUN)
        self.assert_exit(result, 0)
        self.assertIn("ncu profiles the kernels of a CUDA graph one by one", result.stdout)

    def test_without_permission_and_without_kernels(self):
        self.profile()
        result = self.crosscheck(self.RUN, FAKE_NCU="noperm")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: ncu: ERR_NVGPUCTRPERM", result.stdout)
        result = self.crosscheck(self.RUN, FAKE_NCU="nokernels old")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: ncu profiled no kernel of the program\n  hint: ncu 2022.4.1 is older than CUDA 13", result.stdout)
        self.assertFalse((self.folder / self.RUN / "crosscheck").exists())

    def test_a_table_from_elsewhere(self):
        self.profile()
        self.write("ncu.csv", """\
"ID","Process ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"
"","","","","","ns"
"0","7","add(float *)","(256, 1, 1)","(1024, 1, 1)","10,000"
"1","7","gemm<script>alert(1)</script>","(16, 8, 1)","(16, 16, 1)","1,000,000"
""")
        self.assert_exit(self.crosscheck(self.RUN, "--ncu-file", "ncu.csv"), 0)

    def test_other_tools_cannot_check_it(self):
        self.profile()
        result = self.crosscheck(self.RUN, "--with", "nsys")
        self.assert_exit(result, 2)
        self.assertIn("only ncu can check the kernels of a profiled program\nhint: use --with ncu", result.stderr)


class Trouble(CrosscheckTest):
    def test_a_missing_tool_costs_its_check_alone(self):
        (self.tools / "ncu").unlink()
        result = self.run_and_check("--with", "ncu,nsys")
        self.assert_exit(result, 0)
        self.assertIn("no verdict: ncu was not found", result.stdout)
        self.assertIn("hint: install Nsight Compute", result.stdout)
        self.assertEqual(list(self.kept()), ["nsys"])

    def test_no_check_at_all_exits_with_3(self):
        for tool in ["ncu", "nsys"]:
            (self.tools / tool).unlink()
        self.assert_exit(self.run_plan(), 0)
        folder = (self.folder / "runs/demo/latest").resolve()
        before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir() if file.is_file()}
        self.assert_exit(self.crosscheck("runs/demo/latest", "--with", "ncu,nsys"), 3)
        self.assert_exit(self.crosscheck("runs/demo/latest", ROOFLINECTL_COLLECTOR="/nowhere"), 3)
        self.assertEqual({file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir() if file.is_file()},
                         before)

    def test_no_permission(self):
        result = self.run_and_check("--with", "ncu", FAKE_NCU="noperm")
        self.assert_exit(result, 3)
        self.assertRegex(result.stdout, r"no verdict: ncu: ERR_NVGPUCTRPERM.*\n  hint: .*NVreg_RestrictProfilingToAdminUsers=0")

    def test_an_unknown_layout(self):
        result = self.run_and_check("--with", "ncu", FAKE_NCU="odd")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: found no Nsight Compute table", result.stdout)

    def test_no_kernels(self):
        self.assertIn("ncu profiled no kernel", self.run_and_check("--with", "ncu", FAKE_NCU="nokernels").stdout)

    def test_an_error_of_the_collector_precedes_that_of_the_tool(self):
        result = self.run_and_check("--with", "ncu", accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: no CUDA device was found\n  hint: is the driver loaded?", result.stdout)
        result = self.crosscheck("runs/demo/latest", "--with", "nsys", accidents="segv@once:0")
        self.assertRegex(result.stdout, r"no verdict: nsys ")

    def test_an_nsys_without_its_importer(self):
        result = self.run_and_check("--with", "nsys", FAKE_NSYS="qdstrm")
        self.assert_exit(result, 3)
        self.assertIn("its importer is not installed", result.stdout)
        (self.tools / "host-linux-x64").mkdir()
        importer = self.tools / "host-linux-x64/QdstrmImporter"
        importer.write_text('#!/bin/sh\ncp "$2" "$4"\n')
        importer.chmod(0o755)
        self.assert_exit(self.crosscheck("runs/demo/latest", "--with", "nsys", FAKE_NSYS="qdstrm"), 0)


class TheRun(CrosscheckTest):
    """What is on disk stays there, whatever happens."""

    def test_a_run_that_still_goes_on_is_left_alone(self):
        self.start("run", "plan.yaml", accidents="hang@time:2", until="[2/4]")
        (file,) = self.folder.glob("runs/demo/*/run.json")
        result = self.crosscheck(file, "--with", "nsys")
        self.assert_exit(result, 3)
        self.assertIn(f"{file.parent}: another rooflinectl is writing to it\nhint: wait until it finishes, or stop it\n", result.stderr)

    def test_a_run_that_is_checked_is_left_alone(self):
        self.assert_exit(self.run_plan("failed@verify:1"), 1)
        self.start("crosscheck", "runs/demo/latest", "--with", "nsys", accidents="hang@once:0", until="checking")
        for arguments in [["run", "--resume"], ["crosscheck"]]:
            result = self.call(*arguments, "runs/demo/latest")
            self.assert_exit(result, 3)
            self.assertIn("another rooflinectl is writing to it", result.stderr)

    def test_a_check_without_a_number_replaces_none_that_has_them(self):
        self.assert_exit(self.run_and_check("--with", "ncu"), 0)
        folder = (self.folder / "runs/demo/latest").resolve()
        before = {file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir() if file.is_file()}
        result = self.crosscheck("runs/demo/latest", "--with", "ncu", FAKE_NCU="noperm")
        self.assert_exit(result, 3)
        self.assertIn("no verdict: ncu: ERR_NVGPUCTRPERM", result.stdout)
        self.assertIn("\n  keeping the earlier result\n", result.stdout)
        self.assert_exit(self.crosscheck("runs/demo/latest", "--ncu-file", "mistyped.csv"), 2)
        self.assertEqual({file: (file.stat().st_mtime_ns, file.read_bytes()) for file in folder.iterdir() if file.is_file()},
                         before)
        # Next to a check that has numbers, it does not replace the earlier one either.
        result = self.crosscheck("runs/demo/latest", "--with", "ncu,nsys", FAKE_NCU="noperm")
        self.assert_exit(result, 0)
        self.assertTrue(self.kept()["ncu"]["agreements"] and self.kept()["nsys"]["agreements"])

    def test_a_check_without_a_number_leaves_nothing_behind(self):
        self.assert_exit(self.run_plan(), 0)
        checks = (self.folder / "runs/demo/latest").resolve() / "crosscheck"
        failing = [(["--with", "nsys"], {"accidents": "no_gpu@start"}), (["--with", "ncu"], {"FAKE_NCU": "odd"}),
                   (["--with", "nsys"], {"FAKE_NSYS": "qdstrm"})]
        for arguments, accident in failing:
            self.assert_exit(self.crosscheck("runs/demo/latest", *arguments, **accident), 3)
            self.assertFalse(checks.exists(), arguments)
        self.assert_exit(self.crosscheck("runs/demo/latest", "--with", "ncu,nsys"), 0)
        before = {file.name: file.read_bytes() for file in checks.iterdir()}
        self.assertLessEqual({"ncu-cold.ncu-rep", "nsys.nsys-rep", "nsys.sqlite"}, set(before))
        for arguments, accident in failing:
            self.assert_exit(self.crosscheck("runs/demo/latest", *arguments, **accident), 3)
            self.assertEqual({file.name: file.read_bytes() for file in checks.iterdir()}, before, arguments)
        self.assertIn(f"{checks}/ncu-cold.ncu-rep", self.kept()["ncu"]["source"])

    def test_a_result_that_cannot_be_written_is_shown_and_rescued(self):
        self.assert_exit(self.run_plan(), 0)
        result = self.crosscheck("runs/demo/latest", "--with", "nsys", FAKE_NSYS="spoil")
        self.assert_exit(result, 3)
        self.assertRegex(result.stdout, r"(?m)^  time +4 +0 +0 ")
        self.assertTrue((self.folder / "runs/demo/latest/run.json").is_dir())
        self.assertRegex(result.stderr, r"run\.json: cannot be written: .*; all results were saved to ")
        rescued = re.search(r"all results were saved to (\S+/run\.json)\n", result.stderr)[1]
        self.assertIn("cross_checks", json.loads(pathlib.Path(rescued).read_text()))
        self.assertIn(f"hint: write the reports to another folder: rooflinectl report {rescued} --output DIR\n", result.stderr)

    def test_a_run_that_no_tool_can_write_beside(self):
        self.assert_exit(self.run_plan(), 0)
        (self.folder / "runs/demo/latest/crosscheck").write_text("")
        result = self.crosscheck("runs/demo/latest", "--with", "nsys")
        self.assert_exit(result, 3)
        self.assertRegex(result.stdout, "cannot be created: .*\n  hint: copy the run to a writable folder")

    def interrupted(self, *arguments, until):
        """The output of the program when it is interrupted at that check."""
        process = self.start("crosscheck", *arguments, accidents="hang@once:1", until=until)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        return stdout, stderr

    def test_interrupted_after_a_plan_was_measured(self):
        _, stderr = self.interrupted("plan.yaml", "--with", "nsys", until="checking with nsys")
        file = (self.folder / "runs/demo/latest").resolve() / "run.json"
        self.assertEqual(stderr, f"interrupted; the run and the finished checks are saved: rooflinectl report {file}\n"
                                 f"to finish: rooflinectl crosscheck {file} --with nsys\n")
        self.assertLessEqual(REPORTS, {path.name for path in file.parent.iterdir()})
        self.assert_exit(self.crosscheck(file, "--with", "nsys"), 0)

    def test_interrupted_between_two_checks(self):
        self.assert_exit(self.run_and_check("--with", "ncu"), 0)
        stdout, stderr = self.interrupted("runs/demo/latest", "--with", "ncu,nsys", "--ncu-file",
                                          "runs/demo/latest/crosscheck/ncu-cold.ncu-rep", until="checking with nsys")
        self.assertRegex(stdout, r"(?m)^  fadd +4 +0 ")
        self.assertRegex(stderr, r"(?m)run\.json --with nsys$")
        self.assertIn("ncu-cold.ncu-rep", self.kept()["ncu"]["source"])

    def test_interrupted_while_a_file_is_read(self):
        self.assert_exit(self.run_plan(), 0)
        (self.tools / "ncu").unlink()
        self.write("tools/ncu", "#!/bin/sh\n[ $1 = --version ] && echo 2025.3.1.0 || exec sleep 600\n")
        (self.tools / "ncu").chmod(0o755)
        self.write("a.ncu-rep", "")
        _, stderr = self.interrupted("runs/demo/latest", "--ncu-file", "a.ncu-rep", until="checking with ncu")
        self.assertRegex(stderr, r"(?m)run\.json --with ncu --ncu-file a\.ncu-rep$")

    def test_the_result_goes_where_the_run_came_from(self):
        self.assert_exit(self.run_plan(), 0)
        folder = (self.folder / "runs/demo/latest").resolve()
        (folder / "before.json").write_bytes((folder / "run.json").read_bytes())
        self.assert_exit(self.crosscheck(folder / "before.json", "--with", "nsys"), 0)
        self.assertNotIn("cross_checks", self.run_json())
        self.assertIn("cross_checks", json.loads((folder / "before.json").read_text()))

    def test_a_compressed_run_stays_compressed(self):
        self.assert_exit(self.run_plan(), 0)
        folder = (self.folder / "runs/demo/latest").resolve()
        plain = folder / "run.json"
        (folder / "run.json.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        self.assert_exit(self.crosscheck(folder, "--with", "nsys"), 0)
        self.assertFalse(plain.exists())
        self.assertIn("cross_checks", recorded(folder / "run.json.gz"))
        self.assertTrue((folder / "report.html").exists())
        self.assert_exit(self.crosscheck(folder / "run.json.gz", "--with", "nsys"), 0)


class Files(CrosscheckTest):
    """Without tools and collector, from earlier recordings."""

    def setUp(self):
        super().setUp()
        (self.folder / "run").mkdir()
        (self.folder / "run/run.json").write_text(json.dumps(recorded()))

    def check(self, *arguments, **extra):
        return self.crosscheck("run", *arguments, ROOFLINECTL_COLLECTOR="/nowhere", **extra)

    def test_a_csv_of_ncu(self):
        result = self.check("--ncu-file", NCU_TABLE)
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^  integer_ops +36 +0 +0 +0 +exact$")
        self.assertNotIn("nsys", result.stdout)

    def test_a_report_of_ncu_goes_through_ncu(self):
        self.write("report.ncu-rep", json.dumps({"metrics": ["gpu__time_duration.sum"], "rows": [
            ["ladder.reduce_v0_global.f32.n268435456.b256.cold", {"gpu__time_duration.sum": 2954000}]]}))
        result = self.check("--ncu-file", "report.ncu-rep")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^  time +1 +0 +35 ")

    def test_broken_files(self):
        table = NCU_TABLE.read_text()
        for name, content in [("empty.csv", ""), ("other.csv", "a,b\n1,2\n"), ("half.csv", table[:len(table) // 2])]:
            self.write(name, content)
            result = self.check("--ncu-file", name)
            self.assertIn(result.returncode, (0, 2), name)
            self.assertIn("ncu", result.stdout)
        for content in [b"", b"SQLite format 3\x00" + bytes(100), b"no database", os.urandom(5000)]:
            (self.folder / "broken.sqlite").write_bytes(content)
            result = self.check("--nsys-file", "broken.sqlite")
            self.assert_exit(result, 2)
            self.assertIn("no verdict: not a readable Nsight Systems SQLite export", result.stdout)
        for option, name in [("--ncu-file", "no.csv"), ("--ncu-file", "no.ncu-rep"), ("--nsys-file", "no.sqlite"),
                             ("--nsys-file", "no.nsys-rep")]:
            result = self.check(option, name)
            self.assert_exit(result, 2)
            self.assertIn(f"no verdict: {name}: cannot be read: No such file or directory\n", result.stdout)

    def test_only_regular_files_are_read(self):
        for option, name in [("--ncu-file", "a.csv"), ("--ncu-file", "a.ncu-rep"), ("--nsys-file", "a.sqlite"),
                             ("--nsys-file", "a.nsys-rep")]:
            os.mkfifo(self.folder / name)
            for file in [name, "/dev/zero", "run"]:
                result = self.check(option, file)
                self.assert_exit(result, 2)
                self.assertIn(f"no verdict: {file}: cannot be read: not a regular file\n", result.stdout)

    def test_files_that_are_too_large(self):
        for option in ["--ncu-file", "--nsys-file"]:
            with open(self.folder / "large", "wb") as file:
                file.truncate(300 << 20)
            result = self.check(option, "large")
            self.assert_exit(result, 2)
            self.assertIn("no verdict: large: larger than 256 MiB\n", result.stdout)

    def test_a_file_in_which_nothing_is_understood(self):
        table = NCU_TABLE.read_text()
        before = (self.folder / "run/run.json").read_bytes()
        self.write("units.csv", table.replace('"ns"', '"nz"').replace('"byte"', '"bite"').replace('"inst"', '"i"'))
        result = self.check("--ncu-file", "units.csv", "--all")
        self.assertRegex(result.stdout, r"(?m)^  time +0 +0 +36 ")
        self.assertIn("ncu reports it in 'nz', an unknown unit", result.stdout)
        (self.folder / "run/run.json").write_bytes(before)
        lines = table.splitlines(keepends=True)
        heading = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
        units = lines[heading + 1].split(",")
        lines[heading + 1] = ",".join('"?"' if i > 11 else unit for i, unit in enumerate(units)) + "\n"
        self.write("units.csv", "".join(lines))
        result = self.check("--ncu-file", "units.csv")
        self.assert_exit(result, 2)
        self.assertIn("ncu recorded no point of the run (time: ncu reports it in '?', an unknown unit)", result.stdout)
        self.assertEqual((self.folder / "run/run.json").read_bytes(), before)

    def test_what_is_read_is_not_overwritten(self):
        shutil.copy(NCU_TABLE, self.folder / "run/points.csv")
        result = self.check("--ncu-file", "run/points.csv")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("refusing to overwrite an input", result.stderr)
        self.assertEqual((self.folder / "run/points.csv").read_bytes(), NCU_TABLE.read_bytes())

    def test_mistakes_on_the_command_line(self):
        self.assert_exit(self.check("--with", "gdb"), 2)
        self.assert_exit(self.crosscheck("no such run"), 2)
        self.assert_exit(self.crosscheck(), 2)
        self.write("bad.json", "{")
        self.assert_exit(self.crosscheck("bad.json"), 2)

    def test_options_that_would_have_no_effect(self):
        for arguments, words in [(["--with", "nsys", "--ncu-file", "no such file"], "--ncu-file: --with does not include ncu"),
                                 (["--with", "ncu", "--nsys-file", "x"], "--nsys-file: --with does not include nsys"),
                                 (["--device", "0"], "--device: a finished run is always checked on the GPU that measured it"),
                                 (["--output", "X"], "--output: the results for a finished run go to its own folder")]:
            result = self.check(*arguments)
            self.assert_exit(result, 2)
            self.assertEqual(result.stderr, words + "\n")
            self.assertEqual(result.stdout, "")

    def test_a_name_is_never_a_command(self):
        hostile = "$(touch executed);touch executed;`touch executed`"
        record = json.dumps({"metrics": ["gpu__time_duration.sum"], "rows": [
            ["ladder.reduce_v0_global.f32.n268435456.b256.cold", {"gpu__time_duration.sum": 2954000}]]})
        self.write(hostile + ".ncu-rep", record)
        result = self.check("--ncu-file", hostile + ".ncu-rep")
        self.assertEqual(list(self.folder.rglob("executed")), [])
        self.assert_exit(result, 0)
        recording = recorded()
        metrics = recording["counter_session"]["metrics"]
        metrics.update({key: hostile for key in metrics})
        recording["plan"]["name"] = recording["device"]["uuid"] = hostile
        (self.folder / "run/run.json").write_text(json.dumps(recording))
        self.crosscheck("run", "--with", "ncu,nsys")
        self.assertEqual(list(self.folder.rglob("executed")), [])
        self.assertIn(hostile, self.calls.read_text())


if __name__ == "__main__":
    unittest.main()
