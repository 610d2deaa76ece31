#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs every check that this machine can run: formatting, the tests under
# AddressSanitizer and UndefinedBehaviorSanitizer, some seconds of fuzzing, clang-tidy, and the tests of the build that is
# used (with a CUDA toolkit those of the collector too, with a GPU those of the kernels too). Ends with ctest's summary.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
. scripts/toolkit.sh

echo "== formatting"
git ls-files '*.cpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --dry-run --Werror

echo "== build: preset asan"
cmake --preset asan -Wno-dev >/dev/null
cmake --build --preset asan
echo "== tests: preset asan"
ctest --preset asan --output-on-failure -j "$(nproc)"

echo "== fuzz targets"
cmake --preset fuzz -Wno-dev >/dev/null
cmake --build --preset fuzz
ctest --preset fuzz -j "$(nproc)"

echo "== clang-tidy"
git ls-files 'core/*.cpp' 'analysis/*.cpp' 'crosscheck/*.cpp' 'reports/*.cpp' 'cli/*.cpp' |
  xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/asan

echo "== build: preset $preset"
cmake --preset "$preset" "${architecture[@]}" -Wno-dev >/dev/null
cmake --build --preset "$preset"
if [ "$preset" = dev ]; then
  echo "== clang-tidy: collector and kernels"
  git ls-files 'collector/*.cpp' 'kernels/*.cpp' | xargs -P "$(nproc)" -n 1 clang-tidy --quiet -p build/dev
fi
echo "== tests: preset $preset"
ctest --preset "$preset" --output-on-failure -j "$(nproc)"
