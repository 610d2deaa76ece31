# SPDX-License-Identifier: Apache-2.0
"""docs/schema/plan.schema.json, which editors use, has the keys that the program reads."""

import json
import re
import unittest

from program import SOURCE, ProgramTest

try:
    import jsonschema
    import yaml
except ImportError:
    jsonschema = yaml = None

SCHEMA = json.loads((SOURCE / "docs/schema/plan.schema.json").read_text())
DEFINITIONS = SCHEMA["$defs"]
KERNEL = {"source": "scale.cu", "function": "scale", "launch": {"grid": 1, "block": 32}}


def keys(schema):
    return set(schema["properties"])


class PlanSchema(ProgramTest):
    def mistakes(self, plan):
        self.write("plan.yaml", json.dumps(plan))  # which is YAML
        return self.call("run", "plan.yaml", "--dry-run").stderr

    def names(self, plan):
        """The keys that are valid where the plan has an unknown one."""
        return set(re.search(r"unknown key 'qqqqqqqqqqqqqqqq'; valid: (.*)", self.mistakes(plan)).group(1).split(", "))

    def test_keys_are_those_that_the_program_reads(self):
        unknown = {"qqqqqqqqqqqqqqqq": 1}
        kernel = DEFINITIONS["kernel"]["properties"]
        experiment = DEFINITIONS["experiment"]["properties"]
        of_kernel = lambda **fields: {"name": "p", "kernels": {"k": {**KERNEL, **fields}}}
        of_experiment = lambda **fields: {"name": "p", "experiments": {"e": {"sizes": 1024, "variants": "all", **fields}}}
        variant = experiment["variants"]["anyOf"][0]["anyOf"][1]["additionalProperties"]
        settings = SCHEMA["properties"]["defaults"]
        for schema, plan in [
                (SCHEMA, {"name": "p", **unknown}), (settings, {"name": "p", "defaults": unknown}), (DEFINITIONS["kernel"], of_kernel(**unknown)),
                (kernel["launch"], of_kernel(launch=unknown)), (kernel["work"], of_kernel(work=unknown)),
                (kernel["tolerance"], of_kernel(tolerance=unknown)),
                (kernel["reference"]["anyOf"][1], of_kernel(reference={"python": "f.py", **unknown})),
                (kernel["reference"]["anyOf"][2], of_kernel(reference={"cpp": "f.cpp", **unknown})),
                (DEFINITIONS["argument"], of_kernel(arguments={"x": unknown})), (variant, of_experiment(variants={"sum_atomic": unknown})),
                (settings["properties"]["timing"], of_experiment(timing=unknown)), (DEFINITIONS["application"], of_experiment(application=unknown))]:
            self.assertEqual(keys(schema), self.names(plan))
        # Too many to be listed in a message.
        self.assertNotIn("unknown key", self.mistakes(of_experiment(**dict.fromkeys(experiment))))
        self.assertEqual(set(experiment), {"title", "variants", "kernels", "application"} | keys(settings) | keys(variant))

    @unittest.skipIf(yaml is None, "requires python3-jsonschema and python3-yaml")
    def test_the_shipped_plans_are_valid(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)
        plans = [SOURCE / "experiments.yaml", *sorted((SOURCE / "experiments").glob("*.yaml"))]
        texts = [plan.read_text() for plan in plans] + re.findall(r"```yaml\n(.*?)```", (SOURCE / "docs/plans.md").read_text(), re.DOTALL)
        self.assertGreater(len(texts), 5)
        for text in texts:
            jsonschema.validate(yaml.safe_load(text), SCHEMA)
        kernel = "name: p\nkernels: {k: {source: f.cu, function: f, %s}}"
        for right in ["cases: [{m: 1, n: 2^20}]", "cases: {few: {m: 1, kind: slow}}", "reference: {cpp: f.cpp, function: f}"]:
            jsonschema.validate(yaml.safe_load(kernel % right), SCHEMA)
        for wrong in [*(kernel % text for text in ["cases: []", "cases: {m: 1}", "cases: [{m: [1, 2]}]", "reference: {cpp: f.cpp}"]), "name: p", "name: p\nkernels: {k: {function: f}}", "name: p\nexperiments: {e: {size: 3}}",
                      "name: p\nkernels: {k: {source: f.cu, function: f, arguments: {x: {in: f32, out: f32}}}}"]:
            with self.assertRaises(jsonschema.ValidationError, msg=wrong):
                jsonschema.validate(yaml.safe_load(wrong), SCHEMA)


if __name__ == "__main__":
    unittest.main()
