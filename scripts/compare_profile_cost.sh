#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `rooflinectl profile` adds to a program, as a Markdown table: the program plain, profiled in one run, and plain again, or
# all of this N times with --pairs N; with --ncu also what Nsight Compute's two roofline sections add, extrapolated to all launches
# from 60 in the middle of the program.
#
#   scripts/compare_profile_cost.sh INSTALLED_FOLDER [--pairs N] [--ncu] [--output DIR] [-- PROGRAM ARGUMENTS...]
#
# The program is examples/training_step.py with 300 steps unless another is named. Its steps are compared if it prints
# "NUMBER ms per step". --output keeps the profiled run.
set -euo pipefail

usage="usage: $0 INSTALLED_FOLDER [--pairs N] [--ncu] [--output DIR] [-- PROGRAM ARGUMENTS...]"
[[ $# -ge 1 && $1 != -* ]] || { echo "$usage" >&2; exit 2; }
folder=$(cd "$1" && pwd)
shift
with_ncu=""
pairs=1
output=""
program=(python3 "$folder/share/rooflinectl/examples/training_step.py" --steps 300)
while [[ $# -gt 0 ]]; do
  case $1 in
    --pairs) pairs=${2:?$usage}; shift 2 ;;
    --ncu) with_ncu=yes; shift ;;
    --output) output=${2:?$usage}; shift 2 ;;
    --) shift; program=("$@"); break ;;
    *) echo "$usage" >&2; exit 2 ;;
  esac
done
[[ $pairs =~ ^[1-9][0-9]*$ && ${#program[@]} -gt 0 ]] || { echo "$usage" >&2; exit 2; }
[[ -x $folder/bin/rooflinectl ]] || { echo "there is no $folder/bin/rooflinectl" >&2; exit 2; }
if [[ -n $with_ncu ]] && ! command -v ncu >/dev/null; then echo "ncu is not on the PATH" >&2; exit 3; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# timed NAME COMMAND...: seconds of the command in NAME.seconds, what it prints in NAME.out and NAME.err.
timed() {
  local name=$1 start end code=0
  shift
  echo "$name: $*" >&2
  start=$(date +%s.%N)
  "$@" >"$work/$name.out" 2>"$work/$name.err" </dev/null || code=$?
  end=$(date +%s.%N)
  if [[ $code -ne 0 ]]; then
    tail -n 20 "$work/$name.out" "$work/$name.err" >&2
    echo "$name: ended with exit code $code" >&2
    return 1
  fi
  echo "$start $end" >"$work/$name.seconds"
}

# The values of the summary that `profile --json` prints as its last line, of the first profiled run.
profiled() {
  python3 - "$work/profiled1.out" "$1" <<'PYTHON'
import json, sys
summary = json.loads(open(sys.argv[1], errors="replace").read().splitlines()[-1])
print(summary["application"]["launches"] if sys.argv[2] == "launches" else summary["run"])
PYTHON
}

for ((pair = 1; pair <= pairs; pair++)); do
  timed "plain$pair" "${program[@]}"
  timed "profiled$pair" "$folder/bin/rooflinectl" profile --once --json --output "${output:-$work/runs}" -- "${program[@]}"
done
timed "plain$pair" "${program[@]}"
failed=0
if [[ -n $with_ncu ]]; then
  sections=(--section SpeedOfLight --section SpeedOfLight_RooflineChart)
  half=$(($(profiled launches) / 2))
  for count in 1 60; do
    timed "ncu$count" ncu --clock-control none --target-processes all "${sections[@]}" \
      --launch-skip "$half" --launch-count "$count" "${program[@]}" || failed=1
  done
fi

python3 - "$work" "$pairs" "${program[*]}" <<'PYTHON'
import json, pathlib, re, statistics, sys

work, pairs, program = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def seconds(name):
    """Wall time of a command; None where it did not run or failed."""
    file = work / f"{name}.seconds"
    if not file.exists():
        return None
    start, end = map(float, file.read_text().split())
    return end - start


def step_ms(name):
    """The last time per step that the program printed."""
    found = re.findall(r"([0-9.]+) ms per step", (work / f"{name}.out").read_text(errors="replace"))
    return float(found[-1]) if found else None


def cell(value, form):
    return "–" if value is None else format(value, form)


def row(*cells):
    print("|", " | ".join(cells), "|")


def median(values):
    """Of those that are known; None where none is."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None


plain = [f"plain{number}" for number in range(1, pairs + 2)]
profiled = [f"profiled{number}" for number in range(1, pairs + 1)]
summaries = [json.loads((work / f"{name}.out").read_text(errors="replace").splitlines()[-1]) for name in profiled]

# The first plain run may have read the program from the disk.
base = median(map(seconds, plain[1:]))
base_step = median(map(step_ms, plain[1:]))


def ratio(ms):
    return None if ms is None or not base_step else ms / base_step


def row_of(title, wall, ms=None, *facts):
    row(title, cell(wall, ".2f"), cell(wall - base, ".2f"), cell(ms, ".3f"), cell(ratio(ms), ".3f"), *facts,
        *[""] * (4 - len(facts)))


def counted_launches(summary):
    with open(summary["run"], encoding="utf-8") as file:
        return sum(point.get("launches", {}).get("counted", 0) for point in json.load(file)["measurements"])


with open(summaries[0]["run"], encoding="utf-8") as file:
    devices = [device["name"] for device in json.load(file)["devices"]]
print(f"`{program}` on {', '.join(devices)}\n")
row("", "program s", "added s", "ms per step", "to plain", "groups", "GPU time fully counted", "launches", "of them counted")
row("---", *["---:"] * 8)
row_of("plain", seconds(plain[0]), step_ms(plain[0]))
for name, summary, next_plain in zip(profiled, summaries, plain[1:]):
    application = summary["application"]
    row_of("`rooflinectl profile --once`", application["wall_s"], step_ms(name), str(summary["groups"]),
           f"{100 * summary['counted_share']:.2f} %", str(application["launches"]), str(counted_launches(summary)))
    row_of("plain again", seconds(next_plain), step_ms(next_plain))
walls = [summary["application"]["wall_s"] for summary in summaries]
added = statistics.median(walls) - base
launches, groups = summaries[0]["application"]["launches"], summaries[0]["groups"]
counted = counted_launches(summaries[0])
one, sixty = seconds("ncu1"), seconds("ncu60")
if one is not None and sixty is not None:
    a_launch = (sixty - one) / 59
    start = one - a_launch - base
    of_groups, of_all = (start + a_launch * number for number in (groups, launches))
    row_of("ncu, 60 launches", sixty, None, "", "", "60", "60")
    row_of("ncu, one launch per group, extrapolated", base + of_groups, None, str(groups), "", str(groups), str(groups))
    row_of("ncu, all launches, extrapolated", base + of_all, None, str(groups), "", str(launches), str(launches))

limit = 4 + 1.5e-3 * counted
print(f"\nAdded: {added:.2f} s, {'within' if added <= limit else 'MORE THAN'} 4 s + 1.5 ms per counted launch = {limit:.2f} s. "
      f"With ceilings and reports, the whole command took {median(map(seconds, profiled)):.2f} s.")
if base_step and pairs > 1:
    print(f"Steps, medians of {pairs} runs and of the {pairs} plain ones after them: {ratio(median(map(step_ms, profiled))):.3f} times plain.")
if one is not None and sixty is not None:
    print(f"ncu adds {1e3 * a_launch:.0f} ms per launch. Of what ncu adds (extrapolated), rooflinectl adds "
          f"1/{of_all / added:.0f} for all launches, and 1/{of_groups / added:.1f} for one launch per group." if added > 0 else
          f"ncu adds {1e3 * a_launch:.0f} ms per launch, rooflinectl nothing that can be measured.")
PYTHON
[[ -z $output ]] || echo "run: $(profiled run)" >&2
exit "$failed"
