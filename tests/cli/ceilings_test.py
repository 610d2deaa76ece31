# SPDX-License-Identifier: Apache-2.0
"""Ceilings: measured, known from earlier runs, confirmed."""

import json
import signal
import subprocess
import time
import unittest

from program import FIRST, PROGRAM, REPORTS, SECOND, ProgramTest


class Ceilings(ProgramTest):
    """Measured once, used until something changes that they depend on."""

    def ceilings(self, *arguments, accidents="", **extra):
        return self.call("ceilings", *arguments, accidents=accidents, **extra)

    def asked_for(self):
        """The ids that the last collector was asked to measure, without those known to the program."""
        request = self.sent_requests()[-1]
        known = {name for known in request["known_ceilings"] for name in known["ids"]}
        return set(request["plan"]["ceilings"]) - known

    def test_measures_and_draws_them(self):
        result = self.ceilings()
        self.assert_exit(result, 0)
        for word in ["ceiling", "theoretical", "spread", "3.00 TB/s", "30.0 TFLOP/s"]:
            self.assertIn(word, result.stdout)
        folder = self.folder / "runs/ceilings/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        run = json.loads((folder / "run.json").read_text())
        self.assertEqual(run["measurements"], [])
        for ceiling in run["ceilings"]:
            self.assertEqual("measured_utc" in ceiling, ceiling["source"] == "measured", ceiling["id"])

    def test_a_later_run_reuses_them_and_reports_it(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.run_plan()
        self.assert_exit(result, 0)
        self.assertRegex(result.stderr, r"reusing 3 ceilings, measured \d{4}-\d\d-\d\d \d\d:\d\d UTC; --fresh measures again")
        self.assertNotIn("ceiling dram_read:", result.stderr)
        self.assertEqual({c["id"] for c in self.run_json()["ceilings"]}, {"dram", "dram_copy", "dram_read", "f32_add", "launch"})

    def test_those_under_the_power_cap_are_reused_with_those_in_a_burst(self):
        self.assert_exit(self.ceilings(), 0)
        (cache,) = (self.folder / "cache/rooflinectl/ceilings").glob("*.json")
        known = json.loads(cache.read_text())
        [burst] = (one for one in known["ceilings"] if one["id"] == "f32_add")
        known["ceilings"].append(dict(burst, id="f32_add_sustained", operation="sustained"))
        cache.write_text(json.dumps(known))
        self.assert_exit(self.run_plan(), 0)
        self.assertIn("f32_add_sustained", {one["id"] for one in self.run_json()["ceilings"]})

    def test_fresh_measures_again_and_keeps_what_it_found(self):
        self.assert_exit(self.ceilings(), 0)
        for call in [self.ceilings, lambda *arguments: self.run_plan("", *arguments)]:
            result = call("--fresh")
            self.assert_exit(result, 0)
            self.assertIn("ceiling dram_read:", result.stderr)
            self.assertEqual(self.sent_requests()[-1]["known_ceilings"], [])

    def test_quick_leaves_the_others_in_the_cache(self):
        self.assert_exit(self.ceilings("--quick"), 0)
        self.assertEqual(self.asked_for(), {"dram_copy", "dram_read", "f32_add"})

    def test_another_clock_makes_them_stale(self):
        self.assert_exit(self.ceilings(), 0)
        result = self.ceilings(FAKE_COLLECTOR_CLOCK_HZ="1.2e9")
        self.assertNotIn("reusing", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_damaged_cache_is_named_and_not_used(self):
        self.assert_exit(self.ceilings(), 0)
        (cache,) = (self.folder / "cache/rooflinectl/ceilings").glob("*.json")
        cache.write_text("{")
        result = self.ceilings()
        self.assert_exit(result, 0)
        self.assertIn(f"{cache}: ", result.stderr)
        self.assertIn("ceiling dram_read:", result.stderr)

    def test_a_collector_that_makes_ceilings_up_is_not_believed(self):
        self.assert_exit(self.ceilings(), 0)
        self.assertNotIn("reusing", self.ceilings(accidents="boast@start").stderr)

    def test_each_is_shown_once_and_confirmed(self):
        result = self.ceilings()
        self.assertEqual(result.stderr.count("ceiling dram_read:"), 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        for ceiling in run["ceilings"]:
            self.assertEqual("confirmation" in ceiling, ceiling["id"] in {"dram_copy", "dram_read", "f32_add"})

    def test_what_was_not_counted_is_measured_again_where_it_can_be(self):
        self.assert_exit(self.ceilings("--no-counters"), 0)
        self.assertNotIn("ceiling dram_read:", self.ceilings("--no-counters").stderr)
        self.assertIn("ceiling dram_read:", self.ceilings().stderr)
        self.assertNotIn("ceiling dram_read:", self.ceilings().stderr)

    def test_a_crash_before_they_are_confirmed_measures_them_again(self):
        result = self.ceilings(accidents="segv@ceilings:f32_add")
        self.assert_exit(result, 1)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        confirmed = {c["id"] for c in run["ceilings"] if "confirmation" in c}
        self.assertEqual(confirmed, {"dram_copy", "dram_read"})

    def test_a_crash_while_they_are_confirmed_costs_the_confirmation(self):
        result = self.run_plan("segv@confirm:ceilings")
        self.assert_exit(result, 1)
        self.assertIn("confirmation of the ceilings: crashed with SIGSEGV while confirming", result.stdout)
        self.assertEqual(len(self.measured()), 4)
        self.assertIn("dram_read", {c["id"] for c in self.run_json()["ceilings"]})

    def test_ctrl_c_keeps_what_was_measured(self):
        process = subprocess.Popen([PROGRAM, "ceilings"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=self.environment("hang@ceilings:f32_add"))
        for line in process.stderr:
            if line.startswith("ceiling dram_read:"):
                break
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        self.assertIn("the finished results are saved: rooflinectl report runs/ceilings/", stderr)
        (file,) = (self.folder / "runs/ceilings").glob("*/run.json")
        self.assertIn("dram_read", {c["id"] for c in json.loads(file.read_text())["ceilings"]})

    def test_a_crash_costs_one_ceiling(self):
        result = self.ceilings(accidents="segv@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn("ceiling dram_read: crashed with SIGSEGV while measuring", result.stdout)
        run = json.loads((self.folder / "runs/ceilings/latest/run.json").read_text())
        self.assertEqual({c["id"] for c in run["ceilings"]}, {"dram", "launch", "dram_copy", "f32_add"})

    def test_without_a_gpu_there_is_nothing_to_measure(self):
        result = self.ceilings(accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no CUDA device was found", result.stderr)
        self.assert_nothing_written()


class CeilingsOfDevices(ProgramTest):
    """Those of several devices in one run, and the links between them."""

    def ceilings(self, devices, *arguments, accidents="", **extra):
        return self.call("ceilings", "--device", devices, *arguments, accidents=accidents, FAKE_COLLECTOR_TWO="1", **extra)

    def measured_on(self):
        """The devices, in the order in which they were measured."""
        return [request["device"] for request in self.sent_requests()]

    def folder_of_run(self):
        return self.folder / "runs/ceilings/latest"

    def run_of(self):
        return json.loads((self.folder_of_run() / "run.json").read_text())

    def ids_of(self, device):
        return {c["id"] for c in self.run_of()["ceilings"] if c["device"] == device}

    def test_all_devices_are_measured_into_one_run(self):
        result = self.ceilings("all")
        self.assert_exit(result, 0)
        self.assertEqual(self.measured_on(), [FIRST, SECOND])
        run = self.run_of()
        self.assertEqual([device["uuid"] for device in run["devices"]], [FIRST, SECOND])
        for device in [0, 1]:
            self.assertEqual(self.ids_of(device), {"dram", "dram_copy", "dram_read", "f32_add", "launch", "nvlink", "nvlink_latency"})
        confirmed = [(c["device"], c["id"]) for c in run["ceilings"] if "confirmation" in c]
        self.assertEqual(sorted(confirmed), [(d, c) for d in [0, 1] for c in ["dram_copy", "dram_read", "f32_add"]])
        self.assertTrue(run["counter_session"]["available"])
        files = {path.name for path in self.folder_of_run().iterdir()}
        self.assertLessEqual(REPORTS | {"run.json", "roofline-device-1.png"}, files)
        self.assertNotIn("ceilings", files)
        self.assertIn("device: Fake GPU (GPU 1, GPU-11111111", result.stdout)
        self.assertIn("DRAM read, device 1", result.stdout)
        self.assertEqual(len(set(line for line in result.stdout.splitlines() if line.startswith("results: "))), 1)
        self.assertIn("roofline-device-1.png", (self.folder_of_run() / "summary.md").read_text())
        report = self.call("report", self.folder_of_run())
        self.assert_exit(report, 0)

    def test_links_are_a_matrix(self):
        result = self.ceilings("all")
        self.assertRegex(result.stdout, r"Copy engine, one way, GB/s \(% of theoretical\)\n"
                         r"from / to +device 0 +device 1\ndevice 0 +– +110 \(22 %\)\ndevice 1 +200 \(40 %\) +–")
        self.assertRegex(result.stdout, r"Stores by the source, both ways together.*\n.*\n"
                         r"device 0 +– +220 \(22 %\)\ndevice 1 +220 \(22 %\) +–")
        links = self.run_of()["links"]
        self.assertEqual(len(links), 9)
        self.assertTrue(all("measured_utc" in link for link in links))

    def test_a_list_is_measured_in_its_order_and_duplicates_once(self):
        self.assert_exit(self.ceilings(f"1,0,{SECOND}"), 0)
        self.assertEqual(self.measured_on(), [SECOND, FIRST])
        self.assertEqual([device["index"] for device in self.run_of()["devices"]], [1, 0])

    def test_one_device_twice_is_one_device(self):
        result = self.ceilings("1,1")
        self.assert_exit(result, 0)
        self.assertEqual(self.measured_on(), [SECOND])
        self.assertNotIn("links", self.run_of())
        self.assertNotIn("Copy engine", result.stdout)

    def test_all_of_one_device_has_no_links(self):
        self.assert_exit(self.call("ceilings", "--device", "all"), 0)
        self.assertEqual(len(self.run_of()["devices"]), 1)
        self.assertNotIn("links", self.run_of())

    def test_an_unknown_device_is_named_before_anything_is_measured(self):
        result = self.ceilings("0,7")
        self.assert_exit(result, 2)
        self.assertIn("there is no device '7'", result.stderr)
        for uuid in [FIRST, SECOND]:
            self.assertIn(uuid, result.stderr)
        self.assert_nothing_written()
        self.assertFalse(self.requests.exists())

    def test_known_ceilings_are_reused_on_each_device(self):
        self.assert_exit(self.ceilings("all"), 0)
        result = self.ceilings("all")
        self.assertEqual(result.stderr.count("reusing 5 ceilings"), 2)
        self.assertNotIn("ceiling dram_read:", result.stderr)
        result = self.ceilings("all", "--fresh")
        self.assertEqual(result.stderr.count("ceiling dram_read:"), 2)

    def test_a_device_that_fails_is_named_and_the_others_are_kept(self):
        for failing, left in [(1, FIRST), (0, SECOND)]:
            result = self.ceilings("all", accidents=f"refuse@device:{failing}")
            self.assert_exit(result, 1)
            uuid = [FIRST, SECOND][failing]
            self.assertIn(f"GPU {failing} ({uuid}): the GPU has fallen off the bus (look at dmesg)", result.stdout)
            self.assertEqual([device["uuid"] for device in self.run_of()["devices"]], [left])
            self.assertIn("dram_read", self.ids_of(0))
            self.assertNotIn("links", self.run_of())

    def test_a_device_that_is_taken_away_keeps_what_it_has(self):
        result = self.ceilings("all", accidents="refuse@ceilings:f32_add:once")
        self.assert_exit(result, 1)
        self.assertIn(f"GPU 0 ({FIRST}): the GPU has fallen off the bus", result.stdout)
        self.assertIn("dram_read", self.ids_of(0))
        self.assertNotIn("f32_add", self.ids_of(0))
        self.assertIn("f32_add", self.ids_of(1))

    def test_a_lost_ceiling_is_named_with_its_device(self):
        result = self.ceilings("all", accidents="segv@ceilings:f32_add:once")
        self.assert_exit(result, 1)
        self.assertIn(f"GPU 0 ({FIRST}): ceiling f32_add: crashed with SIGSEGV", result.stdout)

    def test_without_any_device_nothing_is_left_behind(self):
        result = self.ceilings("all", accidents="refuse@device:0 refuse@device:1")
        self.assert_exit(result, 3)
        self.assertIn("the GPU has fallen off the bus", result.stderr)
        self.assertFalse((self.folder / "runs/ceilings").exists())

    def test_links_that_cannot_be_measured_are_a_loss(self):
        for accident, why in [("refuse@links", "the GPU has fallen off the bus"), ("exit5@links", "exited with code 5"),
                              ("elsewhere@links", "to: there is no such device")]:
            result = self.ceilings("all", accidents=accident)
            self.assert_exit(result, 1)
            self.assertRegex(result.stdout, rf"links between the devices: .*{why}")
            self.assertNotIn("links", self.run_of())
            self.assertIn("f32_add", self.ids_of(1))

    def test_devices_that_cannot_reach_each_other_have_a_reason(self):
        result = self.ceilings("all", accidents="apart@links")
        self.assert_exit(result, 0)
        reason = "device 0 to device 1, device 1 to device 0: no peer access between these devices"
        self.assertIn(reason, result.stdout)
        self.assertIn("device 0 and device 1: no peer access", result.stdout)
        self.assertIn(reason, (self.folder_of_run() / "summary.md").read_text())

    def test_collectives_are_shown_with_their_bus_bandwidth(self):
        result = self.ceilings("all")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"Collectives over 2 devices, NCCL 2.99.0\n"
                         r"collective +latency +bus GB/s +at +% of NVLink +% of links +NVLink bytes\n"
                         r"all-reduce +10\.00 µs +399 +1 GiB +80 % +362 % +100\.00 % of expected\n"
                         r"all-gather +10\.00 µs +199 +1 GiB +40 %")
        run = self.run_of()
        self.assertEqual([entry["collective"] for entry in run["collectives"]["times"]],
                         ["all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive"])
        self.assertIn("measured_utc", run["collectives"])
        summary = (self.folder_of_run() / "summary.md").read_text()
        self.assertIn("## Collectives", summary)
        self.assertIn("](collectives.png)", summary)
        self.assertTrue((self.folder_of_run() / "collectives.png").exists())

    def test_counters_confirm_links_unless_they_are_not_to_be_used(self):
        self.assert_exit(self.ceilings("all"), 0)
        self.assertIn("NVLink's counters saw 1.0002 of the bytes", (self.folder_of_run() / "summary.md").read_text())
        result = self.ceilings("all", "--no-counters")
        self.assert_exit(result, 0)
        self.assertNotIn("counters saw", (self.folder_of_run() / "summary.md").read_text())
        self.assertIn("NVLink bytes: not counted", result.stdout)

    def test_without_nccl_the_reason_is_shown_and_nothing_is_lost(self):
        result = self.ceilings("all", accidents="without_nccl@collectives")
        self.assert_exit(result, 0)
        self.assertIn("Collectives\nNCCL is missing (looked for in the loader's search path): libnccl.so.2 (install libnccl2)", result.stdout)
        self.assertEqual(len(self.run_of()["links"]), 9)
        self.assertIn("NCCL is missing", (self.folder_of_run() / "summary.md").read_text())
        self.assertFalse((self.folder_of_run() / "collectives.png").exists())

    def test_a_collective_with_a_wrong_result_has_the_reason(self):
        result = self.ceilings("all", accidents="wrong@collectives")
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"all-reduce +– +– +– +– +– +–\n")
        self.assertIn("all-reduce: the result is wrong: element 7 of device 1 is 0, not 3", result.stdout)

    def test_collectives_that_cannot_be_measured_are_a_loss(self):
        for accident, why in [("refuse@collectives", "the GPU has fallen off the bus"), ("segv@collectives", "crashed with SIGSEGV"),
                              ("twice@collectives", "collective: the run has it already")]:
            result = self.ceilings("all", accidents=accident)
            self.assert_exit(result, 1)
            self.assertRegex(result.stdout, rf"collectives: .*{why}")
            self.assertNotIn("collectives", self.run_of())
            self.assertIn("links", self.run_of())

    def test_collectives_that_hang_are_a_loss(self):
        result = self.ceilings("all", accidents="hang@collectives", ROOFLINECTL_SILENCE_LIMIT="2")
        self.assert_exit(result, 1)
        self.assertRegex(result.stdout, r"collectives: .*did not answer")
        self.assertNotIn("collectives", self.run_of())
        self.assertIn("links", self.run_of())

    def interrupted(self, place):
        """What is kept where Ctrl-C comes while the collector hangs there."""
        process = subprocess.Popen([PROGRAM, "ceilings", "--device", "all"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   env=self.environment(f"mark@{place} hang@{place}", FAKE_COLLECTOR_TWO="1"))
        reached = self.folder / "memory" / ("reached_" + place.replace(":", "_"))
        while not reached.exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        self.assertIn("the finished results are saved: rooflinectl report", stderr)
        (file,) = (self.folder / "runs/ceilings").glob("*/run.json")
        return json.loads(file.read_text())

    def test_ctrl_c_while_a_device_is_measured_keeps_the_others(self):
        run = self.interrupted("device:1")
        self.assertEqual([device["uuid"] for device in run["devices"]], [FIRST])
        self.assertIn("f32_add", {c["id"] for c in run["ceilings"]})

    def test_ctrl_c_while_links_are_measured_keeps_the_ceilings(self):
        run = self.interrupted("links")
        self.assertEqual(len(run["devices"]), 2)
        self.assertNotIn("links", run)

    def test_ctrl_c_while_collectives_are_measured_keeps_the_links(self):
        run = self.interrupted("collectives")
        self.assertEqual(len(run["links"]), 9)
        self.assertNotIn("collectives", run)
        result = self.call("run", "--resume", next((self.folder / "runs/ceilings").glob("*/run.json")).parent)
        self.assert_exit(result, 2)
        self.assertIn("cannot resume ceilings of several devices", result.stderr)
        self.assertIn("rooflinectl ceilings with the same --device, without --fresh", result.stderr)


if __name__ == "__main__":
    unittest.main()
