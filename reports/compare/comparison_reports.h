// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/compare/gate.h"
#include "core/json/json.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"
#include "reports/text/text_table.h"

/// A comparison as text, Markdown, JSON, page and picture. Each form shows all comparisons that it is given
/// (at least one): one for each new run.
namespace rooflinectl {

/// As a terminal shows it, at most `columns` wide.
std::string comparison_text(const RunComparison& comparison, int columns);

/// One document; SI units, ratios between 0 and 1.
std::string comparison_json(const std::vector<RunComparison>& comparisons);

/// One self-contained page, which needs no network. `pictures`: the SVG of each, shown where scripts do not
/// run.
std::string comparison_page(const std::vector<RunComparison>& comparisons,
                            const std::vector<std::string>& pictures);

/// Writes `comparison.html`, `comparison.md`, `comparison.json`, `movement.svg` and `movement.png` into the
/// existing folder `folder` and returns the files written. The Markdown and pictures of further comparisons
/// are numbered: `movement-2.svg`. They replace those of an earlier comparison together, and this throws, as
/// `write_together` does.
std::vector<std::filesystem::path> write_comparison(const std::vector<RunComparison>& comparisons,
                                                    const std::filesystem::path& folder,
                                                    const std::vector<std::filesystem::path>& inputs = {});

/// The pictures of comparisons (not empty) with the same base runs, 1600 × 900 each: on the roofline, whose
/// axes come from the ceilings and stay where they are, an arrow from where each point was to where it is;
/// beside it, for each point, the change of its time with the interval, regressions first.
std::vector<Scene> comparison_scenes(const std::vector<RunComparison>& comparisons);

/// The chart of each comparison without its points: roofs of the new run, and axes that hold both runs, the
/// same for all that share base runs.
std::vector<ChartModel> comparison_charts(const std::vector<RunComparison>& comparisons);

/// Where a point of either run lies on that chart; nothing where it has no place, or is null.
std::optional<PlanePoint> compared_place(const RooflinePoint* point);

// The columns and sentences that all forms of a comparison share.

/// Two lines for a terminal: `what` and the name of the run, and below where and when it was measured.
std::string side_text(std::string_view what, const AnalysedRun& run, std::size_t width);

/// The same as an item of a Markdown list.
std::string side_item(std::string_view what, const AnalysedRun& run);

/// Verdict, point, experiment, time before and now, its change with interval, fraction of roof, bound.
Table comparison_table(const std::vector<const PointComparison*>& points);

/// `; primitives are not compared` where a run has some, else nothing: to be added to a verdict.
std::string primitives_note(const RunComparison& comparison);

/// `36 points: 1 slower, 34 same, 1 unclear`, or that there are none, with `primitives_note`.
std::string comparison_counts(const RunComparison& comparison);

/// That the runs have few points in common, or none, and how many each has alone; empty for runs of the same
/// program or plan. A table then shows only common points.
std::string unrelated_text(const RunComparison& comparison);

/// Why there is nothing to show but this sentence: both are the same run, or they have no point in common.
/// Else empty.
std::string incomparable_text(const RunComparison& comparison);

/// The points that a table shows: all of them, except that a profiled program has only those that changed, or
/// that only one run has, and at most `most_of_programs` of these.
std::vector<const PointComparison*> table_points(const RunComparison& comparison,
                                                 std::size_t most_of_programs);

/// What the verdicts mean, with their threshold.
std::string comparison_explanation(const RunComparison& comparison);

/// `NVIDIA H200, driver 580.159.04, 2026-11-21 09:52 UTC, rooflinectl 0.1.0 (78fdef03aa01)`
std::string run_text(const Run& run);

/// A warning where runs of different devices are compared; empty where they are not.
std::string device_warning(const RunComparison& comparison);

/// What was not compared because a run lacks points of its plan, or a device: `base old.json: ladder:
/// incomplete, 1 of 14 points missing: V2`, `device 1: only the base has NVIDIA H200 (GPU-…)`.
std::vector<std::string> missing_texts(const RunComparison& comparison);

/// `driver: 580.159.04 → 590.12`
std::vector<std::string> environment_texts(const std::vector<EnvironmentChange>& changes);

/// Sentences with their title.
struct ComparisonList {
  std::string_view title;
  std::vector<std::string> texts;
};

/// What there is to say besides the table: `GPU time of train.py: 72.8 ms → 70.1 ms (−3.7 %), 2340 launches`
/// of each program; of each point with more to report than the time, at most `most_changes` counters, `V7:
/// DRAM bytes per element 4.00 → 4.20`, or why it is broken; `missing_texts`; `environment_texts`; and
/// ceilings, `DRAM read 4.58 TB/s → 4.62 TB/s (+0.9 %)`. Without those that are empty.
std::vector<ComparisonList> comparison_lists(const RunComparison& comparison, std::size_t most_changes);

// What a gate found, for a terminal, a pull request and a CI server.

/// `time 262.1 µs, was 239.2 µs (+9.6 %, at least +8.9 %); 251.2 µs passes`
std::string gate_sentence(const GateResult& result);

/// What regressed and what is uncertain as a table of at most `columns` columns, and the verdict.
std::string gate_text(const Gate& gate, int columns);

/// The same as GitHub-flavoured Markdown.
std::string gate_md(const Gate& gate);

/// JUnit XML: a test suite for the runs as a whole, and one per experiment with a test case per point and
/// check. A regression is a failure, runs that cannot be compared are an error, a check that the base has no
/// number for is skipped.
std::string gate_junit(const Gate& gate);

/// All of it as JSON (`docs/schema/gate.schema.json`).
std::string gate_json(const Gate& gate);

// What comparisons, gates and histories have in common as JSON.

/// Name, start, host, device and versions of a run.
serial::Json run_json(const AnalysedRun& analysed);

/// Experiment, subject and axes.
serial::Json point_json(const PointId& id);

/// A ratio of times with its interval, and both times with theirs.
serial::Json change_json(const TimeChange& change);

/// `{"name": …, "from": …, "to": …}` for each.
serial::Json environment_json(const std::vector<EnvironmentChange>& changes);

}  // namespace rooflinectl
