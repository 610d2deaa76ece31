# SPDX-License-Identifier: Apache-2.0
"""What `--json` prints against docs/schema: every command that has it, on recordings and with programs that need no GPU."""

import json
import re
import sys
import unittest
import warnings

from profile_test import ProfileTest
from program import SOURCE
from recordings import FOLDER, REDUCTIONS, recorded

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMAS = SOURCE / "docs/schema"
TRAINING = FOLDER / "training-step-h200/run.json.gz"


def schema_of(name):
    return {**json.loads((SCHEMAS / name).read_text()), "$id": f"file:///{name}"}


def validator_of(command):
    """Of docs/schema/COMMAND.schema.json, which refers to other schemas by their file names."""
    schema = schema_of(f"{command}.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer versions deprecate RefResolver
        others = {f"file:///{name}": schema_of(name) for name in ["run.schema.json", "envelope.schema.json"]}
        resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=others)
        return jsonschema.Draft202012Validator(schema, resolver=resolver)


def open_objects(schema, place):
    """Where a schema accepts members that it does not describe."""
    if isinstance(schema, list):
        for i, part in enumerate(schema):
            yield from open_objects(part, f"{place}/{i}")
    elif isinstance(schema, dict):
        types = schema.get("type")
        if (types == "object" or isinstance(types, list) and "object" in types) and schema.get("additionalProperties", True) in (True, {}):
            yield place
        for key, part in schema.items():
            yield from open_objects(part, f"{place}/{key}")


class Schemas(unittest.TestCase):
    def test_members_that_they_lack_are_mistakes(self):
        """Else a member could be printed that no schema describes. What maps names to values describes these."""
        for path in sorted(SCHEMAS.glob("*.schema.json")):
            self.assertEqual(list(open_objects(json.loads(path.read_text()), path.name)), [])


@unittest.skipUnless(jsonschema, f"{sys.executable} has no module jsonschema (Debian: python3-jsonschema)")
class Json(ProfileTest):
    def check(self, schema, *command, code=0, **environment):
        result = self.call(*command, **environment)
        self.assert_exit(result, code)
        document = json.loads(result.stdout)
        self.check_document(schema, document)
        self.assertEqual(list(document)[:5], ["format", "schema", "tool", "command", "devices"])
        self.assertEqual(document["command"], command[0])
        return document

    def check_document(self, schema, document):
        validator = validator_of(schema)
        self.assertEqual([f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)], [])
        # The schema is about this document, not about just any.
        self.assertFalse(validator.is_valid({}))

    def write_run(self, name, change, recording=REDUCTIONS):
        run = recorded(recording)
        change(run)
        (self.folder / name).mkdir()
        (self.folder / name / "run.json").write_text(json.dumps(run))
        return name

    def slower(self, name="slower"):
        def change(run):
            run["started_utc"] = "2027-01-01T00:00:00Z"
            run["device"]["driver_version"] = "590.1"
            run["ceilings"] = [dict(ceiling, value=1.1 * ceiling["value"]) for ceiling in run["ceilings"]]
            first, second, third, *_ = run["measurements"]
            for key in ["median_s", "ci_low_s", "ci_high_s"]:
                first["time"][key] *= 1.3
            first["counters"]["dram_read_bytes"] *= 1.5
            second.update(status="failed", cause="wrong result")
            del second["time"]
            run["measurements"].remove(third)
        return self.write_run(name, change)

    def test_compare(self):
        recording = FOLDER / "reductions-h200"
        document = self.check("compare", "compare", recording, self.slower(), "--json")
        verdicts = {point["verdict"] for point in document["comparisons"][0]["points"]}
        self.assertLessEqual({"slower", "broken", "missing", "same"}, verdicts)
        for program in ["training-step-h200", "matrix-sums-h200"]:
            self.check("compare", "compare", FOLDER / program, FOLDER / program, "--json")
        self.check("compare", "compare", FOLDER / "ceilings-two-h200", FOLDER / "ceilings-two-h200", "--json")

    def test_gate(self):
        document = self.check("gate", "gate", FOLDER / "reductions-h200", self.slower(), "--json", code=4)
        self.assertEqual((document["verdict"], document["run"]), ("failed", []))

        def fail(run):
            run["measurements"] = run["measurements"][::2]
            run["application"]["exit_code"] = 1
        document = self.check("gate", "gate", FOLDER / "training-step-h200", self.write_run("failed", fail, TRAINING), "--json", code=4)
        self.assertEqual([(check["check"], check["outcome"]) for check in document["run"]],
                         [("exit-code", "failed"), ("groups", "failed"), ("launches", "passed")])
        shares = [group["fraction_of_gpu_time"] for group in document["coverage"]["missing_groups"]]
        self.assertEqual(len(shares), 48)
        self.assertAlmostEqual(sum(shares), document["coverage"]["missing_fraction_of_gpu_time"])
        document = self.check("gate", "gate", FOLDER / "data-parallel-two-h200", FOLDER / "ladder-h200", "--json", code=2)
        self.assertEqual((document["verdict"], len(document["incomparable"])), ("not-comparable", 1))

    def test_history(self):
        (self.folder / "damaged.json").write_text("{}")
        document = self.check("history", "history", FOLDER / "reductions-h200", self.slower(), FOLDER / "sizes-h200", "damaged.json",
                              "--counters", "dram_read_bytes", "--json", code=1)
        self.assertEqual((len(document["runs"]), len(document["left_out"])), (2, 2))

    def test_explain(self):
        for recording in ["reductions-h200", "training-step-h200", "seeds-h200"]:
            self.check("explain", "explain", FOLDER / recording, "--json")
        self.check("explain", "explain", self.slower(), "--json")

        def add_lines(run):
            lines = [{"file": "/srv/model.py", "line": 45, "source_text": "y = x + 1", "samples": 6, "stall": "wait", "stalled": 4},
                     {"file": "/srv/model.py", "line": 47, "samples": 1}]
            run["measurements"][0]["launches"]["sampled"] = {"samples": 8, "lines": lines}
        document = self.check("explain", "explain", self.write_run("sampled", add_lines, TRAINING), "--json")
        explained = [point for experiment in document["experiments"] for point in experiment["points"] if "sampled" in point]
        self.assertEqual([line["share"] for point in explained for line in point["sampled"]["lines"]], [0.75, 0.125])
        for recording in ["reductions-h200", "training-step-h200", "data-parallel-two-h200"]:
            self.check("brief", "explain", FOLDER / recording, "--json", "--budget", 5000)
        self.check("brief", "explain", "slower", "--json", "--budget", 200)

    def test_keys_of_points_are_unique_and_stable(self):
        def keys(run):
            explained = json.loads(self.call("explain", run, "--json").stdout)
            return [point["key"] for experiment in explained["experiments"] for point in experiment["points"]]
        for recording in FOLDER.iterdir():
            if recording.name not in ["ceilings-h200", "ceilings-two-h200", "primitives-h200"]:
                self.assertEqual(len(set(keys(recording))), len(keys(recording)), recording)
        reductions = FOLDER / "reductions-h200"
        self.assertEqual(len(set(keys(reductions)) - set(keys(self.slower()))), 1)  # the one that it did not measure

    def test_devices_are_those_of_the_runs(self):
        document = self.check("compare", "compare", FOLDER / "reductions-h200", self.slower(), "--json")
        self.assertEqual([device["name"] for device in document["devices"]], ["NVIDIA H200"])
        document = self.check("explain", "explain", FOLDER / "data-parallel-two-h200", "--json")
        self.assertEqual(len({device["uuid"] for device in document["devices"]}), 2)

    def test_doctor(self):
        self.check("doctor", "doctor", "--json")
        self.check("doctor", "doctor", "--json", accidents="no_gpu@start", code=3)

    def test_selftest(self):
        self.check("selftest", "selftest", "--json")
        self.check("selftest", "selftest", "--json", accidents="miscount@self_test:counters", code=1)

    def test_list(self):
        for topic in ["variants", "ceilings", "primitives", "metrics", "devices"]:
            self.check("list", "list", topic, "--json")

    def test_version(self):
        self.check("version", "version", "--json")

    def test_profile(self):
        result = self.profile("often", options=["--json", "--quiet"])
        self.assert_exit(result, 0)
        self.check_document("profile", json.loads(result.stdout.splitlines()[-1]))

    def test_no_command_is_forgotten(self):
        document = (SOURCE / "docs/data.md").read_text()
        commands = re.findall(r"^  (\w+) +[A-Z]", self.call("--help").stdout.partition("\nCommands:\n")[2], re.MULTILINE)
        self.assertIn("history", commands)
        for command in commands:
            has_json = "--json" in self.call(command, "--help").stdout
            self.assertEqual(has_json, f"| `{command}" in document.split("## JSON")[1], command)


if __name__ == "__main__":
    unittest.main()
