# SPDX-License-Identifier: Apache-2.0
"""`rooflinectl import` from outside, with what ncu wrote on a GPU."""

import base64
import csv
import gzip
import json
import os
import re
import shutil
import struct
import sys
import time
import unittest
import zlib

from program import HERE, REPORTS, SOURCE, ProgramTest
from recordings import FOLDER, recorded

DATA = SOURCE / "tests/data"
CEILINGS = FOLDER / "ceilings-h200/run.json.gz"


def blocks(report):
    """The blocks of a report of ncu, each with its payload, behind the header of the file."""
    start = 8 + struct.unpack_from("<I", report, 4)[0]
    yield report[:start]
    while start < len(report):
        header = report[start + 4:start + 4 + struct.unpack_from("<I", report, start)[0]]
        end = start + 4 + len(header) + payload_bytes(header)
        yield report[start:end]
        start = end


def payload_bytes(header):
    """Field 5 of a block's header, in the encoding of protocol buffers."""
    at = 0
    while at < len(header):
        key, at = varint(header, at)
        value, at = varint(header, at)
        if key == 5 << 3:
            return value
        at += value if key & 7 == 2 else 0
    return 0


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def page_data(html):
    packed = re.search(r'id="page-data">([^<]*)<', html)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


class Import(ProgramTest):
    def unpack(self, data, name):
        (self.folder / name).write_bytes(gzip.decompress((DATA / f"ncu-2025.3.1-h200-{data}.gz").read_bytes()))
        return name

    def imported(self, name):
        return json.loads((self.folder / f"runs/{name}/latest/run.json").read_text())

    def summary(self, name):
        return (self.folder / f"runs/{name}/latest/summary.md").read_text().replace("\N{NO-BREAK SPACE}", " ")

    def test_a_report_becomes_a_run_with_reports(self):
        result = self.call("import", self.unpack("full.ncu-rep", "toy.ncu-rep"))
        self.assert_exit(result, 0)
        self.assertRegex(result.stdout, r"(?m)^saxpy +27.5 % +1 +60.16 µs +63 % +DRAM +22.13 µs$")
        self.assertIn("version 2025.3.1.0, kernel replay, clocks locked to base, caches flushed before each\npass, set full.", result.stdout)
        self.assertIn("The ceilings are theoretical peaks, from the report", result.stdout)
        folder = self.folder / "runs/toy/latest"
        self.assertLessEqual(REPORTS | {"run.json"}, {path.name for path in folder.iterdir()})
        self.assertIn("| saxpy", self.summary("toy"))
        # As any run.
        for command in ["report", "explain"]:
            self.assert_exit(self.call(command, "runs/toy/latest"), 0)
        self.assert_exit(self.call("compare", "runs/toy/latest", "runs/toy/latest"), 0)

    def test_files_imported_within_one_second_are_runs_of_a_history(self):
        for name in ["full", "metrics"]:
            self.assert_exit(self.call("import", self.unpack(f"{name}.csv", f"{name}.csv"), "--quiet"), 0)
            file = self.folder / f"runs/{name}/latest/run.json"
            file.write_text(json.dumps(dict(json.loads(file.read_text()), started_utc="2026-12-01T10:00:00Z")))
        result = self.call("history", "runs")
        self.assert_exit(result, 0)
        self.assertEqual(result.stderr, "")
        self.assertTrue(result.stdout.startswith("2 runs, "), result.stdout)

    def test_measured_ceilings_are_said_to_be_of_another_clock(self):
        self.write("ceilings.json", json.dumps(recorded(CEILINGS)))
        result = self.call("import", self.unpack("full.ncu-rep", "toy.ncu-rep"), "--ceilings", "ceilings.json")
        self.assert_exit(result, 0)
        self.assertIn("The kernels ran at 1.49 GHz, but the ceilings were measured at 1.98 GHz", " ".join(result.stdout.split()))
        self.assertNotIn("theoretical peaks", result.stdout)

    COMMAND = "ncu --set full --metrics l1tex__t_bytes.sum,smsp__sass_data_bytes_mem_shared.sum,lts__d_atomic_input_cycles_active.sum"

    def test_what_is_missing_is_said_once_with_one_command_that_adds_all_of_it(self):
        for name in ["metrics", "six-metrics", "full"]:
            self.call("import", self.unpack(f"{name}.csv", f"{name}.csv"), "--quiet")
            texts = [self.call("report", f"runs/{name}/latest").stdout, self.call("explain", f"runs/{name}/latest").stdout, self.summary(name)]
            page = (self.folder / f"runs/{name}/latest/report.html").read_text()
            texts.append(json.dumps(page_data(page), ensure_ascii=False))
            said = set()
            for text in texts:
                text = " ".join(text.replace("\N{NO-BREAK SPACE}", " ").replace("\\", "").split())
                self.assertEqual(re.findall(r"ncu (--(?:set|section|metrics) [^`]*)`", text), [self.COMMAND.removeprefix("ncu ")], name)
                said.add(re.search(r"The report lacks [^`]*`[^`]*` records all of them\.", text)[0])
            self.assertEqual(len(said), 1, said)
            self.assertEqual("so kernels are at least as close to the roofline as shown (≥)" in said.pop(), name != "full")

    def test_bytes_whose_directions_are_unknown_are_held_against_the_highest_ceiling_of_dram(self):
        result = self.call("import", self.unpack("roofline-sections.csv", "a.csv"), "--ceilings", CEILINGS)
        self.assert_exit(result, 0)
        text = " ".join(result.stdout.split())
        self.assertIn("DRAM reads and writes were not counted apart: kernels are held against the highest ceiling of DRAM, dram_read (4.7", text)
        self.assertNotIn("of roofline:", text)
        self.assertNotIn("--fresh", text)
        rows = list(csv.DictReader((self.folder / "runs/a/latest/points.csv").read_text().splitlines()))
        self.assertEqual({row["roof_ceiling"] for row in rows if row["roof_resource"] == "dram"}, {"dram_read"})
        self.assertLess(max(float(row["fraction_of_roofline"]) for row in rows), 1)

    def test_a_kernel_above_its_roof_is_not_to_be_measured_again_with_a_tool_that_cannot(self):
        run = recorded(CEILINGS)
        for ceiling in run["ceilings"]:
            if ceiling["id"].startswith("dram"):
                ceiling["value"] /= 2
        self.write("ceilings.json", json.dumps(run))
        result = self.call("import", self.unpack("six-metrics.csv", "a.csv"), "--ceilings", "ceilings.json")
        self.assert_exit(result, 0)
        text = " ".join(result.stdout.split())
        self.assertIn("% of roofline: it was timed and counted in different passes, or the ceilings are of a slower clock or GPU", text)
        self.assertNotIn("--fresh", text)

    def test_a_bound_is_named_if_it_is_certain_whatever_was_not_counted(self):
        for name in ["roofline-sections", "six-metrics"]:
            self.call("import", self.unpack(f"{name}.csv", f"{name}.csv"), "--quiet", "--ceilings", CEILINGS)
            explained = self.call("explain", f"runs/{name}/latest", "--point", "fmak").stdout
            self.assertIn("fmak: 7.", explained)
            self.assertIn("FP32-bound", explained)
        unknown = self.call("explain", "runs/six-metrics/latest", "--point", "v1_shared").stdout
        self.assertIn("bound unknown", unknown)
        self.assertIn("L2 bytes, L1 bytes, shared-memory bytes", " ".join(unknown.split()))

    def test_theoretical_ceilings_are_not_said_to_be_measured(self):
        self.call("import", self.unpack("full.csv", "a.csv"), "--quiet")
        folder = self.folder / "runs/a/latest"
        self.assertNotRegex(self.call("explain", "runs/a/latest", "--all").stdout, r"measured (bandwidth|ceiling)")
        head = next(line for line in self.summary("a").splitlines() if line.startswith("| ceiling "))
        self.assertNotIn("measured", head)
        self.assertNotIn("spread", head)
        page = page_data((folder / "report.html").read_text())
        self.assertNotIn("measured", [column["title"] for column in page["run"]["ceilings"]["columns"]])

    def test_kernels_that_were_partly_counted_are_on_the_roofline(self):
        for name, missing in [("roofline-sections", "Tensor Core operations"), ("six-metrics", "FP64 operations, FP32 operations, Tensor Core operations")]:
            result = self.call("import", self.unpack(f"{name}.csv", f"{name}.csv"))
            self.assert_exit(result, 0)
            self.assertIn(f"The report lacks {missing}, so kernels are at least as close to the roofline as shown (≥); and ", " ".join(result.stdout.split()))
            self.assertRegex(result.stdout, r"(?m)^fmak +7.\d % +1 +5\d\d.\d µs +≥ 95 % +FP32 +≤ 2\d.\d\d µs$")
            self.assertRegex(result.stdout, r"● fmak")
            self.assertIn("imported; ", result.stdout)
            self.assertNotIn("Without a roof", result.stdout)
            rows = list(csv.DictReader((self.folder / f"runs/{name}/latest/points.csv").read_text().splitlines()))
            self.assertTrue(all("partly-counted" in row["flags"] and "not in the report" in row["roof_missing"] for row in rows))
            self.assertIn("≥ 95", self.summary(name))
            self.assertRegex((self.folder / f"runs/{name}/latest/roofline.svg").read_text(), r"≥ 95\.\d\s%")
            self.assertIn("partly counted: ", self.call("explain", f"runs/{name}/latest").stdout)

    def test_of_a_report_that_is_cut_off_the_whole_kernels_are_kept(self):
        whole = (self.folder / self.unpack("metrics.ncu-rep", "toy.ncu-rep")).read_bytes()
        (self.folder / "toy.ncu-rep").write_bytes(whole[:-1000])
        result = self.call("import", "toy.ncu-rep")
        self.assert_exit(result, 0)
        self.assertRegex(" ".join(result.stdout.split()), r"toy.ncu-rep: at byte \d+: a kernel has \d+ bytes, of which \d+ are there")
        self.assertEqual(sum(m["launches"]["count"] for m in self.imported("toy")["measurements"]), 7)

    def test_a_thousand_kernels(self):
        whole = (self.folder / self.unpack("full.ncu-rep", "toy.ncu-rep")).read_bytes()
        parts = list(blocks(whole))
        self.assertEqual(b"".join(parts), whole)
        kernel = next(part for part in reversed(parts) if b"_Z4spinIdEvPT_i" in part)
        copies = [kernel.replace(b"_Z4spinIdEvPT_i", b"_Z4s%03dIdEvPT_i" % i) for i in range(1000)]
        (self.folder / "many.ncu-rep").write_bytes(whole + b"".join(copies))
        start = time.monotonic()
        self.assert_exit(self.call("import", "--quiet", "many.ncu-rep"), 0)
        self.assert_exit(self.call("report", "runs/many/latest"), 0)
        print(f"import and report of 1,004 kernels: {time.monotonic() - start:.2f} s", file=sys.stderr)
        self.assertEqual(len(self.imported("many")["measurements"]), 1004)

    def test_a_trace_has_times_and_no_roofs(self):
        trace = DATA / "torch-2.11.0-h200-training-step.json.gz"
        result = self.call("import", trace)
        self.assert_exit(result, 0)
        self.assertIn("Traces have times but no counters", result.stdout)
        self.assert_exit(self.call("report", "runs/torch-2_11_0-h200-training-step_json/latest", "--pytorch-trace", trace), 0)

    def test_a_report_of_nsight_systems_is_exported_by_nsys(self):
        (self.folder / "nsys").symlink_to(HERE / "fake_nsys.py")
        axes = {"dtype": "f32", "n": 8, "block": 256, "cache": "cold"}
        self.write("program.nsys-rep", json.dumps([[0, {"experiment": "sums", "subject": "sum_atomic", "axes": axes}]]))
        result = self.call("import", "program.nsys-rep", PATH=f"{self.folder}:/usr/bin:/bin")
        self.assert_exit(result, 0)
        [measurement] = self.imported("program")["measurements"]
        self.assertEqual(measurement["axes"]["path"], "sums.sum_atomic.f32.n8.b256.cold")
        self.assertAlmostEqual(measurement["time"]["median_s"], 97e-6)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])
        self.write("damaged.nsys-rep", "anything")
        result = self.call("import", "damaged.nsys-rep", PATH=f"{self.folder}:/usr/bin:/bin")
        self.assert_exit(result, 3)
        self.assertIn("damaged.nsys-rep: nsys exited with code 1\nhint: last line of its log: ", result.stderr)
        self.assertEqual(list((self.folder / "temporary").iterdir()), [])

    @unittest.skipIf(shutil.which("nsys", path="/usr/bin:/bin:/usr/local/cuda/bin") or os.path.exists("/opt/nvidia/nsight-systems"), "nsys is here")
    def test_without_nsys_its_report_is_to_be_exported_elsewhere(self):
        self.write("program.nsys-rep", "anything")
        result = self.call("import", "program.nsys-rep", PATH="/usr/bin:/bin")
        self.assert_exit(result, 2)
        self.assertIn("program.nsys-rep: reports of Nsight Systems are read by nsys, which was not found\n"
                      "hint: export it where nsys is: nsys export --type sqlite program.nsys-rep\n", result.stderr)

    def test_other_files_are_refused(self):
        self.write("notes.txt", "hello\n")
        self.write("summary.csv", '"Process ID","Process Name","Host Name","Kernel Name"\n"1","a","b","c"\n')
        (self.folder / "long.ncu-rep").write_bytes(b"NVR\0" + struct.pack("<I", 1 << 31) + b"\x08\x07")
        self.write("other.ncu-repz", "hello\n")
        (self.folder / "damaged.ncu-repz").write_bytes(b"\x28\xb5\x2f\xfd" + b"\xff" * 20)
        for name, cause in [("notes.txt", "this file cannot be imported"), ("summary.csv", "summary page"),
                            ("long.ncu-rep", "at byte 4: the header of the file has 2147483648 bytes, of which 2 are there"),
                            ("damaged.ncu-repz", "cannot be unpacked: "), ("absent", "cannot be read"),
                            ("other.ncu-repz", "hint: let ncu print it: ncu --import other.ncu-repz --csv --page raw")]:
            result = self.call("import", name)
            self.assert_exit(result, 2)
            self.assertIn(f"{name}: ", result.stderr)
            self.assertIn(cause, result.stderr)
        self.assert_nothing_written()

    def test_ceilings_of_another_gpu_are_refused(self):
        run = recorded(CEILINGS)
        run["device"]["name"] = "NVIDIA L4"
        self.write("ceilings.json", json.dumps(run))
        result = self.call("import", self.unpack("full.ncu-rep", "toy.ncu-rep"), "--ceilings", "ceilings.json")
        self.assert_exit(result, 2)
        self.assertIn("ceilings.json: has no measured ceilings of NVIDIA H200", result.stderr)
        self.assert_nothing_written()


if __name__ == "__main__":
    unittest.main()
