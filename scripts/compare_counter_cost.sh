#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What gathering counters adds to a run: ours, and those of Nsight Compute's two roofline sections, compared with the same
# collector launching the same points once without them. Wall times of whole processes, side by side, the best of three.
#
#   scripts/compare_counter_cost.sh INSTALLED_FOLDER [PLAN.yaml]
set -euo pipefail

folder=${1:?usage: $0 INSTALLED_FOLDER [PLAN.yaml]}
plan=${2:-$folder/share/rooflinectl/experiments.yaml}
command -v ncu >/dev/null || { echo "ncu is not on the PATH" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$folder/bin/rooflinectl" run "$plan" --dry-run --json >"$work/plan.json"

# Seconds of the fastest of three runs of a command.
best_of_three() {
  local best=""
  for _ in 1 2 3; do
    local start end seconds
    start=$(date +%s.%N)
    "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
    end=$(date +%s.%N)
    seconds=$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", b - a }')
    best=$(awk -v a="${best:-$seconds}" -v b="$seconds" 'BEGIN { print (a < b ? a : b) }')
  done
  echo "$best"
}

collector=("$folder/bin/rooflinectl-collector" --plan "$work/plan.json" --mode)
plain=$(best_of_three "${collector[@]}" once)
ours=$(best_of_three "${collector[@]}" count)
ncu=$(best_of_three ncu --clock-control none --nvtx --nvtx-include 'regex:rooflinectl@.*/' \
  --section SpeedOfLight --section SpeedOfLight_RooflineChart "${collector[@]}" once)

awk -v plain="$plain" -v ours="$ours" -v ncu="$ncu" 'BEGIN {
  printf "every point once, no counters   %7.3f s\n", plain
  printf "with our counters               %7.3f s   adds %7.3f s\n", ours, ours - plain
  printf "with ncu, two roofline sections %7.3f s   adds %7.3f s\n", ncu, ncu - plain
  printf "ours over ncu: %.3f\n", (ours - plain) / (ncu - plain)
}'
