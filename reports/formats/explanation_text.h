// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/explain/explanation.h"
#include "core/json/json.h"
#include "reports/model/report_model.h"

/// Explanations for people, `summary.md`, the page and other programs.
namespace rooflinectl {

/// Which points are explained, and in how much detail.
struct ExplanationSelection {
  /// A label, a variant, a range name, or a glob that matches one of them; empty for all points.
  std::string point;
  bool unjudged = false;  ///< also the rules that could not be judged, and why
};

/// Whether `point` is selected by this name.
bool is_named(const RooflinePoint& point, std::string_view name);

/// `latency-bound, 7.9 % of roofline; busiest level: L2 21 %`
std::string standing_text(const RooflinePoint& point);

/// `DRAM utilisation 97.2 %`
std::string evidence_text(const Evidence& evidence);
/// All of them, with commas.
std::string evidence_text(const std::vector<Evidence>& evidence);

/// The rules that hold, each with its first number: `issue-bound (issue slots used 71.2 %), …`
std::string findings_text(const std::vector<Finding>& findings);

/// `DRAM utilisation ≥ 60.0 %`
std::string condition_text(const Condition& condition);

/// `fewer bank conflicts: shared wavefronts per instruction 3.33 → 1.00`
std::string change_text(const Change& change);

/// The text where a step has no changes: that no counter moved, or that a point was not counted.
std::string no_change_text(const LadderStep& step);

/// `V2 → V3: 1.30× faster`, `V7 → V8: equally fast`
std::string step_verdict(const LadderStep& step);

/// What costs a profiled program most time, why and what to do; empty for other runs.
std::string program_explanation(const ReportModel& report, int columns);

/// The same for `--json`: an array, the largest first. `share` and `cost_s` are of a step, or of all time if
/// there are no steps (`of`).
serial::Json losses_json(const ReportModel& report);

/// For a terminal, at most `columns` wide.
std::string terminal_explanation(const Run& run, const Analysis& analysis,
                                 const ExplanationSelection& selection, int columns);

/// What tells `point` from all others of its run, and is the same in another run of the same program or plan:
/// its range name; in runs of several devices, ranks or processes also which of them.
std::string stable_key(const Run& run, const RooflinePoint& point);

/// A JSON document: per experiment its points with findings and rules that could not be judged, its NVTX
/// ranges and its steps. Numbers are in SI units.
std::string explanation_json(const Run& run, const Analysis& analysis, const ExplanationSelection& selection);

}  // namespace rooflinectl
