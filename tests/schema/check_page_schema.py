# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/schema/page.schema.json describes the data in the pages that rooflinectl writes.

usage: check_page_schema.py SCHEMA_FOLDER RECORDINGS_FOLDER WRITE_FULL_RUN ROOFLINECTL

The types of the page's script are generated from that schema, so the script cannot read what is not written. Exits with 77,
the code for a skipped test, where the Python module jsonschema is missing.
"""

import base64
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zlib

try:
    import jsonschema
except ImportError:
    print(f"skipped: {sys.executable} has no module jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

OPEN = '<script type="application/zlib" id="page-data">'


def data_of(rooflinectl, run_json, timeline=None):
    """The data in the page of a run.json, given as text, and of a timeline beside it."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "run.json").write_text(run_json, encoding="utf-8")
        if timeline:
            (pathlib.Path(folder) / "timeline.json.gz").write_bytes(gzip.compress(timeline))
        subprocess.run([rooflinectl, "report", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        page = (pathlib.Path(folder) / "report.html").read_text(encoding="utf-8")
    begin = page.index(OPEN) + len(OPEN)
    return json.loads(zlib.decompress(base64.b64decode(page[begin:page.index("</script>", begin)])))


def main():
    schemas, recordings, write_full_run, rooflinectl = sys.argv[1:]
    read = lambda name: json.loads((pathlib.Path(schemas) / name).read_text(encoding="utf-8"))
    warnings.filterwarnings("ignore", category=DeprecationWarning)  # newer versions deprecate RefResolver
    # References between the two are by file name.
    schema, run_schema = ({**read(name), "$id": f"file:///{name}"} for name in ["page.schema.json", "run.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store={run_schema["$id"]: run_schema})
    validator = jsonschema.Draft202012Validator(schema, resolver=resolver)

    runs = {str(file): gzip.decompress(file.read_bytes()).decode() for file in pathlib.Path(recordings).rglob("run.json.gz")}
    runs["the program"] = subprocess.run([write_full_run, "program"], check=True, capture_output=True, text=True).stdout
    runs["the full run"] = subprocess.run([write_full_run], check=True, capture_output=True, text=True).stdout
    failures = []
    for name, run_json in runs.items():
        data = data_of(rooflinectl, run_json)
        failures += [f"{name}: {error.json_path}: {error.message}" for error in validator.iter_errors(data)]
    timeline = subprocess.run([write_full_run, "timeline"], check=True, capture_output=True).stdout
    sampled = data_of(rooflinectl, runs["the program"], timeline)
    failures += [f"the timeline: {error.json_path}: {error.message}" for error in validator.iter_errors(sampled)]
    if "timeline" not in sampled["run"]["experiments"][0]:
        failures.append("the page has no timeline")
    data["run"]["agreements"][0]["unknown"] = 1
    if validator.is_valid(data):
        failures.append("accepted although a table has a member that the schema does not know")
    print(f"{len(runs)} pages")
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
