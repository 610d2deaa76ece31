#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to the first report: installs missing packages, builds, runs experiments.yaml. On a machine with a GPU
# it measures; elsewhere it replays a recording, and prints that it does. Arguments go to `rooflinectl run`.
set -euo pipefail
cd "$(dirname "$0")/.."

trap 'echo "quickstart.sh: stopped at line $LINENO; what went wrong is above" >&2' ERR

scripts/setup.sh build
. scripts/toolkit.sh

# A log instead of hundreds of lines; it is shown if something fails.
log=build/quickstart.log
mkdir -p build
quietly() {
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "quickstart.sh: failed: $* (all of it: $log)" >&2
    exit 1
  fi
}
[ -x "build/$preset/bin/rooflinectl" ] || echo "== building (preset $preset); this takes some minutes"
# A build folder that has tests keeps them.
testing=()
[ -e "build/$preset/CMakeCache.txt" ] || testing=(-DBUILD_TESTING=OFF)
quietly cmake --preset "$preset" "${testing[@]}" "${options[@]}"
quietly cmake --build --preset "$preset" --target programs

echo "== build/$preset/bin/rooflinectl run experiments.yaml $*"
exec "build/$preset/bin/rooflinectl" run experiments.yaml "$@"
