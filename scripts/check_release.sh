#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Before a tag: scripts/test.sh, then the preset release (kernels for every architecture, each file compiled by itself) with all of its
# tests, among them those labelled `release` (packages, examples, workflows, the recipes of CONTRIBUTING.md), then fuzzing:
#   scripts/check_release.sh [SECONDS]      for each reader; default: 3600
# Takes hours, and needs the CUDA 13 toolkit. What needs a GPU is in CONTRIBUTING.md.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/test.sh
. scripts/toolkit.sh
[ "$preset" = dev ] || exit 1
cmake --preset release -DPython3_EXECUTABLE=/usr/bin/python3
cmake --build --preset release
ctest --preset release -j "$(nproc)"
scripts/fuzz.sh --seconds "${1:-3600}"
