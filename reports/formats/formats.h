// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/explain/explanation.h"
#include "core/json/json.h"
#include "core/model/run.h"
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

/// `DRAM utilisation 97.2 %`
std::string evidence_text(const QuantityValue& evidence);
/// All of them, with commas.
std::string evidence_text(const std::vector<QuantityValue>& evidence);

/// The rules that hold, each with its first number: `issue-bound (issue slots used 71.2 %), …`
std::string findings_text(const std::vector<Finding>& findings);

/// The text where a step has no changes: that no counter moved, or that a point was not counted.
std::string no_change_text(const LadderStep& step);

/// What costs a profiled program most time, why and what to do; empty for other runs.
std::string program_explanation(const ReportModel& report, int columns);

/// The same for `--json`: an array, the largest first. `share` and `cost_s` are of a step, or of all time if
/// there are no steps (`of`).
serial::Json losses_json(const ReportModel& report);

/// For a terminal, at most `columns` wide.
std::string terminal_explanation(const Run& run, const Analysis& analysis,
                                 const ExplanationSelection& selection, int columns);

/// A JSON document: per experiment its points with findings and rules that could not be judged, its NVTX
/// ranges and its steps. Numbers are in SI units.
std::string explanation_json(const Run& run, const Analysis& analysis, const ExplanationSelection& selection);

/// What a pull request should show: per experiment the picture, the table and the ladder's steps; the
/// ceilings and the environment. GitHub-flavoured Markdown that shows the narrow pictures beside it, with
/// links to the large ones.
std::string summary_md(const ReportModel& report);

/// The timelines of a run as Perfetto's protobuf trace, which https://ui.perfetto.dev opens. For each device
/// that was sampled: launches by stream, copies, times without samples, and as counters the % of roofline of
/// what runs, FLOP/s, and what was sampled; for each process, its passages through NVTX ranges. Times are
/// nanoseconds since the first traced launch. Where a counter is unknown it is -1, which no counter can be:
/// Perfetto cannot show a counter without a value, and keeps each value until the next.
std::string perfetto_trace(const ReportModel& report);

/// Which rows the tables of a terminal have: if there are many points the notable ones, or all.
enum class Rows { notable, all };

/// The tables of the points as a terminal shows them, at most `columns` wide, and below them the roofline of
/// the first experiment; for a run without experiments, its ceilings.
std::string terminal_summary(const ReportModel& report, int columns, Rows rows = Rows::notable);

/// The table of the self-test as a terminal shows it, at most `columns` wide, below it the verdict and a
/// sentence for each number that differs.
std::string terminal_self_test(const SelfTest& self_test, int columns);

/// The points of `experiment` under their roofs, drawn with characters: at most `columns`, and at most 100,
/// wide. Empty where there is nothing to draw or less than 40 columns.
std::string terminal_roofline(const ExperimentReport& experiment, int columns);

/// The least that a brief explanation can be limited to.
inline constexpr std::size_t kSmallestBriefBytes = 800;

/// An explanation for the context of a language model: one line of JSON, at most `bytes` long, which is at
/// least `kSmallestBriefBytes`. After the members of `head`, whose names must be short, come `losses` of the
/// program beside single kernels, then the points: those that failed, then those with most to gain, each with
/// its verdict, the evidence, what to try next and how sure that is. What there is no space for is counted.
std::string brief_json(const Run& run, const Analysis& analysis, const ExplanationSelection& selection,
                       const serial::Json& losses, serial::Json head, std::size_t bytes);

/// Which runs have a given column.
enum class CsvColumnOf {
  all,
  program,   ///< those with the kernels of a profiled program
  operators  ///< those that are shown with a trace of PyTorch, too
};

struct CsvColumn {
  std::string_view name;
  std::string_view meaning;  ///< with the unit; names in backquotes
  CsvColumnOf of = CsvColumnOf::all;
};

/// The columns before those of counters, in their order.
std::vector<CsvColumn> points_csv_columns();

/// One row per point, RFC 4180; SI units, ratios between 0 and 1; a field is empty where there is no number.
/// The last columns are the counters, by their keys (`docs/metrics.md`); the reason why one is unavailable is
/// in `run.json`, under `counters` of the point. New columns are only ever added at the end.
std::string points_csv(const Analysis& analysis);

/// A row per primitive, numbers in full. Empty where none was to be measured.
std::string primitives_csv(const Run& run);

}  // namespace rooflinectl
