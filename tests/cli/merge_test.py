# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl merge`, and `rooflinectl profile` below a launcher, with programs that play ranks (fake_guest.py)."""

import gzip
import json
import shutil
import subprocess
import sys
import time
import unittest

from program import HERE, REPORTS, SOURCE, ProgramTest

GUEST = str(HERE / "fake_guest.py")


class Ranks(ProgramTest):
    def setUp(self):
        super().setUp()
        self.start = time.monotonic_ns()

    def profile(self, rank, *guest, ranks=2, options=(), host="", ahead_ns=0, **extra):
        """Of one rank; the clock of another host is `ahead_ns` ahead of that of the first."""
        variables = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "FAKE_GUEST_START": str(self.start + ahead_ns),
                     "FAKE_COLLECTOR_UUID": f"GPU-00000000-0000-0000-0000-{rank:012}", "ROOFLINECTL_INJECTION": "/lib/librooflinectl-injection.so", **extra}
        if host:
            variables["FAKE_GUEST_HOST"] = host
        result = self.call("profile", "--quiet", *options, "--", sys.executable, GUEST, *guest, **variables)
        self.assertIn(result.returncode, [0, 5], result.stderr)
        return result

    def runs(self):
        return sorted(path for path in (self.folder / "runs/fake_guest").iterdir() if "-rank" in path.name)

    def merge(self, *arguments):
        return self.call("merge", *(arguments or self.runs()))

    def merged(self):
        return json.loads((self.folder / "runs/merged/latest/run.json").read_text())

    def problems(self):
        return [problem["cause"] for problem in self.merged()["application"].get("problems", [])]

    def summary(self):
        return (self.folder / "runs/merged/latest/summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")


class BelowALauncher(Ranks):
    def test_every_rank_has_a_folder_of_its_own(self):
        for rank in range(3):
            self.profile(rank, "often", ranks=16)
        self.assertEqual([path.name.split("-rank")[1] for path in self.runs()], ["00", "01", "02"])
        self.assertEqual((self.folder / "runs/fake_guest/latest").resolve(), self.runs()[0].resolve())

    def test_a_process_knows_its_rank_host_and_device(self):
        self.profile(1, "often", host="node7")
        run = json.loads((self.runs()[0] / "run.json").read_text())
        [process] = run["application"]["processes"]
        self.assertEqual((process["rank"], process["ranks"], process["host"], process["devices"]), (1, 2, 0, [0]))
        [host] = run["application"]["hosts"]
        self.assertEqual((host["name"], host["boot_id"], host["clock_ns"]), ("node7", "boot of node7", self.start))
        self.assertEqual(run["measurements"][0]["rank"], 1)

    def test_a_rank_is_never_run_again_alone(self):
        self.profile(0)
        self.assertEqual(json.loads((self.runs()[0] / "run.json").read_text())["application"]["runs"], 1)

    def test_one_rank_alone_is_like_no_launcher(self):
        self.profile(0, ranks=1)
        self.assertEqual(json.loads((self.folder / "runs/fake_guest/latest/run.json").read_text())["application"]["runs"] > 1, True)
        self.assertEqual(self.runs(), [])


class Merge(Ranks):
    def test_joins_the_ranks_of_a_host(self):
        self.profile(0, "often")
        self.profile(1, "often")
        result = self.merge()
        self.assert_exit(result, 0)
        self.assertIn("2 ranks on 1 host, Fake GPU.", result.stdout)
        self.assertIn("2 runs merged", result.stdout)
        folder = self.folder / "runs/merged/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        run = self.merged()
        self.assertEqual([device["uuid"][-1] for device in run["devices"]], ["0", "1"])
        self.assertEqual([process["rank"] for process in run["application"]["processes"]], [0, 1])
        self.assertEqual(run["application"]["launches"], 220)
        self.assertEqual(sorted({(m["device"], m["rank"]) for m in run["measurements"]}), [(0, 0), (1, 1)])
        self.assertEqual({c.get("device", 0) for c in run["ceilings"]}, {0, 1})
        self.assertIn("No rank is slower than the others", self.summary())
        self.assertIn(", device 1 (rank 1): Fake GPU", self.summary())

    def test_names_the_rank_that_is_slower(self):
        for rank in range(4):
            self.profile(rank, "often", *(["slow"] if rank == 2 else []), ranks=4)
        result = self.merge()
        self.assert_exit(result, 0)
        self.assertRegex(self.summary(), r"Rank 2 \(\S+, device 2\) is slower than the others in 1 of 2 launch groups: .*; most of it in add: "
                                         r"12.05 µs per launch in the mean, against 10.05 µs in the median rank")
        self.assertEqual(self.call("report", self.folder / "runs/merged/latest").returncode, 0)

    def test_ranks_wait_for_the_one_that_comes_last(self):
        self.profile(0, "often", "nccl")
        self.profile(1, "often", "nccl")
        self.assert_exit(self.merge(), 0)
        self.assertIn("50.0 % of the time in collectives is spent waiting for the last rank to arrive (19 were matched between "
                      "ranks; 1 more is left out: counting disturbed it). Of that, 100.0 % is for rank 1.", self.summary())
        self.assertIn("| step |", self.summary())
        self.assertIn("| all-reduce | 16.777 MB | 2 | 19 | 100.0 µs | 168 GB/s | 168 GB/s | – | – | – | – |", self.summary())

    def test_collectives_are_compared_with_those_that_were_measured_alone(self):
        self.measure_ceilings()
        self.profile(0, "often", "nccl")
        self.profile(1, "often", "nccl")
        self.assert_exit(self.merge(), 0)
        self.assertIn("| all-reduce | 16.777 MB | 2 | 19 | 100.0 µs | 168 GB/s | 168 GB/s | – | " + self.BESIDE_ALONE, self.summary())
        self.assertIn("**Collectives alone, over 2 devices, NCCL 2.99.0, 20", self.summary())
        self.assertIn("Without waiting, collectives take 92.5 % longer than in isolation (NCCL 2.99.0, 20", self.summary())
        self.assertIn("](collectives.png)", self.summary())

    def test_so_are_those_of_ranks_that_are_profiled_together(self):
        self.measure_ceilings()
        self.profile_together()
        summary = (self.folder / "runs/sh/latest/summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn("| all-reduce | 16.777 MB | 2 | 19 | 100.0 µs | 168 GB/s | 168 GB/s | 41.9 % | " + self.BESIDE_ALONE, summary)

    def test_a_program_without_collectives_has_none_beside_it(self):
        self.measure_ceilings()
        self.profile(0, "often")
        self.profile(1, "often")
        self.assert_exit(self.merge(), 0)
        self.assertNotIn("collectives", self.merged())

    def test_collectives_of_other_devices_or_drivers_are_not_compared(self):
        self.measure_ceilings(FAKE_COLLECTOR_DRIVER="570.00")
        self.profile(0, "often", "nccl")
        self.profile(1, "often", "nccl")
        self.assert_exit(self.merge(), 0)
        self.assertNotIn("collectives", self.merged())
        self.assertIn("It is unknown how much longer they take than when run alone: rooflinectl ceilings --device all", self.summary())
        self.measure_ceilings()
        self.profile(2, "often", "nccl", ranks=3)
        self.assert_exit(self.merge(), 0)
        self.assertNotIn("collectives", self.merged())

    # 16 MiB: alone 10 µs and what 400 GB/s take.
    BESIDE_ALONE = "323 GB/s | 51.9 % | 48.06 µs |"

    def measure_ceilings(self, **extra):
        self.assert_exit(self.call("ceilings", "--device", "all", FAKE_COLLECTOR_TWO="1",
                                   FAKE_COLLECTOR_SECOND_UUID="GPU-00000000-0000-0000-0000-000000000001", **extra), 0)

    def profile_together(self, *guest):
        command = " & ".join(f"RANK={rank} WORLD_SIZE=2 '{sys.executable}' '{GUEST}' often nccl {' '.join(guest)}" for rank in range(2))
        result = self.call("profile", "--once", "--", "sh", "-c", f"{command}; wait", FAKE_COLLECTOR_TWO="1",
                           FAKE_COLLECTOR_SECOND_UUID="GPU-00000000-0000-0000-0000-000000000001", FAKE_GUEST_START=str(self.start),
                           ROOFLINECTL_INJECTION="/lib/librooflinectl-injection.so")
        self.assert_exit(result, 0)

    def test_collectives_that_waited_for_a_held_rank_are_in_no_time(self):
        self.profile_together("waits")
        folder = self.folder / "runs/sh/latest"
        run = json.loads((folder / "run.json").read_text())
        for device, duration_s in [(0, 3e-4), (1, 1e-4)]:
            of_device = [point["launches"] for point in run["measurements"] if point["device"] == device]
            [launches] = [launches for launches in of_device if "nccl" in launches["symbol"]]
            self.assertEqual([launches[key] for key in ["count", "traced", "held"]], [20, 15, 5])
            self.assertAlmostEqual(launches["total_s"], 15 * duration_s, 9)
            self.assertAlmostEqual(launches["held_s"], 5 * (duration_s + (8e-4 if device == 1 else 0)), 9)
            self.assertAlmostEqual(run["application"]["devices"][device]["kernel_s"],
                                   sum(launches["total_s"] for launches in of_device), 9)
        self.assertEqual([len(process.get("holds", [])) for process in run["application"]["processes"]], [2, 0])
        summary = (folder / "summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn("10 of 40 launches of collectives (6.000 ms) waited for a rank that was held to be counted: they are in no time.", summary)
        self.assertIn("(15 were matched between ranks; 5 more are left out: counting disturbed them)", summary)

    def test_a_collective_of_which_each_launch_waited_has_no_time(self):
        self.profile_together("waits:all")
        folder = self.folder / "runs/sh/latest"
        run = json.loads((folder / "run.json").read_text())
        for point in run["measurements"]:
            if "nccl" in point["subject"]:
                self.assertNotIn("time", point)
                self.assertEqual((point["launches"]["traced"], point["launches"]["total_s"]), (0, 0))
        summary = (folder / "summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
        self.assertIn("each of its launches with a time waited for a rank that was held to be counted", summary)
        self.assertIn("40 of 40 launches of collectives", summary)
        self.assertIn("The time in collectives is unknown: each launch with a time waited", summary)
        self.assertIn("| step | – | – | 0 | – |", summary)
        self.assertNotIn("Collectives take", summary)
        for command in [["explain", folder, "--all"], ["compare", folder, folder], ["gate", folder, folder], ["report", folder, "--output", "again"]]:
            self.assertNotIn("none of its launches was traced", self.call(*command).stdout)

    def test_so_are_those_that_waited_for_a_rank_of_another_run(self):
        self.profile(0, "often", "nccl", "waits", host="node1")
        self.profile(1, "often", "nccl", "waits", host="node2", ahead_ns=7_000_000_000)
        alone = json.loads((self.runs()[1] / "run.json").read_text())
        self.assertNotIn("held", next(point["launches"] for point in alone["measurements"] if "nccl" in point["subject"]))
        self.assert_exit(self.merge(), 0)
        run = self.merged()
        for device, duration_s in [(0, 3e-4), (1, 1e-4)]:
            of_device = [point["launches"] for point in run["measurements"] if point["device"] == device]
            [launches] = [launches for launches in of_device if "nccl" in launches["symbol"]]
            self.assertEqual([launches[key] for key in ["count", "traced", "held"]], [20, 15, 5])
            self.assertAlmostEqual(launches["total_s"], 15 * duration_s, 9)
            self.assertAlmostEqual(run["application"]["devices"][device]["kernel_s"],
                                   sum(launches["total_s"] for launches in of_device), 9)
        self.assertIn("10 of 40 launches of collectives (6.000 ms) waited for a rank that was held to be counted", self.summary())

    def test_waiting_is_not_judged_while_launches_are_held_to_be_counted(self):
        self.profile(0, "often", "nccl", "held")
        self.profile(1, "often", "nccl")
        self.assert_exit(self.merge(), 0)
        self.assertIn("(14 were matched between ranks; 6 more are left out: counting disturbed them). Of that, 100.0 % is for rank 1.", self.summary())

    def test_waiting_is_unavailable_where_launches_were_held_all_the_time(self):
        self.profile(0, "often", "nccl", "held:all")
        self.profile(1, "often", "nccl")
        self.assert_exit(self.merge(), 0)
        self.assertIn("The waiting time in them is unknown: around all 20 that were matched between ranks, launches were held for counting.", self.summary())
        self.assertRegex(self.summary(), r"\| rank 0 \| .* \| – \| – \| ")

    def test_aligns_hosts_by_collectives(self):
        ahead_ns = 123_456_789_000
        self.profile(0, "often", "nccl", host="node1")
        self.profile(1, "often", "nccl", host="node2", ahead_ns=ahead_ns)
        self.assert_exit(self.merge(), 0)
        first, second = self.merged()["application"]["hosts"]
        self.assertAlmostEqual(second["clock_ns"] - first["clock_ns"], ahead_ns, delta=1000)
        self.assertLess(second["uncertainty_s"], 1e-6)
        self.assertEqual(self.problems(), [])

    def test_does_not_align_hosts_without_collectives(self):
        self.profile(0, "often", host="node1")
        self.profile(1, "often", host="node2", ahead_ns=5_000_000_000)
        self.assert_exit(self.merge(), 0)
        self.assertNotIn("uncertainty_s", self.merged()["application"]["hosts"][1])
        self.assertTrue(any("the times of node2 cannot be compared with those of node1" in cause for cause in self.problems()))

    def test_joins_timelines(self):
        for rank in range(2):
            self.profile(rank, "often", options=["--timeline=50us"])
        self.assert_exit(self.merge(), 0)
        timeline = json.loads(gzip.decompress((self.folder / "runs/merged/latest/timeline.json.gz").read_bytes()))
        self.assertEqual([device["device"] for device in timeline["devices"]], [0, 1])
        measurements = self.merged()["measurements"]
        for device in timeline["devices"]:
            self.assertEqual({measurements[launch[0]]["device"] for launch in device["launches"]}, {device["device"]})

    def test_many_devices(self):
        for rank in range(10):
            self.profile(rank, "often", ranks=10)
        self.assert_exit(self.merge(), 0)
        run = self.merged()
        self.assertEqual(len({m["device"] for m in run["measurements"]}), 8)
        [group] = [group for group in run["application"]["other_ranks"] if group["subject"] == "add(float*)"]
        self.assertEqual(len(group["ranks"]), 2)
        self.assertIn("10 ranks on 1 host", self.summary())


class ManyRanks(Ranks):
    """Of scripts/simulated_ranks.py, which also makes the thousands that docs/scaling.md has the times of."""

    def test_ranks_of_several_hosts_made_of_a_recording(self):
        subprocess.run([sys.executable, SOURCE / "scripts/simulated_ranks.py", SOURCE / "recordings/training-step-h200/run.json.gz",
                        self.folder / "simulated", "--ranks", "20", "--groups", "12", "--slow", "17"], check=True)
        self.assert_exit(self.merge(*sorted((self.folder / "simulated").iterdir())), 0)
        run = self.merged()
        self.assertEqual(len(run["application"]["processes"]), 20)
        self.assertEqual([host["name"] for host in run["application"]["hosts"]], ["node000", "node001", "node002"])
        self.assertEqual([device["host"] for device in run["devices"]], [f"node00{rank // 8}" for rank in range(20)])
        self.assertTrue(all(host["uncertainty_s"] < 1e-5 for host in run["application"]["hosts"]), run["application"]["hosts"])
        self.assertEqual(len({m["device"] for m in run["measurements"]}), 8)
        self.assertEqual([len(group["ranks"]) for group in run["application"]["other_ranks"]], [12] * 12)
        kept = run["measurements"][0]
        self.assertTrue(kept["counters"] and kept["time"]["samples_s"] and kept["launches"]["over_time"])
        summary = self.summary()
        self.assertIn("20 ranks on 3 hosts, NVIDIA H200.", summary)
        self.assertIn(" together: 8 × NVIDIA H200", summary)
        self.assertIn("The program used more GPUs, but the run has counters for these 8 only.", summary)
        self.assertRegex(summary, r"Rank 17 \(node002, device 17\) is slower than the others in \d+ of 12 launch groups")
        self.assertEqual(summary.count("is slower than the others in"), 1)
        self.assertRegex(summary, r"of the time in collectives is spent waiting for the last rank to arrive \(\d+ were matched between ranks"
                         r"(; \d+ more (is|are) left out: counting disturbed (it|them))?\)")


class BadDays(Ranks):
    def test_a_rank_that_died(self):
        self.profile(0, "often")
        self.profile(1, "often", "abrupt", "exit:5")
        result = self.merge()
        self.assert_exit(result, 0)
        self.assertIn("rank 1: it ended without notice", self.summary())
        self.assertIn("rank 1: it ended with exit code 5", self.summary())

    def test_a_folder_that_is_no_run(self):
        self.profile(0, "often")
        self.profile(1, "often")
        (self.folder / "empty").mkdir()
        result = self.merge(*self.runs(), "empty")
        self.assert_exit(result, 1)
        self.assertIn("left out: empty/run.json", result.stderr)
        self.assertEqual(len(self.merged()["application"]["processes"]), 2)
        self.assertTrue(any("empty/run.json" in cause for cause in self.problems()))

    def test_a_rank_whose_rooflinectl_was_killed(self):
        for rank in range(3):
            self.profile(rank, "often", ranks=3)
        killed = self.runs()[2]
        shutil.rmtree(killed)
        (killed / "records-1").mkdir(parents=True)
        result = self.merge()
        self.assert_exit(result, 1)
        self.assertIn(f"; rooflinectl was killed there: rooflinectl profile --resume {killed} completes the run", result.stderr)

    def test_a_run_that_is_damaged_where_its_outline_is_not(self):
        for rank in range(2):
            self.profile(rank, "often")
        file = self.runs()[1] / "run.json"
        run = json.loads(file.read_text())
        run["measurements"][0]["launches"]["over_time"] = [["nonsense"]]
        file.write_text(json.dumps(run))
        self.assert_exit(self.merge(), 0)
        self.assertTrue(any("measurements are left out, except for their times" in cause and "/over_time/0" in cause for cause in self.problems()))
        self.assertEqual({m["device"] for m in self.merged()["measurements"]}, {0})
        [group] = [group for group in self.merged()["application"]["other_ranks"] if group["subject"] == "add(float*)"]
        self.assertEqual(len(group["ranks"]), 1)

    def test_nothing_but_folders_that_are_no_runs(self):
        (self.folder / "empty").mkdir()
        result = self.merge("empty", "missing")
        self.assert_exit(result, 2)
        self.assertIn("merge needs at least two runs\n", result.stderr)
        self.assertIn("hint: name the folders that rooflinectl profile or run wrote", result.stderr)
        self.assert_nothing_written()

    def test_a_rank_that_is_missing(self):
        for rank in [0, 2]:
            self.profile(rank, "often", ranks=4)
        self.assert_exit(self.merge(), 0)
        self.assertIn("2 of 4 ranks are here; missing: 1, 3", self.problems())

    def test_the_same_rank_of_two_launches(self):
        self.profile(0, "often")
        self.profile(1, "often")
        self.profile(1, "often", FAKE_GUEST_START=str(self.start + 10**9))
        result = self.merge()
        self.assert_exit(result, 2)
        self.assertIn("both have rank 1", result.stderr)
        self.assertFalse((self.folder / "runs/merged").exists())

    def test_the_same_run_twice(self):
        self.profile(0, "often")
        self.profile(1, "often")
        shutil.copytree(self.runs()[1], self.folder / "copy")
        self.assert_exit(self.merge(*self.runs(), self.folder / "runs/fake_guest/latest", "copy"), 0)
        self.assertEqual(len(self.merged()["application"]["processes"]), 2)
        self.assertEqual([cause for cause in self.problems() if "duplicates" in cause], ["copy duplicates an earlier run and is counted only once"])

    def test_different_programs_and_versions(self):
        self.profile(0, "often")
        self.profile(1, "often")
        file = self.runs()[1] / "run.json"
        run = json.loads(file.read_text())
        run["tool"]["version"] = "0.0.9"
        run["plan"]["name"] = "solver"
        file.write_text(json.dumps(run))
        self.assert_exit(self.merge(), 0)
        self.assertIn("the ranks ran different programs: fake_guest (ranks 0), solver (ranks 1)", self.problems())
        self.assertTrue(any("different versions of rooflinectl" in cause for cause in self.problems()))

    def test_processes_with_the_same_id(self):
        self.profile(0, "often", host="node1")
        self.profile(1, "often", host="node2")
        for path in self.runs():
            run = json.loads((path / "run.json").read_text())
            own = run["application"]["processes"][0]["id"]
            (path / "run.json").write_text(json.dumps(run).replace(f'"id": {own}', '"id": 7').replace(f'"process": {own}', '"process": 7'))
        self.assert_exit(self.merge(), 0)
        self.assertEqual([process["id"] for process in self.merged()["application"]["processes"]], [7, 8])
        self.assertEqual(sorted({(m["device"], m["process"]) for m in self.merged()["measurements"]}), [(0, 7), (1, 8)])

    def test_a_run_that_is_not_of_a_program(self):
        self.profile(0, "often")
        self.assert_exit(self.run_plan(), 0)
        result = self.merge(*self.runs(), "runs/demo/latest")
        self.assert_exit(result, 2)
        self.assertIn("is not a run of rooflinectl profile", result.stderr)


if __name__ == "__main__":
    unittest.main()
