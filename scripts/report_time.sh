#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# How long the report of a profiled program with many groups takes, and how large its page is.
#
#   scripts/report_time.sh ROOFLINECTL RUN.json[.gz] [GROUPS]
set -euo pipefail

rooflinectl=${1:?usage: $0 ROOFLINECTL RUN.json[.gz] [GROUPS]}
recording=${2:?usage: $0 ROOFLINECTL RUN.json[.gz] [GROUPS]}
groups=${3:-5000}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$(dirname "$0")/large_program.py" "$recording" "$groups" >"$work/run.json"
start=$(date +%s.%N)
"$rooflinectl" report "$work/run.json" --output "$work/report" >"$work/output" || { cat "$work/output" >&2; exit 1; }
end=$(date +%s.%N)
awk -v a="$start" -v b="$end" -v groups="$groups" -v bytes="$(stat -c %s "$work/report/report.html")" \
  'BEGIN { printf "report of %d groups: %.2f s, report.html %.1f MB\n", groups, b - a, bytes / 1e6 }'
