// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/roofline/quantities/quantities.h"
#include "analysis/timeline/timeline_view.h"
#include "core/model/run.h"

/// Points in words, for tables, pictures and the page.
namespace rooflinectl {

/// What a point's performance is measured in: useful operations per second or, for a program's kernel,
/// executed ones.
std::optional<double> main_rate(const RooflinePoint& point);

/// Blocks and threads of a program's kernel: `132 × 384`; the number of kernels of a graph.
std::string shape_text(const RooflinePoint& point);

/// The pipe that the floating-point operations of a program's kernel need longest: `BF16 Tensor`, `FP32`.
std::string executed_type(const RooflinePoint& point);

/// Why points failed, are unverified or were skipped: `V3 failed: …`.
std::vector<std::string> cause_texts(const ExperimentAnalysis& experiment);

/// Why energy is unavailable, with the labels of the points that it holds for.
std::vector<std::string> energy_reasons(const ExperimentAnalysis& experiment);

/// How the time of the point was taken; nothing without one.
std::optional<LaunchMode> timed_mode(const RooflinePoint& point);

/// `FLOP`, or `OP` where the operations of the point are integer ones.
std::string_view operations_of(const RooflinePoint& point);

/// Performance of the point: `65.0 TFLOP/s`.
std::string rate_text(const RooflinePoint& point, const std::optional<double>& per_s);

/// The same for what was executed, and its operations per DRAM byte: with `≥` if only a part of them was
/// counted.
std::string executed_rate_text(const RooflinePoint& point);
std::string executed_ai_text(const RooflinePoint& point);

/// How close the point comes to its roof: `97.2 %`; `≥ 97.2 %` if only a part of its work was counted.
std::string fraction_text(const RooflinePoint& point);

/// `DRAM`, `L2`, as tables and pictures show them.
std::string_view level_name(MemoryLevel level);

/// What legends and tables call kernels of a program with this bound: its label, or `short kernels`, since
/// `launch overhead` beside idle time would seem to be the time between launches.
std::string_view legend_name(Bound bound);

/// What bounds the point, in tables and pictures.
std::string_view bound_name(const RooflinePoint& point);

/// What bounds the point, in a sentence: `DRAM-bound`, `a short kernel`.
std::string_view bound_phrase(const RooflinePoint& point);

/// The resource that is the roof of a program's kernel: `L2`; `none near` where that needs little of its
/// time.
std::string_view roof_name(const RooflinePoint& point);

/// The busiest memory level: `DRAM 98 %`.
std::string limit_text(const RooflinePoint& point);

/// How what a kernel could save is said: of a step, or of the whole run.
struct SavingBasis {
  double per_second = 1;  ///< of what it could save in all
  std::string_view words = "in the whole run";
};

/// The 95 % intervals of what is shown of a program's kernel: `81.2 % … 87.1 % of roofline, 290 TFLOP/s … 310
/// TFLOP/s, could save 33.1 ms … 45.0 ms in the whole run`. Empty without any.
std::string intervals_text(const RooflinePoint& point, const SavingBasis& basis = {});

/// What warps wait for, the most frequent reasons first: `global memory 61.0 %, barriers 12.0 %`. Empty if
/// that was not counted.
std::string stalls_text(const RooflinePoint& point);

/// A sentence for each number of the points that cannot be right: `V3: 104.0 % of roofline: …`. More than two
/// of the same kind are one: `12 points (a, b, c, …): 102.4 to 110.2 % of l2_read: …`.
std::vector<std::string> implausible_texts(const std::vector<RooflinePoint>& points);

/// `f32_fma + f32_add` for a mix.
std::string ceilings_text(const CeilingIds& ceilings);

/// Why something was not counted, as a reader needs it: without the names of passes and numbers of launches.
std::string plain_cause(std::string cause);

/// A value of a quantity: `28`, `97.2 %`, `1.03×`, `4.58 B`, `4.58 TB/s`, `238.5 µs`.
std::string text_with_unit(double value, Unit unit);

/// The same where its name says what is counted (`DRAM bytes per element`): only a ratio is in percent.
std::string text_without_unit(double value, Unit unit);

/// `shared wavefronts per instruction 3.1 → 1.0`
std::string counter_change_text(const CounterChange& change);

/// `V2 → V3: 1.03×, shared wavefronts per instruction 3.1 → 1.0`, with the first `most_changes` quantities
/// that moved and how many more did.
std::string step_text(const LadderStep& step, std::size_t most_changes);

/// From this number of sizes on, the points of a version are a sweep over sizes.
inline constexpr std::size_t kFewestSizes = 4;

/// The indices of at most `most` points, in the order of the plan: all of them if there are no more than
/// that; else those that failed, could not be verified or have an implausible number, then for every version
/// in every type and cache state the one that is nearest to its roof and, if there are four sizes or more,
/// the smallest that comes half as near, else the one that is farthest from it. For an experiment that
/// consists only of a profiled program, those that took longest, the longest first.
std::vector<std::size_t> notable_points(const ExperimentAnalysis& experiment, std::size_t most);

/// For every version in every type and cache state, the point that is nearest to its roof, in the order in
/// which the plan has the first point of each.
std::vector<std::size_t> best_of_versions(const ExperimentAnalysis& experiment);

/// `the closest to the roofline, …`: what `notable_points` chose.
std::string_view notable_points_text(const ExperimentAnalysis& experiment);

/// A name and its text.
struct Fact {
  std::string name;
  std::string text;
};

/// What is known about a point beyond the columns of the page, for people to read; what bounds it, with its
/// share.
std::vector<Fact> point_facts(const RooflinePoint& point);

/// A number of a point that reports show. Each is defined once, below: tables, the page, pictures, facts,
/// histories and `points.csv` have its name, value and text from here.
struct PointNumber {
  std::string_view title;      ///< of its column, and of its fact
  std::string_view name = {};  ///< the title in full, for the page; empty where the title is that
  std::string_view help = {};  ///< what it is, in a sentence, for the page
  /// In SI units; nothing where it is unknown, or for another kind of point.
  std::optional<double> (*value)(const RooflinePoint&) = nullptr;
  std::string (*show)(double) = nullptr;                ///< the value as text
  std::string (*text)(const RooflinePoint&) = nullptr;  ///< the same where it takes more than the value
  std::string_view csv = {};          ///< its column of `points.csv`; empty where it has none
  std::string_view csv_meaning = {};  ///< what it is, in Markdown, with the unit

  /// As reports show it; `format::kUnavailable` where there is none.
  std::string text_of(const RooflinePoint& point) const;
};

namespace point_number {

extern const PointNumber kTime;  ///< median of a launch
extern const PointNumber kElements;
extern const PointNumber kGpus;
extern const PointNumber kUsefulBandwidth;
extern const PointNumber kUsefulIntensity;
extern const PointNumber kExecutedIntensity;
extern const PointNumber kExecutedRate;
extern const PointNumber kDramBandwidth;
extern const PointNumber kRedundancy;
extern const PointNumber kFractionOfRoofline;
extern const PointNumber kFractionOfTheoretical;
extern const PointNumber kBusiestUtilisation;

// For kernels of a profiled program.
extern const PointNumber kShare;
extern const PointNumber kLaunches;
extern const PointNumber kTotal;
extern const PointNumber kMean;
extern const PointNumber kP95;
extern const PointNumber kSaving;
extern const PointNumber kSavingPerStep;
extern const PointNumber kTensorShare;
extern const PointNumber kOccupancy;
extern const PointNumber kRegisters;

// Where energy was measured.
extern const PointNumber kEnergy;
extern const PointNumber kPower;
extern const PointNumber kWorkPerJoule;

}  // namespace point_number

/// What a sceptic would ask about a run: device and its settings, software, host, command, plan.
std::vector<Fact> environment_facts(const Run& run);

// What the compiler made of kernels from files.

/// `40 registers, 16 bytes spilled`
std::string registers_text(const CompiledKernel& compiled);

/// `scale<float>, nvcc 13.0.48 for sm_90: 40 registers, no spills`
std::string compiled_text(const CompiledKernel& compiled);

/// Sentences on the spills and warnings of the run's kernels.
std::vector<std::string> compiler_findings(const Run& run);

/// How the tool that wrote the file got its numbers: `Nsight Compute report, version 2025.3.1.0, kernel
/// replay, clocks locked to base, caches flushed before each pass, set full`, as far as known.
std::string import_text(const ImportedFile& file);

/// What to know about the numbers of an imported run: what each file is, what their ceilings are, and
/// `partly_counted_sentence`. Empty for other runs.
std::vector<std::string> import_sentences(const Run& run);

/// What an imported report lacks for the roofs and bounds of its kernels, and the one command of ncu that
/// records all of it. Empty if it lacks nothing, and for other runs.
std::string partly_counted_sentence(const Run& run);

/// What is damaged or missing in the files.
std::vector<std::string> import_problems(const Run& run);

/// What a reader must know about the samples of a device: how long, how often, what is missing; and whether
/// they agree with what was counted.
std::vector<std::string> timeline_sentences(const DeviceView& view);

/// Where its phases begin and end, or why there are none.
std::string phase_sentence(const DeviceView& view);

}  // namespace rooflinectl
