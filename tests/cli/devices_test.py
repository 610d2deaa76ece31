# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl run --device` with several devices: one run, what differs between them, and what can happen to one."""

import json
import signal
import subprocess
import time
import unittest

from program import FIRST, PROGRAM, REPORTS, SECOND, ProgramTest


class RunsOnDevices(ProgramTest):
    def run_on(self, devices, *arguments, accidents="", **extra):
        return self.run_plan(accidents, "--device", devices, *arguments, FAKE_COLLECTOR_TWO="1", **extra)

    def uuids(self):
        return [device["uuid"] for device in self.run_json()["devices"]]

    def points_of(self, device):
        return [m for m in self.run_json()["measurements"] if m["device"] == device]

    def folder_of_run(self):
        return self.folder / "runs/demo/latest"

    def test_every_device_measures_the_plan_into_one_run(self):
        result = self.run_on("all", "--selftest")
        self.assert_exit(result, 0)
        self.assertEqual([request["device"] for request in self.sent_requests()], [FIRST, SECOND])
        self.assertEqual(self.uuids(), [FIRST, SECOND])
        run = self.run_json()
        self.assertNotIn("together", run)
        self.assertIn("self_test", run)
        for device in [0, 1]:
            self.assertEqual([m["subject"] for m in self.points_of(device)],
                             ["reduce_v0_global", "reduce_v3_sequential", "sum_atomic", "sum_warp_shuffle"])
            self.assertTrue(all(m["counters"] for m in self.points_of(device)))
            self.assertEqual({c["id"] for c in run["ceilings"] if c["device"] == device},
                             {"dram", "dram_copy", "dram_read", "f32_add", "launch", "nvlink", "nvlink_latency"})
        files = {path.name for path in self.folder_of_run().iterdir()}
        self.assertLessEqual(REPORTS | {"run.json"}, files)
        self.assertFalse(any(name.startswith("gpu-") for name in files), files)
        self.assertIn("GPU 1: [4/4] sums.sum_warp_shuffle", result.stderr)
        self.assertIn("No device is an outlier.", result.stdout)
        self.assert_exit(self.call("report", self.folder_of_run()), 0)

    def test_the_odd_device_is_named(self):
        result = self.run_on("0,1", accidents="sluggish@device:1")
        self.assert_exit(result, 0)
        odd = f"Device 1 (GPU 1, {SECOND}) is an outlier at 4 of 4 points, by up to 10.0 % slower."
        self.assertIn(odd, result.stdout)
        for name in ["summary.md", "report.html"]:
            self.assertIn(odd, (self.folder_of_run() / name).read_text().replace("\u00a0", " "))
        self.assertRegex(result.stdout, r"V0 +\S+ µs +9\.5 % +100\.0 µs \(device 0\) +110\.0 µs \(device 1\) +device 1: 10\.0 % slower")

    def test_one_device_after_the_other_unless_together(self):
        result = self.run_on("all", accidents="meet@time:0")
        self.assert_exit(result, 1)
        for file in (self.folder / "memory").iterdir():
            file.unlink()
        result = self.run_on("all", "--together", accidents="meet@time:0")
        self.assert_exit(result, 0)
        self.assertIs(self.run_json()["together"], True)
        self.assertEqual(len(self.run_json()["measurements"]), 8)
        self.assertIn("measured on all devices at once", result.stdout)

    def test_together_ceilings_are_those_of_each_device_alone(self):
        result = self.run_on("all", "--together", "--fresh", accidents="meet@ceilings:dram_read")
        self.assert_exit(result, 1)
        self.assertIn(f"GPU 0 ({FIRST}): ceiling dram_read: exited with code 5", result.stdout)
        self.assert_exit(self.run_on("all", "--together", "--fresh"), 0)
        run = self.run_json()
        ids = sorted((c["device"], c["id"]) for c in run["ceilings"] if c["source"] == "measured")
        self.assertEqual(ids, [(d, c) for d in [0, 1] for c in ["dram_copy", "dram_read", "f32_add", "launch", "nvlink", "nvlink_latency"]])
        self.assertEqual([request["skip_ceilings"] for request in self.sent_requests()[-4:]], [False, False, True, True])

    def test_devices_of_different_models_are_not_compared(self):
        result = self.run_on("all", accidents="sluggish@device:1", FAKE_COLLECTOR_SECOND_NAME="Other GPU")
        self.assert_exit(result, 0)
        self.assertEqual([device["name"] for device in self.run_json()["devices"]], ["Fake GPU", "Other GPU"])
        self.assertEqual(len(self.points_of(1)), 4)
        self.assertNotIn("is odd", result.stdout)
        self.assertIn("device 1: Other GPU", result.stdout)

    def test_all_devices_are_those_that_cuda_visible_devices_leaves(self):
        self.assert_exit(self.run_on("all", CUDA_VISIBLE_DEVICES="1"), 0)
        self.assertEqual(self.uuids(), [SECOND])
        self.assertEqual(self.run_json()["devices"][0]["index"], 0)
        self.assert_exit(self.run_on("all", CUDA_VISIBLE_DEVICES="1,0"), 0)
        self.assertEqual(self.uuids(), [SECOND, FIRST])
        self.assertEqual([device["index"] for device in self.run_json()["devices"]], [0, 1])

    def test_a_run_is_resumed_on_its_devices_whatever_their_numbers_are_now(self):
        self.assert_exit(self.run_on("all", accidents="segv@time:1:once"), 1)
        result = self.call("run", "--resume", self.folder_of_run(), FAKE_COLLECTOR_TWO="1", CUDA_VISIBLE_DEVICES="1,0")
        self.assert_exit(result, 0)
        self.assertEqual(self.uuids(), [FIRST, SECOND])
        self.assertEqual([m["device"] for m in self.run_json()["measurements"]], [0] * 4 + [1] * 4)
        self.assertTrue(all(m["status"] == "ok" for m in self.run_json()["measurements"]))

    def test_a_device_that_is_hidden_when_its_run_is_resumed_is_named(self):
        self.assert_exit(self.run_on("all"), 0)
        result = self.call("run", "--resume", self.folder_of_run(), FAKE_COLLECTOR_TWO="1", CUDA_VISIBLE_DEVICES="0")
        self.assert_exit(result, 2)
        self.assertIn(f"there is no device '{SECOND}'", result.stderr)

    def test_a_device_that_fails_is_named_and_the_others_are_kept(self):
        for together in [[], ["--together"]]:
            for failing, left in [(1, FIRST), (0, SECOND)]:
                result = self.run_on("all", *together, accidents=f"refuse@device:{failing}")
                self.assert_exit(result, 1)
                uuid = [FIRST, SECOND][failing]
                self.assertIn(f"GPU {failing} ({uuid}): the GPU has fallen off the bus (look at dmesg)", result.stdout)
                self.assertEqual(self.uuids(), [left])
                self.assertEqual(len(self.points_of(0)), 4)

    def test_a_device_that_is_taken_away_keeps_what_it_has(self):
        for together in [[], ["--together"]]:
            (self.folder / "memory" / "refuse@time_2_once").unlink(missing_ok=True)
            result = self.run_on("all", *together, accidents="refuse@time:2:once")
            self.assert_exit(result, 1)
            self.assertIn("the GPU has fallen off the bus", result.stdout)
            statuses = sorted([m["status"] for m in self.points_of(device)].count("ok") for device in [0, 1])
            self.assertEqual(statuses, [2, 4])

    def test_a_device_that_cannot_measure_is_left_out_with_the_reason(self):
        result = self.run_on("all", "--no-counters", accidents="unfit@checks:" + SECOND)
        self.assert_exit(result, 1)
        self.assertIn(f"GPU 1 ({SECOND}): this build has no code for this GPU", result.stdout)
        self.assertEqual(self.uuids(), [FIRST])

    def test_a_point_that_crashes_costs_that_device_alone_its_point(self):
        result = self.run_on("all", accidents="segv@time:1:once")
        self.assert_exit(result, 1)
        self.assertEqual([m["status"] for m in self.points_of(0)], ["ok", "failed", "ok", "ok"])
        self.assertEqual([m["status"] for m in self.points_of(1)], ["ok"] * 4)

    def test_the_collectors_logs_are_kept(self):
        self.assert_exit(self.run_on("all", accidents="chatty@time:0"), 0)
        for device in [0, 1]:
            self.assertIn("log line 7\n", (self.folder_of_run() / f"collector-gpu-{device}.log").read_text())

    def test_without_any_device_a_recording_takes_their_place_or_nothing_is_left(self):
        result = self.run_on("all", "--require-gpu", accidents="no_gpu@start")
        self.assert_exit(result, 3)
        self.assertIn("no CUDA device was found", result.stderr)
        self.assert_nothing_written()
        result = self.run_on("all", accidents="refuse@device:0 refuse@device:1")
        self.assert_exit(result, 3)
        self.assertFalse((self.folder / "runs/demo").exists())

    def test_mistakes_are_found_before_anything_is_measured(self):
        for arguments, words in [(["--device", "0,7"], "there is no device '7'"),
                                 (["--together"], "--together requires --device"),
                                 (["--device", "0,1", "--dry-run", "--json"], "the request for one device")]:
            result = self.run_plan("", *arguments, FAKE_COLLECTOR_TWO="1")
            self.assert_exit(result, 2)
            self.assertIn(words, result.stderr)
            self.assert_nothing_written()

    def test_all_of_one_device_is_an_ordinary_run(self):
        self.assert_exit(self.run_plan("", "--device", "all", "--together"), 0)
        self.assertEqual(self.uuids(), [FIRST])
        self.assertNotIn("together", self.run_json())

    def resume(self, accidents="", *arguments):
        return self.call("run", "--resume", self.folder_of_run(), *arguments, accidents=accidents, FAKE_COLLECTOR_TWO="1")

    def test_a_complete_run_has_nothing_to_resume(self):
        self.assert_exit(self.run_on("all"), 0)
        before = self.run_json()
        result = self.resume()
        self.assert_exit(result, 0)
        for device in [0, 1]:
            self.assertIn(f"GPU {device}: nothing to resume", result.stderr)
        for key in ["devices", "ceilings", "measurements"]:
            self.assertEqual(self.run_json()[key], before[key])

    def test_resuming_measures_what_each_device_lacks(self):
        for together in [[], ["--together"]]:
            (self.folder / "memory" / "segv@time_1_once").unlink(missing_ok=True)
            self.assert_exit(self.run_on("all", *together, accidents="segv@time:1:once"), 1)
            before = self.run_json()
            failed = [m["device"] for m in before["measurements"] if m["status"] == "failed"]
            self.assertEqual(len(failed), 1)
            result = self.resume()
            self.assert_exit(result, 0)
            after = self.run_json()
            self.assertEqual([m["device"] for m in after["measurements"]], [0] * 4 + [1] * 4)
            self.assertTrue(all(m["status"] == "ok" and m["counters"] for m in after["measurements"]))
            self.assertEqual(after["ceilings"], before["ceilings"])
            self.assertEqual(after.get("together"), before.get("together"))
            self.assertEqual(len(after["resumed_utc"]), 1)
            self.assertGreater(after["wall_s"], before["wall_s"])
            measured = [request["skip_points"] for request in self.sent_requests() if len(request["skip_points"]) == 3]
            self.assertEqual(measured[-1], [0, 2, 3])

    def test_a_device_whose_folder_cannot_be_made_costs_nothing_of_the_others(self):
        for together in [[], ["--together"]]:
            (self.folder / "memory" / "segv@time_1_once").unlink(missing_ok=True)
            self.assert_exit(self.run_on("all", *together, accidents="segv@time:1:once"), 1)
            in_the_way = self.folder_of_run() / "gpu-1"
            in_the_way.write_text("a file")
            result = self.resume()
            self.assert_exit(result, 1)
            self.assertRegex(result.stdout, rf"GPU 1 \({SECOND}\): .*/gpu-1: cannot be created: Not a directory")
            self.assertEqual(in_the_way.read_text(), "a file")
            self.assertEqual([m["device"] for m in self.run_json()["measurements"]], [0] * 4 + [1] * 4)
            self.assertTrue(all(m["status"] == "ok" for m in self.points_of(0)))

    def test_a_device_that_is_gone_when_a_run_is_resumed_costs_nothing_of_it(self):
        self.assert_exit(self.run_on("all", accidents="segv@time:1:once"), 1)
        before = self.run_json()
        result = self.resume("refuse@device:0")
        self.assert_exit(result, 1)
        self.assertIn(f"GPU 0 ({FIRST}): the GPU has fallen off the bus", result.stdout)
        self.assertEqual(self.run_json()["measurements"], before["measurements"])

    def interrupted(self, *arguments, place):
        """What is kept where Ctrl-C comes while collectors hang there."""
        process = subprocess.Popen([PROGRAM, "run", "plan.yaml", "--device", "all", *arguments], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(f"mark@{place} hang@{place}", FAKE_COLLECTOR_TWO="1"))
        reached = self.folder / "memory" / ("reached_" + place.replace(":", "_"))
        while not reached.exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)  # what the collectors have written is read
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, stdout + stderr)
        self.assertIn("the finished results are saved: rooflinectl report", stderr)
        (file,) = (self.folder / "runs/demo").glob("*/run.json")
        return json.loads(file.read_text())

    def test_ctrl_c_keeps_what_is_finished_and_the_rest_is_resumed(self):
        run = self.interrupted(place="device:1")
        self.assertEqual([device["uuid"] for device in run["devices"]], [FIRST, SECOND])
        self.assertEqual([m["device"] for m in run["measurements"]], [0] * 4)
        (folder,) = (self.folder / "runs/demo").glob("*/run.json")
        self.assert_exit(self.call("report", folder.parent), 0)
        result = self.call("run", "--resume", folder.parent, FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 0)
        after = json.loads(folder.read_text())
        self.assertEqual([m["device"] for m in after["measurements"]], [0] * 4 + [1] * 4)
        self.assertEqual(after["measurements"][:4], run["measurements"])
        self.assertFalse(list(folder.parent.glob("gpu-*")))

    def test_ctrl_c_ends_all_that_are_measured_together(self):
        run = self.interrupted("--together", place="time:3")
        self.assertEqual(len(run["devices"]), 2)
        self.assertTrue(all(m["status"] == "ok" for m in run["measurements"]))
        self.assertGreaterEqual(len(run["measurements"]), 3)


if __name__ == "__main__":
    unittest.main()
