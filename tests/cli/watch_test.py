# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl watch`, with a collector that samples nothing."""

import gzip
import json
import os
import pty
import re
import signal
import socket
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from program import PROGRAM, SOURCE, ProgramTest


class Watch(ProgramTest):
    def latest(self):
        return self.folder / "runs/watch/latest"

    def timeline(self):
        return json.loads(gzip.decompress((self.latest() / "timeline.json.gz").read_bytes()))

    def test_a_line_per_second_and_a_report(self):
        self.assert_exit(self.call("ceilings"), 0)
        result = self.call("watch", "--for", "2.5s")
        self.assert_exit(result, 0)
        self.assertIn("GPU 0: Fake GPU, GPU-00000000", result.stdout)
        self.assertEqual(len(re.findall(r"(?m)^ +\d s  GPU 0  DRAM, GB/s 1500  DRAM, % of ceiling \d+ %  SMs active 50 %  "
                                        r"SM clock, MHz 1980  power, W 500$", result.stdout)), 2, result.stdout)
        device, = self.timeline()["devices"]
        self.assertEqual(device["values"]["dram_read_bytes"][0], 1e9)
        self.assertGreater(len(device["start_ns"]), 2450, "the last ones are read too")
        self.assertGreater(len(device["power"]), 10)
        run = json.loads((self.latest() / "run.json").read_text())
        self.assertEqual([run["measurements"], run["devices"][0]["name"]], [[], "Fake GPU"])
        self.assertTrue(run["ceilings"])
        summary = (self.latest() / "summary.md").read_text()
        self.assertIn("which kernels ran is unknown: rooflinectl watch samples the GPU, not a program.", summary)
        self.assertIn("Sampled for 2", summary)
        self.assert_exit(self.call("report", "runs/watch/latest", "-o", self.folder / "again", "--export", "perfetto"), 0)
        trace = (self.folder / "again/timeline.perfetto-trace").read_bytes()
        for track in (b"GPU 0: Fake GPU", b"DRAM", b"SM clock", b"Power"):
            self.assertIn(track, trace)

    def test_without_ceilings_there_are_rates_without_a_roof(self):
        result = self.call("watch", "--for", "1.5s", "--interval", "10ms")
        self.assert_exit(result, 0)
        self.assertIn("No ceilings are known here: `rooflinectl ceilings` measures them", result.stdout)
        self.assertIn("DRAM, GB/s 1500  SMs active", result.stdout)

    def test_several_devices_and_one_that_cannot_be_sampled(self):
        result = self.call("watch", "--for", "1.5s", FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 0)
        self.assertIn("GPU 1  DRAM", result.stdout)
        self.assertEqual([device["device"] for device in self.timeline()["devices"]], [0, 1])
        self.assertIn("device 1: Fake GPU", (self.latest() / "summary.md").read_text())
        lame = self.call("watch", "--for", "1.5s", accidents="busy@watch", FAKE_COLLECTOR_TWO="1")
        self.assert_exit(lame, 0)
        self.assertIn("GPU 1: the timeline is incomplete: the counters are in use; end the other profiler", lame.stderr)
        self.assertEqual(len(self.timeline()["devices"]), 1)

    def test_one_of_several_devices(self):
        result = self.call("watch", "--for", "1.2s", "--device", "11111111-1111-1111-1111-111111111111", FAKE_COLLECTOR_TWO="1")
        self.assert_exit(result, 0)
        self.assertNotIn("GPU 0", result.stdout)
        missing = self.call("watch", "--device", "0,7")
        self.assert_exit(missing, 2)
        self.assertIn("there is no device '7'\nhint: devices here:\n  0  GPU-0000", missing.stderr)

    def test_ctrl_c_ends_it_and_writes_the_report(self):
        process = subprocess.Popen([PROGRAM, "watch", "--quiet"], cwd=self.folder, env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (0, ""))
        self.assertEqual(output.count("\n"), 1)
        self.assertTrue(output.endswith("/report.html\n"), output)

    def test_what_ends_it_early_loses_nothing(self):
        refused = self.call("watch", accidents="busy@watch")
        self.assert_exit(refused, 3)
        self.assertEqual(refused.stderr, "GPU 0: the timeline is incomplete: the counters are in use\n"
                                         "hint: end the other profiler\n")
        self.assert_nothing_written()
        self.assert_exit(self.call("watch", accidents="no_gpu@start"), 3)
        self.assert_nothing_written()
        (self.folder / "memory/once").touch()
        process = subprocess.Popen([PROGRAM, "watch", "--quiet"], cwd=self.folder, env=self.environment(), text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1.5)
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout.split()
        os.kill(int(children[0]), signal.SIGKILL)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertIn("the collector crashed with SIGKILL", errors)
        self.assertIn("report.html", output)
        self.assertGreater(len(self.timeline()["devices"][0]["start_ns"]), 500)

    def test_a_short_watch_has_what_was_sampled_until_its_end(self):
        self.assert_exit(self.call("watch", "--for", "50ms", "--interval", "200us"), 0)
        self.assertGreater(len(self.timeline()["devices"][0]["start_ns"]), 200)

    def test_samples_a_second_apart(self):
        result = self.call("watch", "--for", "4.5s", "--interval", "1s")
        self.assert_exit(result, 0)
        self.assertEqual(len(re.findall("GPU 0  DRAM", result.stdout)), 2, result.stdout)

    def test_a_folder_that_cannot_be_written_is_found_at_the_beginning(self):
        self.write("file", "")
        begin = time.monotonic()
        result = self.call("watch", "--for", "30s", "--output", "file")
        self.assert_exit(result, 3)
        self.assertIn("file", result.stderr)
        self.assertNotIn("another version", result.stderr)
        self.assertLess(time.monotonic() - begin, 20)

    def test_a_collector_that_falls_silent_is_ended(self):
        result = self.call("watch", "--for", "60s", accidents="stop@watch:once")
        self.assert_exit(result, 3)
        self.assertIn("the collector has not answered for ten seconds", result.stderr)
        self.assertIn("the collector wrote an unterminated line", self.call("watch", accidents="endless@watch").stderr)

    def serve(self, *arguments, **extra):
        """Starts `watch` as a server of metrics on a free port: the process and its address."""
        process = subprocess.Popen([PROGRAM, "watch", "--quiet", "--export", "openmetrics:0", *arguments], cwd=self.folder,
                                   env=self.environment(**extra), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        line = process.stderr.readline()
        self.assertRegex(line, r"^metrics: http://127\.0\.0\.1:\d+/metrics\n$")
        return process, line.removeprefix("metrics: ").strip()

    def metrics_of(self, url):
        """The first answer that has a sample: its type and text."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with urllib.request.urlopen(url, timeout=10) as answer:
                text = answer.read().decode()
                self.assertTrue(text.endswith("# EOF\n"), text)
                if text != "# EOF\n":
                    return answer.headers["Content-Type"], text
            time.sleep(0.1)
        self.fail("no sample in a minute")

    def end(self, process):
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertTrue(output.endswith("/report.html\n"), output)

    def test_metrics_for_prometheus(self):
        self.assert_exit(self.call("ceilings"), 0)
        process, url = self.serve(FAKE_COLLECTOR_TWO="1")
        kind, text = self.metrics_of(url)
        self.assertEqual(kind, "application/openmetrics-text; version=1.0.0; charset=utf-8")
        samples = {}
        for name, labels, value in re.findall(r"(?m)^(\w+)\{(.*)\} (\S+)$", text):
            samples[name, re.search(r'gpu="(\d)"', labels)[1]] = float(value)
            self.assertRegex(labels, r'^gpu="\d",UUID="GPU-[0-9a-f-]+",device="nvidia\d",modelName="Fake GPU",Hostname="[^"]+"$')
            self.assertIn(f"# TYPE {name} gauge\n# HELP {name} ", text)
        self.assertEqual(len(text.splitlines()), len(samples) + 2 * len({name for name, _ in samples}) + 1)
        for gpu in "01":
            self.assertAlmostEqual(samples["rooflinectl_dram_read_bytes_per_second", gpu] / 1e12, 1)
            self.assertEqual([samples[name, gpu] for name in ("DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_POWER_USAGE")],
                             [0.5, 1980, 500])
        self.assertAlmostEqual(samples["rooflinectl_dram_fraction_of_ceiling", "0"], 0.5, places=1)
        self.assertNotIn("NVLINK", text, "nobody sampled it")
        with self.assertRaises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(url.replace("/metrics", "/"), timeout=10)
        self.assertEqual(missing.exception.code, 404)
        missing.exception.close()
        self.end(process)

    def test_metrics_outlast_a_client_that_asks_nothing(self):
        process, url = self.serve()
        port = int(re.search(r":(\d+)/", url)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=10):
            self.metrics_of(url)
        taken = self.call("watch", "--for", "1s", "--export", f"openmetrics:{port}")
        self.assert_exit(taken, 3)
        self.assertIn(f"cannot serve metrics on 127.0.0.1:{port}: Address already in use\nhint: choose another port", taken.stderr)
        self.end(process)

    def test_the_dashboard_shows_what_is_served(self):
        dashboard = json.loads((SOURCE / "examples/grafana/dashboard.json").read_text())
        shown = {name for panel in dashboard["panels"] for target in panel["targets"]
                 for name in re.findall(r"\b(?:DCGM|rooflinectl)_\w+", target["expr"])}
        served = set(re.findall(r'"((?:DCGM|rooflinectl)_\w+)"', (SOURCE / "cli/watch/metrics_server.cpp").read_text()))
        self.assertEqual(shown, served)

    def test_devices_keep_their_numbers(self):
        self.assert_exit(self.call("ceilings"), 0)
        [cached] = (self.folder / "cache").glob("rooflinectl/ceilings/**/*.json*")
        run = json.loads(cached.read_text())
        run["devices"][0]["index"] = 5
        cached.write_text(json.dumps(run))
        result = self.call("watch", "--for", "1.2s")
        self.assertIn("GPU 0  DRAM", result.stdout)
        self.assertIn("% of ceiling 50 %", result.stdout)

    def test_rubbish_is_named(self):
        self.assertIn("the collector answered in the format of another version", self.call("watch", accidents="rubbish@watch").stderr)

    def test_mistakes_of_the_command_line(self):
        for arguments, text in ((("--interval", "100us"), "'100us' is not an interval from 200us to 1s"),
                                (("--export", "dcgm"), "'dcgm' is not openmetrics, openmetrics:PORT or openmetrics:ADDRESS:PORT"),
                                (("--export", "openmetrics:70000"), "'openmetrics:70000' is not openmetrics"),
                                (("--export", "openmetrics:localhost:1"), "of an IPv4 address"),
                                (("--for", "ten"), "'ten' is not a duration (for example 10s, 5m or 2h)"),
                                (("--for", "3000000h"), "'3000000h' is longer than a year")):
            result = self.call("watch", *arguments)
            self.assert_exit(result, 2)
            self.assertIn(text, result.stderr)

    def test_a_terminal_shows_a_table_that_is_rewritten(self):
        self.assert_exit(self.call("ceilings"), 0)
        parent, child = pty.openpty()
        process = subprocess.Popen([PROGRAM, "watch", "--for", "3.5s"], cwd=self.folder, env=self.environment(), stdout=child)
        os.close(child)
        output = b""
        try:
            while block := os.read(parent, 4096):
                output += block
        except OSError:
            pass  # the other end is closed
        self.assertEqual(process.wait(), 0)
        text = output.decode().replace("\r", "")
        tables = re.split("\x1b\\[\\d+A\x1b\\[J", text)
        self.assertEqual(len(tables), 3, text)
        self.assertRegex(tables[1], r"2 s +now +mean +busiest second\n(DRAM, GB/s +1500 +1500 +1500\n)")
        self.assertTrue(all(len(line) < 80 for line in tables[1].splitlines()))


if __name__ == "__main__":
    unittest.main()
