# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl run` started by a launcher, several times at once: a run per rank, which `merge` joins, and what can happen to one of them."""

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
    return {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": ranks, "OMPI_COMM_WORLD_LOCAL_RANK": rank}


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

    def folders(self):
        return sorted((self.folder / "runs/demo").glob("2*-rank*"), key=lambda path: path.name.split("-rank")[1])

    def run_of(self, rank):
        return json.loads((self.folders()[rank] / "run.json").read_text())

    def merge(self, *arguments):
        return self.call("merge", *(arguments or self.folders()))

    def merged(self):
        return json.loads((self.folder / "runs/merged/latest/run.json").read_text())

    def forget(self):
        shutil.rmtree(self.folder / "runs", ignore_errors=True)
        for file in (self.folder / "memory").iterdir():
            file.unlink()


class RunOfARank(Ranks):
    def test_measures_on_its_own_gpu(self):
        first, second = self.launch()
        self.assert_exit(first, 0)
        self.assert_exit(second, 0)
        self.assertEqual([path.name.split("-rank")[1] for path in self.folders()], ["0", "1"])
        for rank, uuid in enumerate([FIRST, SECOND]):
            run = self.run_of(rank)
            self.assertEqual([device["uuid"] for device in run["devices"]], [uuid])
            self.assertEqual([(m["rank"], m["status"]) for m in run["measurements"]], [(rank, "ok")] * 4)
            self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in self.folders()[rank].iterdir()})
        self.assertEqual((self.folder / "runs/demo/latest").resolve(), self.folders()[0].resolve())

    def test_shows_tables_on_rank_0_only(self):
        first, second = self.launch()
        self.assertIn("[4/4] sums.sum_warp_shuffle", first.stderr)
        self.assertIn("warp shuffle", first.stdout)
        self.assertEqual(second.stdout.strip(), str(self.folders()[1].relative_to(self.folder) / "report.html"))
        self.assertEqual(second.stderr, "")

    def test_knows_every_launcher(self):
        for launcher in [torchrun, open_mpi, mpich, slurm]:
            self.forget()
            for result in self.launch(launcher=launcher):
                self.assert_exit(result, 0)
            self.assertEqual([self.run_of(rank)["devices"][0]["uuid"] for rank in [0, 1]], [FIRST, SECOND])

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_runs_below_mpirun(self):
        result = subprocess.run(["mpirun", "-n", "2", "--oversubscribe", PROGRAM, "run", "plan.yaml"], cwd=self.folder, capture_output=True,
                                text=True, timeout=120, check=False,
                                env=self.environment(FAKE_COLLECTOR_TWO="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1"))
        self.assert_exit(result, 0)
        self.assertEqual(len(self.folders()), 2)

    def test_measures_points_at_once_and_ceilings_in_turn(self):
        for result in self.launch(accidents="meet@time:0"):
            self.assert_exit(result, 0)
        self.forget()
        first, second = self.launch("--fresh", accidents="meet@ceilings:dram_read")
        self.assert_exit(first, 1)
        self.assert_exit(second, 1)
        self.assertIn("ceiling dram_read: exited with code 5", first.stdout)

    def test_measures_the_only_gpu_that_it_sees(self):
        each = {rank: {"CUDA_VISIBLE_DEVICES": str(rank)} for rank in range(2)}
        for result in self.launch(launcher=slurm, each=each):
            self.assert_exit(result, 0)
        self.assertEqual([self.run_of(rank)["devices"][0]["uuid"] for rank in [0, 1]], [FIRST, SECOND])

    def test_measures_its_share_of_the_named_devices(self):
        for result in self.launch("--device", "1,0"):
            self.assert_exit(result, 0)
        self.assertEqual([self.run_of(rank)["devices"][0]["uuid"] for rank in [0, 1]], [SECOND, FIRST])

    def test_refuses_a_gpu_that_another_rank_measures(self):
        results = self.launch(ranks=3, accidents="slow@time:0 slow@time:1")
        refused = [result for result in results if result.returncode == 2]
        self.assertEqual(len(refused), 1, results)
        self.assertRegex(refused[0].stderr, rf"rank [02]: GPU 0 \({FIRST}\) is measured by process \d+ already")
        self.assertIn("start one rank per GPU", refused[0].stderr)

    def test_is_named_in_its_error(self):
        for accident, words in [("no_gpu@start", "no CUDA device was found"), (f"unfit@checks:{SECOND}", "this build has no code for this GPU")]:
            self.forget()
            _, second = self.launch(accidents=accident)
            self.assert_exit(second, 3)
            self.assertIn(f"rank 1: {words}", second.stderr)
        self.assertEqual(len(self.folders()), 1)

    def test_keeps_what_is_finished_when_interrupted(self):
        process = self.start(1, 2, accidents="mark@time:3 hang@time:3")
        while not (self.folder / "memory/reached_time_3").exists():
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        result = self.end_of(process)
        self.assert_exit(result, 130)
        self.assertIn("the finished results are saved: rooflinectl report", result.stderr)
        (folder,) = self.folders()
        self.assert_exit(self.call("run", "--resume", folder, FAKE_COLLECTOR_TWO="1"), 0)
        self.assertEqual([m["rank"] for m in self.run_of(0)["measurements"]], [1] * 4)

    def test_waits_for_its_turn_until_interrupted(self):
        first = self.start(0, 2, accidents="mark@ceilings:dram_copy hang@ceilings:dram_copy")
        while not (self.folder / "memory/reached_ceilings_dram_copy").exists():
            time.sleep(0.05)
        second = self.start(1, 2)
        while "SigBlk:\t0000000000000000" in pathlib.Path(f"/proc/{second.pid}/status").read_text():
            time.sleep(0.05)
        second.send_signal(signal.SIGTERM)
        result = self.end_of(second)
        self.assert_exit(result, 143)
        self.assertIn("interrupted before anything was measured", result.stderr)
        first.send_signal(signal.SIGINT)
        self.end_of(first)

    def test_leaves_what_needs_one_process_to_rank_0(self):
        first, second = self.launch("--dry-run")
        self.assert_exit(first, 0)
        self.assert_exit(second, 0)
        self.assertIn("sum_warp_shuffle", first.stdout)
        self.assertEqual(second.stdout, "")

    def test_is_an_ordinary_run_when_alone(self):
        (result,) = self.launch(ranks=1)
        self.assert_exit(result, 0)
        self.assertEqual(self.folders(), [])
        self.assertNotIn("rank", self.run_json()["measurements"][0])

    def test_refuses_a_plan_with_an_application(self):
        self.write("plan.yaml", PLAN + "  app:\n    application: {command: [true]}\n")
        for result in self.launch():
            self.assert_exit(result, 2)
            self.assertIn("several ranks cannot measure a plan with an application", result.stderr)


class PointsOverRanks(Ranks):
    def setUp(self):
        super().setUp()
        self.write("plan.yaml", "name: demo\nexperiments: {e: {variants: [sum_multi_best, sum_multi_nccl], sizes_per_gpu: 2^20, gpus: [1, 2, 4]}}\n")

    def points_of(self, run, gpus):
        return [(m["subject"], m["status"], m.get("cause", "")) for m in run["measurements"] if m["axes"]["gpus"] == gpus]

    def test_are_measured_where_the_launcher_or_nccl_says(self):
        for result in self.launch():
            self.assert_exit(result, 0)
        self.launch(launcher=open_mpi, NCCL_COMM_ID="node1:7000")
        places = [request["rank_place"] for request in self.sent_requests()]
        self.assertEqual(sorted((place["rank"], place["ranks"], place["address"], place["obstacle"]) for place in places),
                         [(rank, 2, address, "") for rank in [0, 1] for address in ["localhost:29501", "node1:7000"]])
        self.assertEqual(self.points_of(self.run_of(0), 2),
                         [("sum_multi_best", "skipped", "needs its GPUs in one process; across processes, use sum_multi_nccl"),
                          ("sum_multi_nccl", "ok", "")])
        self.assertEqual(self.points_of(self.run_of(0), 1), [("sum_multi_best", "ok", ""), ("sum_multi_nccl", "ok", "")])

    def test_are_skipped_without_an_address(self):
        for result in self.launch(launcher=mpich):
            self.assert_exit(result, 0)
        for rank in [0, 1]:
            self.assertIn(("sum_multi_nccl", "skipped", "needs NCCL_COMM_ID=HOST:PORT, a free port on the host of rank 0, in the "
                           "environment of all ranks"), self.points_of(self.run_of(rank), 2))

    def test_are_skipped_after_a_collector_died(self):
        result = self.end_of(self.start(0, 2, accidents="segv@time:0"))
        self.assert_exit(result, 1)
        self.assertIn(("sum_multi_nccl", "skipped", "needs all ranks: the collector of rank 0 crashed with SIGSEGV while timing"),
                      self.points_of(self.run_of(0), 2))
        self.assertIn("points over several GPUs: needs all ranks", result.stdout)
        self.assertIn(("sum_multi_nccl", "ok", ""), self.points_of(self.run_of(0), 1))

    def test_are_skipped_if_the_others_do_not_come(self):
        result = self.end_of(self.start(0, 2, accidents="hang@ranks", ROOFLINECTL_SILENCE_LIMIT="1"))
        self.assert_exit(result, 1)
        self.assertIn(("sum_multi_nccl", "skipped", "needs all ranks: the collector of rank 0 hung (no output for 1 s) while waiting for "
                       "the other ranks"), self.points_of(self.run_of(0), 2))
        self.assertIn(("sum_multi_nccl", "ok", ""), self.points_of(self.run_of(0), 1))

    def test_are_merged_once(self):
        self.launch(each={0: {"accidents": "failed@verify:4"}})
        self.assert_exit(self.merge(), 0)
        points = [(m["device"], m["rank"], m["subject"], m["axes"]["gpus"], m["status"]) for m in self.merged()["measurements"]]
        self.assertEqual(points, [(0, 0, "sum_multi_best", 1, "ok"), (0, 0, "sum_multi_best", 2, "skipped"), (0, 0, "sum_multi_best", 4, "skipped"),
                                  (0, 0, "sum_multi_nccl", 1, "ok"), (1, 1, "sum_multi_nccl", 2, "ok"), (0, 0, "sum_multi_nccl", 4, "skipped"),
                                  (1, 1, "sum_multi_best", 1, "ok"), (1, 1, "sum_multi_nccl", 1, "ok")])


class MergeOfPlans(Ranks):
    def test_joins_the_ranks(self):
        self.launch()
        result = self.merge(*reversed(self.folders()))
        self.assert_exit(result, 0)
        self.assertIn("No device is an outlier.", result.stdout)
        self.assertIn("2 runs merged", result.stdout)
        run = self.merged()
        self.assertEqual([device["uuid"] for device in run["devices"]], [FIRST, SECOND])
        self.assertIs(run["together"], True)
        self.assertEqual([(m["device"], m["rank"]) for m in run["measurements"]], [(0, 0)] * 4 + [(1, 1)] * 4)
        self.assertTrue(all(m["status"] == "ok" and m["counters"] for m in run["measurements"]))
        for device in [0, 1]:
            self.assertEqual({c["id"] for c in run["ceilings"] if c["device"] == device},
                             {"dram", "dram_copy", "dram_read", "f32_add", "launch", "nvlink", "nvlink_latency"})
        folder = self.folder / "runs/merged/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        self.assert_exit(self.call("report", folder), 0)

    def test_names_hosts_if_there_are_several(self):
        self.launch()
        self.assert_exit(self.merge(), 0)
        self.assertFalse([device for device in self.merged()["devices"] if "host" in device])
        second = self.folders()[1] / "run.json"
        second.write_text(json.dumps(dict(self.run_of(1), host="node7")))
        self.assert_exit(self.merge(), 0)
        self.assertEqual([device["host"] for device in self.merged()["devices"]], [socket.gethostname(), "node7"])
        self.assertIn("| device 1: on host | node7 |", (self.folder / "runs/merged/latest/summary.md").read_text())

    def test_refuses_runs_that_are_of_no_one_launch(self):
        self.launch()
        file = self.folders()[1] / "run.json"
        original = self.run_of(1)
        first_points = self.run_of(0)["measurements"]
        for change, words in [({"plan": dict(original["plan"], name="other")}, "they have different plans"),
                              ({"tool": dict(original["tool"], commit="1234567")}, "different versions of rooflinectl measured them"),
                              ({"measurements": first_points}, "both have rank 0"),
                              ({"devices": self.run_of(0)["devices"]}, f"both are of the GPU {FIRST}")]:
            file.write_text(json.dumps({**original, **change}))
            result = self.merge()
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)
            self.assertIn("merge joins the runs of one launch", result.stderr)

    def test_leaves_out_a_run_of_a_program(self):
        self.launch()
        file = self.folders()[1] / "run.json"
        file.write_text(json.dumps(dict(self.run_of(1), application={"command_line": ["train"], "runs": 1, "processes": [], "launches": 0,
                                                                          "untraced": 0, "lost": 0, "devices": [], "transfers": []})))
        result = self.merge()
        self.assert_exit(result, 2)
        self.assertIn("merge needs at least two runs", result.stderr)
        self.assertIn("is not a run of rooflinectl run", result.stderr)


if __name__ == "__main__":
    unittest.main()
