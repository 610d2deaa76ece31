#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks for inputs that crash, leak, hang or take much memory, in every reader of foreign files:
#   scripts/fuzz.sh [--seconds N | --runs N] [--merge] [TARGET ...]      default: 60 seconds for each of tests/fuzz/*_fuzz.cpp
# --merge then keeps the inputs that reach code that the seeds do not, in tests/fuzz/found.tar.xz. Ends with executions and
# time per target; an input that fails is kept in build/fuzz/tests/fuzz. Give it to the target to see the failure again.
set -euo pipefail
cd "$(dirname "$0")/.."

limit=-max_total_time=60
merge=no
targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds) limit=-max_total_time=$2; shift ;;
    --runs) limit=-runs=$2; shift ;;
    --merge) merge=yes ;;
    -*) sed -n '3,6s/^# //p' "$0" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} -eq 0 ]; then
  for source in tests/fuzz/*_fuzz.cpp; do targets+=("$(basename "$source" _fuzz.cpp)"); done
fi

# Unlike the build of the tests, this one also tells libFuzzer of every comparison, and its readers run more often than they are built.
cmake --preset asan -B build/fuzz -DCMAKE_CXX_FLAGS=-fsanitize-coverage=trace-cmp -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -Wno-dev >/dev/null
cmake --build build/fuzz --target "${targets[@]/%/_fuzz}"
build=build/fuzz/tests/fuzz
# Where memory was taken is seldom what one wants to know, and takes most of the time.
export ASAN_OPTIONS=malloc_context_size=2
for target in "${targets[@]}"; do
  corpus=tests/fuzz/corpus/$target
  found=$build/found/$target
  new=$build/new/$target
  dictionary=()
  [ ! -e "tests/fuzz/$target.dict" ] || dictionary=(-dict="tests/fuzz/$target.dict")
  start=$SECONDS
  if ! "$build/${target}_fuzz" "$limit" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 "${dictionary[@]}" \
    -artifact_prefix="$build/" "$new" "$corpus" "$found" >"$build/$target.log" 2>&1; then
    tail -n 40 "$build/$target.log" >&2
    exit 1
  fi
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: //p' "$build/$target.log") executions in $((SECONDS - start)) s"
  if [ $merge = yes ]; then
    # Inputs of the first folder stay, so the merged set begins with the seeds, which are then left out of the archive.
    merged=$build/merged/$target
    rm -rf "$merged" && cp -r "$corpus" "$merged"
    "$build/${target}_fuzz" -merge=1 -use_counters=0 "$merged" "$found" "$new" >"$build/$target.merge.log" 2>&1
    rm -rf "$found" && mkdir "$found"
    find "$merged" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -exec mv {} "$found/" \;
  fi
done
if [ $merge = yes ]; then
  tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$build/found" -cJf tests/fuzz/found.tar.xz .
fi
