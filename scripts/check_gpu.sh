#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What needs a GPU, one after the other, with a line for each: kernels, counters, the shipped plan beside its recording, kernels from
# files, profiled programs, faults, links, and the stress test. Builds nothing:
#   scripts/check_gpu.sh BIN OUTPUT [STEP...]
# BIN has the programs of a build with tests (build/dev/bin), OUTPUT gets the log and the results of each step. Without steps: all.
# STRESS_SECONDS (default: 120), STEP_SECONDS (default: 600; no step takes longer). Exits with 1 if a step failed.
set -uo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 2 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
bin=$(cd "$1" && pwd) && mkdir -p "$2" && output=$(cd "$2" && pwd) || exit 2
shift 2
export ROOFLINECTL=$bin/rooflinectl
export ROOFLINECTL_TEST_CACHE=$output/cache # ceilings are measured once
failed=0

wanted() { # NAME STEPS...
  local name=$1
  shift
  [ $# -eq 0 ] && return
  [[ " $* " = *" $name "* ]]
}
steps=("$@")
step() { # NAME COMMAND...
  local name=$1 start=$SECONDS code outcome
  shift
  wanted "$name" "${steps[@]}" || return 0
  mkdir -p "$output/$name"
  (cd "$output/$name" && timeout --kill-after=10 "${STEP_SECONDS:-600}" "$@") >"$output/$name.log" 2>&1
  code=$?
  case $code in
    0) outcome=ok ;;
    77) outcome="skipped: $(tail -1 "$output/$name.log")" ;;
    *) outcome="FAILED with $code" failed=1 ;;
  esac
  printf '%-10s %5d s  %s\n' "$name" $((SECONDS - start)) "$outcome"
  [ "$code" = 0 ] || [ "$code" = 77 ] || tail -25 "$output/$name.log" | sed 's/^/    /'
}
plan() {
  "$ROOFLINECTL" run --quiet --require-gpu --fresh --selftest --output "$output/plan" "$source/experiments.yaml" &&
    "$ROOFLINECTL" compare "$source/recordings/reductions-h200" "$(ls -d "$output"/plan/reductions/2*Z | tail -1)"
}
export -f plan
export source output

step doctor "$ROOFLINECTL" doctor
step kernels "$bin/rooflinectl-gpu-tests" --gtest_brief=1 '--gtest_filter=-Counters*'
step counters "$bin/rooflinectl-gpu-tests" --gtest_brief=1 '--gtest_filter=Counters*'
step plan bash -c plan
step files python3 "$source/tests/gpu/file_kernels_test.py"
step python_kernels python3 "$source/tests/gpu/python_kernels_test.py"
step profile python3 "$source/tests/gpu/profile_test.py" --rooflinectl "$ROOFLINECTL" --programs "$bin"
step faults python3 "$source/tests/gpu/faults_test.py"
step links python3 "$source/tests/gpu/links_test.py" --rooflinectl "$ROOFLINECTL"
step stress python3 "$source/tests/gpu/stress/stress.py" --rooflinectl "$ROOFLINECTL" --program "$bin/rooflinectl-stress" \
  --seconds "${STRESS_SECONDS:-120}" --keep "$output/stress"
exit $failed
