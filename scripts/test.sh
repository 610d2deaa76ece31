#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every check that this machine can run: formatting, the quick start, the tests and
# some seconds of fuzzing under AddressSanitizer and UndefinedBehaviorSanitizer, clang-tidy, and the tests of the build that is
# used (with a CUDA toolkit those of the collector too, with a GPU those of the kernels too). Ends with how long each step
# took, and ctest's summary.
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

step "packages"
scripts/setup.sh
. scripts/toolkit.sh

step "formatting"
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror

step "quick start (preset $preset)"
scripts/quickstart.sh --quiet

step "build: preset asan"
cmake --preset asan -Wno-dev >/dev/null
cmake --build --preset asan
step "tests: preset asan"
ctest --preset asan --output-on-failure -j "$(nproc)"

step "build: preset $preset"
cmake --preset "$preset" -DBUILD_TESTING=ON "${architecture[@]}" -Wno-dev >/dev/null
cmake --build --preset "$preset"

step "clang-tidy"
# The units that a build compiled from the folders named; most of those of preset asan are several files in one.
units_of() {
  sed -n "s,^  \"file\": \"$PWD/\(.*\)\"\,*\$,\1,p" "build/$1/compile_commands.json" | grep -E "$2" | sed "s,^,build/$1 ,"
}
{
  units_of asan '^(build/asan/)?(core|analysis|crosscheck|runner|reports|cli)/'
  [ "$preset" != dev ] || units_of dev '^(collector|kernels)/.*\.cpp$'
} | xargs -P "$(nproc)" -L 1 clang-tidy --quiet -p

step "tests: preset $preset"
ctest --preset "$preset" --output-on-failure -j "$(nproc)" | tee "build/$preset/tests.log"
end_step

printf '== where the time went\n'
printf '%s\n' "${durations[@]}"
sed -n '/tests passed/,$p' "build/$preset/tests.log"
