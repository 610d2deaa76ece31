# SPDX-License-Identifier: Apache-2.0
"""The browser that pictures of pages are taken with, and that their tests run in."""

import os
import shutil


def find_chromium():
    """The program that CHROMIUM names, else the first installed one of these; None without any. The headless shell, which has no
    windows, comes first: the tests need a third less CPU time in it."""
    programs = ["chromium-headless-shell", "chromium", "google-chrome"]
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, programs)), None)
