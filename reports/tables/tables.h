// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/program/operators.h"
#include "analysis/program/recoverable.h"
#include "analysis/timeline/timeline_view.h"
#include "core/model/agreement.h"
#include "core/model/point_id.h"
#include "core/model/run.h"
#include "reports/sentences/sentences.h"
#include "reports/text/text_table.h"

/// The columns that the terminal, `summary.md` and the page share.
namespace rooflinectl {

/// The kinds of points that a table holds.
struct PointKinds {
  bool has_variants = false;      ///< our own kernels: what is declared for them, and how they were timed
  bool has_energy = false;        ///< those whose energy was measured
  bool has_program = false;       ///< kernels of a profiled program
  bool has_several_gpus = false;  ///< those whose elements several GPUs can share
  bool has_operators = false;     ///< those of a program for which there is also a trace of PyTorch
};
PointKinds kinds_of(const ExperimentAnalysis& experiment);
/// For all experiments together.
PointKinds kinds_of(const Analysis& analysis);

struct PointColumn {
  std::string_view title;
  bool is_of_page = false;            ///< only the page has room for it
  bool PointKinds::*needs = nullptr;  ///< the kind of points that it is for; null if for all
  std::string (*text)(const RooflinePoint&) = nullptr;
  std::string_view name = {};           ///< the title in full, for the page; empty where the title is that
  std::string_view help = {};           ///< what it shows, in a sentence, for the page
  std::string_view role = {};           ///< what else the page uses it for; empty where it only shows it
  const PointNumber* number = nullptr;  ///< what it shows, or is sorted by; null where the text sorts
  bool is_number = false;               ///< stands at the right

  std::string cell(const RooflinePoint& point) const {
    return text != nullptr ? text(point) : number->text_of(point);
  }
};

/// Name, n, dtype, how it was timed, time, effective GB/s, intensities, fraction of roof, bound, limiting
/// level, flags; with energy also joules per launch, mean power and useful work per joule; for a program's
/// kernels, share of the time, launches, and what could be gained. A row for each of `shown`.
Table point_table(const ExperimentAnalysis& experiment, const std::vector<std::size_t>& shown);

/// The columns of the page: the same with the family, the cache state and the theoretical roof.
std::vector<PointColumn> page_columns(const PointKinds& kinds);

/// Points that are yet to be measured, for a terminal: what runs, then a column for each axis that one of
/// them has, in the order of the axes. A cell is empty where the point has no such axis, and for the block
/// size 0, which is the kernel's own. Each line begins with `indent`; empty where there are no points.
std::string axis_table(const std::vector<PointId>& points, std::string_view indent = {});

// The ceilings as the terminal, `summary.md` and the page show them.

/// `DRAM read`, `F32 FMA`, `BF16 tensor` for a ceiling.
std::string ceiling_name(const Ceiling& ceiling);

/// `value` in the unit of `ceiling`: `4.58 TB/s`, `65.0 TFLOP/s`, `33.1 TOP/s` for integers, `3.232 µs`.
std::string ceiling_value(const Ceiling& ceiling, double value);

/// Name, measured and theoretical values, clock, spread, confirmation by counters, and last the method; below
/// it a sentence for each reason to distrust a measured ceiling: `L2 read: not confirmed: …`.
Table ceiling_table(const Run& run, const std::vector<CeilingPair>& pairs);

/// These sentences.
std::vector<std::string> ceiling_findings(const std::vector<CeilingPair>& pairs);

// The primitives as the terminal, `summary.md` and the page show them.

/// What it is and who implements it, latency, throughput per operation, instruction and element, rates where
/// there are any; below it a sentence for each primitive that failed or gave a wrong result.
Table primitive_table(const Run& run);

/// `latency 24.0 cycles, throughput 2.00 cycles`, or the cause where there is no number.
std::string primitive_text(const PrimitiveResult& result);

/// What the columns mean.
inline constexpr std::string_view kPrimitiveExplanation =
    "Latency: cycles from one operation to the next that needs its result. Throughput: SM cycles per "
    "operation with as many independent operations as the SM holds; also per instruction that moves values "
    "between lanes, and per element.";

// The self-test and the cross-checks of a run for people to read.

/// One of the two kinds. `agreements` points into the run.
struct AgreementSection {
  std::string title;      ///< `Self-test`, `Cross-check with ncu 2025.3.1`
  std::string summary;    ///< `22 agree, 1 differs, 1 unavailable`
  std::string reference;  ///< what the other number is: `known work`, `ncu`
  std::string reason;     ///< why there is nothing to compare; empty if there is
  std::string hint;       ///< what to do
  const std::vector<Agreement>* agreements = nullptr;
};

/// The self-test, if there was one, then the cross-checks.
std::vector<AgreementSection> agreement_sections(const Run& run);

/// For each quantity, how many agree, and the agreement that uses up most of its tolerance; in the order in
/// which the quantities first occur.
Table quantity_table(const std::vector<Agreement>& agreements);

/// A row for each agreement that is shown, the verdict and the note last; `reference` is what the other
/// number is.
Table agreement_table(const std::vector<Agreement>& agreements, const std::string& reference,
                      const std::function<bool(const Agreement&)>& is_shown);

// The self-test in the terminal, and what `summary.md` and the terminal print if it finds a difference.

/// Known work, quantity, expected and counted values, tolerance, verdict.
Table self_test_table(const SelfTest& self_test);

/// `33 of 33 numbers agree with known work`, `nothing was tested: …`.
std::string self_test_verdict(const SelfTest& self_test);

/// What follows where there is a finding.
inline constexpr std::string_view kSuspectCounters =
    "Counters differ from known work: the results listed here are suspect.";

/// A sentence for each number that differs, naming what that makes suspect.
std::vector<std::string> self_test_findings(const SelfTest& self_test);

/// The figures in reports that come from a counter, or from a quantity made of counters.
std::string_view shown_figures(std::string_view quantity);

// What the terminal, `summary.md` and the page show about a profiled program besides its points.

/// Busy and idle share, what was counted, what overlaps, what the trace did not see: one sentence each.
std::vector<std::string> program_sentences(const Run& run, const ProgramUse& program);

/// The groups that could save most, at most `most`.
Table recoverable_table(const ProgramUse& program, std::size_t most);

/// Those without a roof, with their share of the time and the reason; the longest first.
Table roofless_table(const ProgramUse& program, std::size_t most);

/// How long the shortest of the `most` uses takes that take longest; 0 if there are no more.
double shortest_shown_s(const std::vector<RangeUse>& uses, std::size_t most);

/// Time per use with its own intensity and performance, the first column titled `first`. All uses if there
/// are no more than `most`; else those that take most of the time, in the order of the tree.
Table use_table(std::string_view title, std::string_view first, const std::vector<RangeUse>& uses,
                std::size_t most);

/// The same for NVTX ranges.
Table range_table(const ProgramUse& program, std::size_t most);

/// Copies and memsets with their bandwidth.
Table transfer_table(const ProgramUse& program);

/// Idle time by the length of the gaps, and by what ran after them, the most first. Empty where the device
/// was hardly idle, and where nothing is known about that.
Table gap_table(const ProgramUse& program);
Table idle_before_table(const ProgramUse& program, std::size_t most);

/// What could not be measured for the program, and what to do.
std::vector<std::string> program_problems(const Run& run);

/// For each quantity of a sampled device: its mean over the window, its maximum over the window's parts, its
/// roof, and the mean as a share of the roof.
Table strip_table(const DeviceView& view);

// In which lines of its source the warps of a program's kernel were.

/// Null if the point was not sampled, or its code does not tell its lines.
const SampledLines* sampled_lines(const RooflinePoint& point);

/// Place, share of the samples, source text, and what warps did there most often; a note if other lines have
/// samples, too.
Table source_line_table(const SampledLines& sampled);

// Where to begin with a program: what costs it most time, why, and what to do.

/// In words.
struct LossText {
  std::string name;       ///< `GPU idle`
  std::string cost;       ///< `5.604 ms`: of a step, if the program has steps
  std::string cause;      ///< a sentence; empty for a kernel, which `explain` explains
  std::string next_step;  ///< likewise
};

LossText loss_text(const ProgramUse& program, const Loss& loss);

/// `5.615 ms (26.2 %)`: this share of a step, or of all time if there are no steps.
std::string time_and_share(const ProgramUse& program, double share);

/// `300 steps`, of all processes together; empty if there are no steps.
std::string steps_text(const ProgramUse& program);

/// `The GPU is idle 51 % of the time (510 µs of each 1 ms step), waiting for launches: … .
/// layer_norm_backward could save up to 70 µs (7 %).` Waiting in collectives and idle time are there if they
/// cost more than any kernel could save; if not, how the time is spread over kernels.
std::string program_headline(const ProgramUse& program);

/// The largest losses, at most `most`. Empty if kernels, each by itself, are all that there is: their table
/// says the same.
Table loss_table(const ProgramUse& program, std::size_t most);

// What reports show about the operators and modules of PyTorch that launched a program's kernels.

/// The operator with most of a group's time, and how many others launched it: `aten::copy_ +3`. Unavailable
/// where the trace does not have the group, empty where there is no trace.
std::string operator_text(const RooflinePoint& point);

/// The name of an operator, or a text in its place where something else launched kernels.
std::string operator_name(const std::string& name);

/// How much of the trace and of the run is matched, and what is not: a sentence each.
std::vector<std::string> operator_sentences(const OperatorUse& use);

/// Whether so little is matched that the trace seems to be of another program, or of other sizes.
bool is_foreign(const OperatorUse& use);

/// By the innermost operator: at most `most`, the longest first.
Table operator_table(const OperatorUse& use, std::size_t most);

/// By module: at most `most`, without the operators within them. Empty where the trace has no modules.
Table module_table(const OperatorUse& use, std::size_t most);

}  // namespace rooflinectl
