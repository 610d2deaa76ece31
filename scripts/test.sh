#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every check that this machine can run: formatting, the quick start, the tests and
# some seconds of fuzzing under AddressSanitizer and UndefinedBehaviorSanitizer, clang-tidy, and those tests of the build that is
# used whose result depends on it (label `shipped`: installation, page, scripts, pictures, with a CUDA toolkit those of the
# collector, with a GPU those of the kernels). `ctest --preset dev` runs all tests of that build. Ends with how long each
# step took, and ctest's summary.
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

# Many tests wait for a process or a time limit.
jobs=$((2 * $(nproc)))

step "packages"
scripts/setup.sh
. scripts/toolkit.sh

step "formatting"
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs -P "$(nproc)" -n 50 clang-format --dry-run --Werror

step "quick start (preset $preset)"
scripts/quickstart.sh --quiet

step "build: preset asan"
cmake --preset asan -Wno-dev >/dev/null
cmake --build --preset asan
step "tests: preset asan"
ctest --preset asan --output-on-failure -j "$jobs"

export ROOFLINECTL_TESTS=shipped_tests
step "build: preset $preset, $ROOFLINECTL_TESTS"
cmake --preset "$preset" -DBUILD_TESTING=ON "${architecture[@]}" -Wno-dev >/dev/null
cmake --build --preset "$preset" --target "$ROOFLINECTL_TESTS"

step "clang-tidy"
cuda=ON
[ "$preset" = dev ] || cuda=OFF
cmake --preset tidy -DROOFLINECTL_CUDA="$cuda" -Wno-dev >/dev/null
# In a unity build, files include each other on purpose. What rooflinectl_guest compiles once more is read elsewhere.
sed -n '/rooflinectl_guest/!s/^  "file": "\(.*\.c[px][px]\)",*$/\1/p' build/tidy/compile_commands.json |
  xargs -P "$(nproc)" -L 1 clang-tidy --quiet --checks=-bugprone-suspicious-include -p build/tidy

step "tests: preset $preset, label shipped"
ctest --preset "$preset" -L shipped --output-on-failure -j "$jobs" | tee "build/$preset/tests.log"
end_step

printf '== where the time went\n'
printf '%s\n' "${durations[@]}"
sed -n '/tests passed/,$p' "build/$preset/tests.log"
