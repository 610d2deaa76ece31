# SPDX-License-Identifier: Apache-2.0
"""For tests that need packages from npm: they are installed below a build folder, once per lock file. Where npm or access to
the package registry is missing, the test exits with 77, the code for a skipped one."""

import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
OFFLINE = ["EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def copy(folder, target):
    """The sources of `folder`; node_modules below `target` stays."""
    for path in (SOURCE / folder).rglob("*"):
        relative = path.relative_to(SOURCE / folder)
        if path.is_file() and not {"node_modules", "dist", "generated"} & set(relative.parts):
            (target / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / relative)


def install(folder):
    """What its package-lock.json lists."""
    if shutil.which("npm") is None:
        skip("no npm")
    lock = (folder / "package-lock.json").read_text(encoding="utf-8")
    stamp = folder / "node_modules" / ".installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == lock:
        return
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        if any(code in done.stderr for code in OFFLINE):
            skip("no way to the package registry")
        sys.exit(done.stdout + done.stderr)
    stamp.write_text(lock, encoding="utf-8")
