#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs what this machine can run: formatting; the quick start; the tests labelled `shipped` of its
# build (whole programs, installation, page, schemas, scripts, pictures, and with a CUDA toolkit those of the collector, with a GPU those
# of the kernels); all others, and a second of fuzzing for each reader, under AddressSanitizer and UndefinedBehaviorSanitizer; the library
# within programs under ThreadSanitizer; clang-tidy. Ends with how long each step took, and ctest's summary of the build that is used.
# Tests labelled `release` (packages, examples, workflows, recipes) are left to scripts/check_release.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

durations=()
step() {
  end_step
  step_name=$1
  step_start=$SECONDS
  echo "== $step_name"
}
end_step() {
  [ -z "${step_name:-}" ] || durations+=("$(printf '%5d s  %s' $((SECONDS - step_start)) "$step_name")")
}

# beside NAME COMMAND...: starts COMMAND at the lowest priority, on what the steps leave idle of the processors. finish_beside
# waits for it, and shows what it printed if it fails.
beside() {
  beside_log=build/$1.log
  shift
  nice -n 19 "$@" >"$beside_log" 2>&1 &
  beside_pid=$!
}
finish_beside() {
  if ! wait "$beside_pid"; then
    cat "$beside_log" >&2
    exit 1
  fi
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# Many tests wait for a process or a time limit.
jobs=$((2 * $(nproc)))

step "packages"
scripts/setup.sh
. scripts/toolkit.sh

step "formatting"
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -P "$(nproc)" -n 50 clang-format --dry-run --Werror

# The Python that has the packages of setup.sh, whichever is first on the PATH.
python=-DPython3_EXECUTABLE=/usr/bin/python3
cmake --preset asan "$python" -Wno-dev >/dev/null
beside asan-build ninja -C build/asan

step "quick start (preset $preset); meanwhile the build of preset asan begins"
scripts/quickstart.sh --quiet

export ROOFLINECTL_TESTS=shipped_tests
step "build: preset $preset, $ROOFLINECTL_TESTS"
cmake --preset "$preset" -DBUILD_TESTING=ON "$python" "${options[@]}" -Wno-dev >/dev/null
cmake --build --preset "$preset" --target "$ROOFLINECTL_TESTS"

step "tests: preset $preset, label shipped"
ctest --preset "$preset" -L shipped --output-on-failure -j "$jobs" | tee "build/$preset/tests.log"
unset ROOFLINECTL_TESTS

step "build: preset asan, what was left of it"
finish_beside

step "tests: preset asan; meanwhile clang-tidy begins"
cuda=ON
[ "$preset" = dev ] || cuda=OFF
cmake --preset tidy -DROOFLINECTL_CUDA="$cuda" "${options[@]}" -Wno-dev >/dev/null
# These files include others on purpose. The largest come first, so that none of them is left for one processor at the end.
scripts/tidy_units.py build/tidy >build/tidy/files
beside clang-tidy xargs -a build/tidy/files -d '\n' -P "$(nproc)" -n 1 \
  clang-tidy --quiet --checks=-bugprone-suspicious-include -p build/tidy/units
# To note each allocation's whole call stack takes nearly a tenth of the time: a test that fails shows it when run by itself. With fewer
# than two calls, no leak would be reported.
ASAN_OPTIONS=malloc_context_size=2 ctest --preset asan --output-on-failure -j "$jobs"

step "build and tests: preset tsan, what runs within profiled programs"
cmake --preset tsan "$python" -Wno-dev >/dev/null
cmake --build --preset tsan >build/tsan.log || { cat build/tsan.log >&2; exit 1; }
ROOFLINECTL_TESTS=injection_tests ctest --test-dir build/tsan -L '^injection$' --output-on-failure -j "$jobs"

step "clang-tidy, what was left of it"
finish_beside
end_step

printf '== where the time went\n'
printf '%s\n' "${durations[@]}"
sed -n '/tests passed/,$p' "build/$preset/tests.log"
