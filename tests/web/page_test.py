# SPDX-License-Identifier: Apache-2.0
"""Tests of the page that need npm.

usage: page_test.py build|browser ROOFLINECTL BUILD_FOLDER WRITE_FULL_RUN

build: builds reports/page/web again and compares it with the committed pages in reports/page/web/dist.
browser: runs the tests of this folder in Chromium, on reports that ROOFLINECTL writes; that of a profiled program of
the run that WRITE_FULL_RUN prints.

Packages are installed below BUILD_FOLDER, once per lock file. Exits with 77, the code for a skipped test, where npm, Chromium
or access to the package registry is missing.
"""

import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/support"), str(SOURCE / "scripts")]

from chromium import find_chromium  # noqa: E402
from npm_packages import copy, install, skip  # noqa: E402


def build(work):
    copy("docs/schema", work / "docs" / "schema")
    web = work / "reports" / "page" / "web"
    shutil.rmtree(web / "src", ignore_errors=True)
    copy("reports/page/web", web)
    install(web)
    subprocess.run(["npm", "run", "build"], cwd=web, check=True)
    for name in ["page.html", "comparison.html"]:
        built = (web / "dist" / name).read_bytes()
        if built != (SOURCE / "reports" / "page" / "web" / "dist" / name).read_bytes():
            sys.exit(f"reports/page/web/dist/{name} is not what its sources give: cd reports/page/web && npm ci && npm run build")
        print(f"{name}: {len(built)} bytes, as committed")


def browser(work, rooflinectl, write_full_run):
    chromium = find_chromium()
    if not chromium:
        skip("no Chromium; CHROMIUM=<program> names one")
    tests = work / "tests"
    for old in tests.glob("*.spec.ts"):
        old.unlink()
    copy("tests/web", tests)
    install(tests)
    environment = {**os.environ, "CHROMIUM": chromium, "ROOFLINECTL": rooflinectl, "WRITE_FULL_RUN": write_full_run, "SOURCE_FOLDER": str(SOURCE)}
    sys.exit(subprocess.run(["npx", "--no-install", "playwright", "test"], cwd=tests, env=environment).returncode)


def main():
    step, rooflinectl, folder, write_full_run = sys.argv[1:]
    work = pathlib.Path(folder) / step
    if step == "build":
        build(work)
    else:
        browser(work, rooflinectl, write_full_run)


main()
