# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl run` started by a launcher, several times at once: one run, and what can happen to one of its processes."""

import json
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import unittest

from program import FIRST, PLAN, PROGRAM, REPORTS, SECOND, ProgramTest


def torchrun(rank, ranks):
    return {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "MASTER_ADDR": "localhost", "MASTER_PORT": 29500}


def open_mpi(rank, ranks):
    return {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": ranks, "OMPI_COMM_WORLD_LOCAL_RANK": rank, "PMIX_NAMESPACE": "prterun-1@1"}


def mpich(rank, ranks):
    return {"PMI_RANK": rank, "PMI_SIZE": ranks, "MPI_LOCALRANKID": rank}


def slurm(rank, ranks):
    return {"SLURM_PROCID": rank, "SLURM_NTASKS": ranks, "SLURM_LOCALID": rank, "SLURM_JOB_ID": 1234, "SLURM_STEP_ID": 0}


class Ranks(ProgramTest):
    def start(self, rank, ranks, *arguments, launcher=torchrun, accidents="", within=(), **extra):
        variables = {name: str(value) for name, value in launcher(rank, ranks).items()}
        process = subprocess.Popen([*within, PROGRAM, "run", "plan.yaml", *arguments], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=self.environment(accidents, FAKE_COLLECTOR_TWO="1", **variables, **extra))
        self.addCleanup(process.kill)
        return process

    def end_of(self, process):
        stdout, stderr = process.communicate(timeout=120)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

    def launch(self, *arguments, ranks=2, each=None, **options):
        """The results of all ranks; `each` has further options for some of them."""
        processes = [self.start(rank, ranks, *arguments, **{**options, **(each or {}).get(rank, {})}) for rank in range(ranks)]
        return [self.end_of(process) for process in processes]

    def wait_until_reached(self, place, *processes):
        reached = self.folder / "memory" / ("reached_" + place.replace(":", "_"))
        while not reached.exists() and all(process.poll() is None for process in processes):
            time.sleep(0.05)
        self.assertTrue(reached.exists())

    def folder_of_run(self):
        (file,) = (self.folder / "runs/demo").glob("2*/run.json")
        return file.parent

    def run_of(self):
        return json.loads((self.folder_of_run() / "run.json").read_text())

    def points_of(self, device):
        return [m for m in self.run_of()["measurements"] if m["device"] == device]

    def assert_no_meeting_left(self):
        names = [path.name for path in (self.folder / "runs").rglob("*")]
        self.assertFalse([name for name in names if "rank" in name and not name.startswith("collector-rank")], names)

    def test_all_ranks_measure_one_run(self):
        first, second = self.launch()
        self.assert_exit(first, 0)
        self.assert_exit(second, 0)
        self.assertEqual(second.stdout + second.stderr, "")
        self.assertIn("rank 0: [4/4] sums.sum_warp_shuffle", first.stderr)
        self.assertIn("No device is an outlier.", first.stdout)
        run = self.run_of()
        self.assertEqual([device["uuid"] for device in run["devices"]], [FIRST, SECOND])
        self.assertIs(run["together"], True)
        self.assertEqual([m["device"] for m in run["measurements"]], [0] * 4 + [1] * 4)
        self.assertTrue(all(m["status"] == "ok" and m["counters"] for m in run["measurements"]))
        for device in [0, 1]:
            self.assertEqual({c["id"] for c in run["ceilings"] if c["device"] == device},
                             {"dram", "dram_copy", "dram_read", "f32_add", "launch", "nvlink", "nvlink_latency"})
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in self.folder_of_run().iterdir()})
        self.assert_no_meeting_left()

    def test_devices_name_their_hosts_where_there_are_several(self):
        self.launch()
        self.assertFalse([device for device in self.run_of()["devices"] if "host" in device])
        node7 = ["unshare", "--uts", "--map-root-user", "sh", "-c", 'hostname node7 && exec "$@"', "sh"]
        if subprocess.run([*node7, "true"], capture_output=True).returncode != 0:
            self.skipTest("no host name of its own can be given to a process here")
        shutil.rmtree(self.folder / "runs")
        for result in self.launch(each={1: {"within": node7}}):
            self.assert_exit(result, 0)
        own = socket.gethostname()
        self.assertEqual([device["host"] for device in self.run_of()["devices"]], [own, "node7"])
        self.assertIn("| device 1: on host | node7 |", (self.folder_of_run() / "summary.md").read_text())

    def test_every_launcher_is_known(self):
        for launcher in [torchrun, open_mpi, mpich, slurm]:
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            for result in self.launch(launcher=launcher):
                self.assert_exit(result, 0)
            self.assertEqual(len(self.run_of()["devices"]), 2)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_mpirun(self):
        result = subprocess.run(["mpirun", "-n", "2", "--oversubscribe", PROGRAM, "run", "plan.yaml"], cwd=self.folder, capture_output=True,
                                text=True, timeout=120, check=False,
                                env=self.environment(FAKE_COLLECTOR_TWO="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        self.assert_exit(result, 0)
        self.assertEqual(len(self.run_of()["devices"]), 2)

    def test_points_are_measured_at_once_and_ceilings_one_rank_at_a_time(self):
        for result in self.launch(accidents="meet@time:0"):
            self.assert_exit(result, 0)
        for file in (self.folder / "memory").iterdir():
            file.unlink()
        shutil.rmtree(self.folder / "runs")
        first, _ = self.launch("--fresh", accidents="meet@ceilings:dram_read")
        self.assert_exit(first, 1)
        self.assertIn("ceiling dram_read: exited with code 5", first.stdout)

    def share(self):
        self.write("plan.yaml", "name: demo\nexperiments: {e: {variants: [sum_multi_best, sum_multi_nccl], sizes_per_gpu: 2^20, gpus: [1, 2, 4]}}\n")

    def test_points_over_several_gpus_are_measured_by_all_ranks_together(self):
        self.share()
        first, second = self.launch()
        self.assert_exit(first, 0)
        self.assert_exit(second, 0)
        self.assertNotIn("ncomplete", first.stdout)
        points = [(m["device"], m["subject"], m["axes"]["gpus"], m["status"], m.get("cause", "")) for m in self.run_of()["measurements"]]
        in_one_process = "needs its GPUs in one process; across processes, use sum_multi_nccl"
        self.assertEqual(points, [(0, "sum_multi_best", 1, "ok", ""), (0, "sum_multi_best", 2, "skipped", in_one_process),
                                  (0, "sum_multi_best", 4, "skipped", "needs 4 GPUs; there are 2 ranks"),
                                  (0, "sum_multi_nccl", 1, "ok", ""), (0, "sum_multi_nccl", 2, "ok", ""),
                                  (0, "sum_multi_nccl", 4, "skipped", "needs 4 GPUs; there are 2 ranks"),
                                  (1, "sum_multi_best", 1, "ok", ""), (1, "sum_multi_nccl", 1, "ok", "")])
        places = [request["rank_place"] for request in self.sent_requests() if "rank_place" in request]
        self.assertEqual(sorted((place["rank"], place["ranks"]) for place in places), [(0, 2), (1, 2)])
        self.assertEqual(len({place["folder"] for place in places}), 1)
        self.assert_no_meeting_left()

    def test_points_over_several_gpus_begin_when_all_ranks_have_measured_theirs(self):
        self.share()
        each = {0: {"accidents": "meet@together:0"}, 1: {"accidents": "slow@time:0 meet@together:0"}}
        for result in self.launch(each=each):
            self.assert_exit(result, 0)

    def test_a_rank_that_is_missing_costs_only_the_points_over_several_gpus(self):
        self.share()
        first, second = self.launch(accidents="refuse@device:1")
        self.assert_exit(first, 1)
        self.assert_exit(second, 3)
        skipped = [m["cause"] for m in self.run_of()["measurements"] if m["status"] == "skipped"]
        self.assertEqual(len(skipped), 4)
        self.assertRegex(skipped[0], r"needs all ranks: rank 1 \(.*\) has ended")
        self.assertEqual([m["axes"]["gpus"] for m in self.points_of(0) if m["status"] == "ok"], [1, 1])

    def test_a_rank_that_dies_ends_what_they_measure_together(self):
        self.share()
        for victim, other in [("collector", "the collector crashed with SIGSEGV"), ("rank", "the process ended without notice")]:
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            first = self.start(0, 2, accidents="hang@together:2")
            second = self.start(1, 2, accidents="segv@together:2" if victim == "collector" else "mark@together:2 hang@together:2")
            if victim == "rank":
                self.wait_until_reached("together:2", first, second)
                second.kill()
            result = self.end_of(first)
            self.end_of(second)
            self.assert_exit(result, 1)
            self.assertRegex(result.stdout, rf"rank 1 \(.*\): .*{other}")
            failed = [m["cause"] for m in self.points_of(0) if m["status"] == "failed"]
            self.assertRegex(failed[0], r"not measured: rank 1 \(.*\) has ended")
            self.assertEqual([m["axes"]["gpus"] for m in self.points_of(0) if m["status"] == "ok"], [1, 1])

    def test_a_rank_that_dies_before_the_others_begin_together(self):
        self.share()
        first, second = self.launch(each={0: {"accidents": "slow@together:start hang@together:2"}, 1: {"accidents": "segv@together:0"}})
        self.assert_exit(first, 1)
        self.assert_exit(second, 1)
        failed = [m["cause"] for m in self.points_of(0) if m["axes"]["gpus"] == 2]
        self.assertTrue(failed)
        for cause in failed:
            self.assertRegex(cause, r"not measured: rank 1 \(.*\) has ended")

    def test_a_rank_that_sees_one_gpu_alone_measures_on_that(self):
        each = {rank: {"CUDA_VISIBLE_DEVICES": str(rank)} for rank in range(2)}
        for result in self.launch(launcher=slurm, each=each):
            self.assert_exit(result, 0)
        self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [FIRST, SECOND])

    def test_ranks_share_the_devices_that_were_named(self):
        for result in self.launch("--device", "1,0"):
            self.assert_exit(result, 0)
        self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [SECOND, FIRST])

    def test_two_ranks_on_one_gpu_are_a_mistake(self):
        for result in self.launch(ranks=3):
            self.assert_exit(result, 2)
            self.assertIn(f"are on the same GPU 0 ({FIRST})", result.stderr)
            self.assertIn("ranks 0 and 2 (", result.stderr)
        self.assert_nothing_measured()

    def assert_nothing_measured(self):
        self.assertFalse(list((self.folder / "runs").rglob("run.json")))
        self.assert_no_meeting_left()

    def test_ranks_with_other_options_are_a_mistake(self):
        first = self.start(0, 2)
        second = self.start(1, 2, "--no-counters")
        for result in [self.end_of(first), self.end_of(second)]:
            self.assert_exit(result, 2)
            self.assertRegex(result.stderr, r"rank 1 \(.*\) has a different plan or different options from rank 0")
        self.assert_nothing_measured()

    def test_ranks_of_another_build_are_a_mistake(self):
        first = self.start(0, 2)
        runs = self.folder / "runs/demo"
        while not list(runs.rglob("0.hello.json")):
            time.sleep(0.05)
        (hello,) = runs.rglob("0.hello.json")
        (waiting,) = runs.glob(".ranks-*")
        (waiting / "1").write_text("token")
        while not (waiting / "invitation.json").exists():
            time.sleep(0.05)
        other = dict(json.loads(hello.read_text()), program="0.0.9 (commit 1234567)", host="node7")
        other["device"]["uuid"] = SECOND
        (hello.parent / "1.lock").touch()
        (hello.parent / "1.hello.part").write_text(json.dumps(other))
        (hello.parent / "1.hello.part").rename(hello.parent / "1.hello.json")
        result = self.end_of(first)
        self.assert_exit(result, 2)
        self.assertRegex(result.stderr, r"rank 0: rank 1 \(node7\) is rooflinectl 0\.0\.9 \(commit 1234567\), rank 0 \(.*\) is ")
        self.assert_nothing_measured()

    def test_a_rank_that_never_comes_is_named(self):
        result = self.end_of(self.start(0, 2, ROOFLINECTL_RANK_LIMIT="0.5"))
        self.assert_exit(result, 3)
        self.assertIn("rank 0: rank 1 of 2 did not join within 0.5 s", result.stderr)
        self.assertIn("which all hosts must share", result.stderr)
        self.assert_nothing_measured()
        result = self.end_of(self.start(1, 2, ROOFLINECTL_RANK_LIMIT="0.5"))
        self.assert_exit(result, 3)
        self.assertIn("rank 1: rank 0 of 2 did not join within 0.5 s", result.stderr)
        self.assert_no_meeting_left()
        result = self.end_of(self.start(0, 2, ROOFLINECTL_RANK_LIMIT="soon"))
        self.assert_exit(result, 2)
        self.assertIn("ROOFLINECTL_RANK_LIMIT: 'soon' is not a number of seconds", result.stderr)

    def test_what_an_earlier_launch_left_behind_does_no_harm(self):
        stale = [self.start(rank, 3) for rank in [0, 1]]
        while not list((self.folder / "runs").rglob("1.hello.json")):
            time.sleep(0.05)
        for process in stale:
            process.kill()
            self.end_of(process)
        (left,) = (self.folder / "runs/demo").glob("2*")
        self.assertTrue(list((self.folder / "runs/demo").glob(".ranks-*/invitation.json")))
        for result in self.launch():
            self.assert_exit(result, 0)
        self.assertNotEqual(self.folder_of_run(), left)
        self.assertEqual(len(self.run_of()["measurements"]), 8)

    def test_a_rank_that_dies_keeps_what_it_has_finished(self):
        first = self.start(0, 2)
        second = self.start(1, 2, accidents="slow@time:2 mark@time:3 hang@time:3")
        self.wait_until_reached("time:3", first, second)
        second.kill()
        self.end_of(second)
        result = self.end_of(first)
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, rf"rank 1 \(.*\), GPU 1 \({SECOND}\): the process ended without notice")
        self.assertEqual([m["status"] for m in self.points_of(0)], ["ok"] * 4)
        self.assertGreaterEqual(len(self.points_of(1)), 2)
        self.assertEqual(len({c["id"] for c in self.run_of()["ceilings"] if c["device"] == 1}), 7)

    def test_a_rank_that_dies_before_it_has_anything_is_left_out(self):
        first = self.start(0, 2)
        second = self.start(1, 2, accidents="mark@device:1 hang@device:1")
        self.wait_until_reached("device:1", first, second)
        second.kill()
        self.end_of(second)
        result = self.end_of(first)
        self.assert_exit(result, 1)
        self.assertIn("the process ended without notice", result.stdout)
        self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [FIRST])

    def test_the_others_name_a_rank_0_that_dies(self):
        first = self.start(0, 2, accidents="mark@time:1 hang@time:1")
        second = self.start(1, 2, accidents="slow@time:3")
        self.wait_until_reached("time:1", first, second)
        first.kill()
        self.end_of(first)
        result = self.end_of(second)
        self.assert_exit(result, 1)
        self.assertRegex(result.stderr, r"rank 1: rank 0 \(.*\) has died; what this rank has measured is in runs/demo/.*/rank-1")
        folder = pathlib.Path(result.stderr.split("measured is in ")[1].strip())
        (kept,) = (self.folder / folder).glob("points/demo/*/run.json")
        self.assertEqual(len(json.loads(kept.read_text())["measurements"]), 4)

    def test_a_rank_whose_gpu_fails_is_named_and_the_others_are_kept(self):
        for accident, words in [("refuse@device:1", "the GPU has fallen off the bus (look at dmesg)"),
                                (f"unfit@checks:{SECOND}", "this build has no code for this GPU (build it for sm_61)")]:
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            first, second = self.launch(accidents=accident)
            self.assert_exit(first, 1)
            self.assert_exit(second, 3)
            self.assertIn(words, first.stdout)
            self.assertRegex(second.stderr, r"rank 1: (the GPU has fallen|this build has no code)")
            self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [FIRST])
            self.assert_no_meeting_left()

    def test_without_any_gpu_nothing_is_left_nor_replayed(self):
        for result in self.launch(accidents="no_gpu@start"):
            self.assert_exit(result, 3)
            self.assertIn("no CUDA device was found", result.stderr)
        self.assert_nothing_measured()

    def test_ctrl_c_keeps_what_is_finished_and_one_process_finishes_it(self):
        processes = [self.start(rank, 2, accidents="mark@time:1 hang@time:1") for rank in range(2)]
        self.wait_until_reached("time:1", *processes)
        time.sleep(0.5)  # until both have got this far
        for process in processes:
            process.send_signal(signal.SIGINT)
        first, second = [self.end_of(process) for process in processes]
        self.assert_exit(first, 130)
        self.assert_exit(second, 130)
        self.assertIn("the finished results are saved: rooflinectl report", first.stderr)
        self.assertEqual(second.stderr, "")
        self.assertEqual(len(self.run_of()["devices"]), 2)
        self.assert_no_meeting_left()
        self.assert_exit(self.call("run", "--resume", self.folder_of_run(), FAKE_COLLECTOR_TWO="1"), 0)
        self.assertEqual([m["device"] for m in self.run_of()["measurements"]], [0] * 4 + [1] * 4)

    def test_ctrl_c_while_they_wait_for_each_other(self):
        process = self.start(0, 2)
        while not list((self.folder / "runs").rglob("0.hello.json")):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        result = self.end_of(process)
        self.assert_exit(result, 130)
        self.assertIn("interrupted before anything was measured", result.stderr)
        self.assert_nothing_measured()

    def test_what_needs_one_process_is_done_by_rank_0(self):
        first, second = self.launch("--dry-run")
        self.assert_exit(first, 0)
        self.assert_exit(second, 0)
        self.assertIn("sum_warp_shuffle", first.stdout)
        self.assertEqual(second.stdout, "")

    def test_a_single_rank_is_an_ordinary_run(self):
        (result,) = self.launch(ranks=1)
        self.assert_exit(result, 0)
        self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [FIRST])
        self.assertNotIn("together", self.run_of())

    def test_a_plan_with_an_application_needs_one_process(self):
        self.write("plan.yaml", PLAN + "  app:\n    application: {command: [true]}\n")
        for result in self.launch():
            self.assert_exit(result, 2)
            self.assertIn("several ranks cannot measure a plan with an application", result.stderr)


if __name__ == "__main__":
    unittest.main()
