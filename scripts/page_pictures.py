#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pictures of pages in docs/images, as Chromium shows the pages of the recordings.

usage: page_pictures.py ROOFLINECTL [PICTURE …]

ROOFLINECTL is the program that writes the pages. Without names of pictures, all of them are made. CHROMIUM=<program> names a browser.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

from chromium import find_chromium

ROOT = pathlib.Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"

# Name, recording, the part of the address about the view, size in pixels.
PICTURES = [
    ("page-ladder.png", "reductions-h200", "theme=light", (1400, 1000)),
    ("page-program.png", "training-step-h200", "theme=light", (1400, 1180)),
    ("page-timeline.png", "training-step-h200", "theme=light", (1400, 1750)),
]


def page_of(rooflinectl, recording, folder):
    """The address of the page of a recording, written below `folder`."""
    recorded = ROOT / "recordings" / recording
    if not (recorded / "run.json.gz").is_file():
        sys.exit(f"{recorded} has no run.json.gz")
    run = pathlib.Path(folder) / recording
    shutil.copytree(recorded, run, dirs_exist_ok=True)
    subprocess.run([rooflinectl, "report", run, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return (run / "report.html").as_uri()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("rooflinectl", type=pathlib.Path)
    parser.add_argument("pictures", nargs="*", choices=[[], *(name for name, *_ in PICTURES)])
    arguments = parser.parse_args()
    chromium = find_chromium()
    if not chromium:
        sys.exit("no Chromium; CHROMIUM=<program> names one")
    with tempfile.TemporaryDirectory() as folder:
        for name, recording, view, (width, height) in PICTURES:
            if arguments.pictures and name not in arguments.pictures:
                continue
            address = page_of(arguments.rooflinectl.resolve(), recording, folder)
            subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}/browser",
                 f"--window-size={width},{height}", "--virtual-time-budget=10000", f"--screenshot={IMAGES / name}", f"{address}#{view}"],
                check=True, stderr=subprocess.DEVNULL)
            print(IMAGES / name)


main()
