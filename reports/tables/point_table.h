// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

/// The columns and sentences that the terminal, `summary.md` and the page share.
namespace rooflinectl {

/// Where a column is shown. The page has room for all of them.
enum class ColumnPlace { everywhere, page };

/// Which points a column says something of.
enum class ColumnOf {
  all,
  variants,      ///< our own kernels: what is declared of them, and how they were timed
  energy,        ///< those whose energy was measured
  program,       ///< kernels of a profiled program
  several_gpus,  ///< those whose elements several GPUs can share
  operators,     ///< those of one of which there is a trace of PyTorch, too
};

/// The kinds of points that a table holds.
struct PointKinds {
  bool has_variants = false;
  bool has_energy = false;
  bool has_program = false;
  bool has_several_gpus = false;
  bool has_operators = false;

  bool operator==(const PointKinds&) const = default;
};
PointKinds kinds_of(const ExperimentAnalysis& experiment);
/// Of all experiments together.
PointKinds kinds_of(const Analysis& analysis);

struct PointColumn {
  std::string_view title;
  ColumnPlace place = ColumnPlace::everywhere;
  ColumnOf of = ColumnOf::all;
  bool is_number = false;
  std::string (*text)(const RooflinePoint&) = nullptr;
  std::optional<double> (*value)(const RooflinePoint&) = nullptr;  ///< to sort by; null where the text sorts
  std::string_view name = {};  ///< the title in full, for the page; empty where the title is that
  std::string_view help = {};  ///< what it shows, in a sentence, for the page
  std::string_view role = {};  ///< what else the page uses it for; empty where it only shows it
};

/// Name, n, dtype, how it was timed, time, effective GB/s, intensities, fraction of roof, bound, limiting
/// level, flags; with energy also joules per launch, mean power and useful work per joule; of a program's
/// kernels share of the time, launches, and what could be gained.
std::vector<PointColumn> point_columns(const PointKinds& kinds);

/// The same with the family, the cache state and the theoretical roof.
std::vector<PointColumn> page_columns(const PointKinds& kinds);

/// What a point's performance is told by: useful operations per second, executed ones of a program's kernel.
std::optional<double> main_rate(const RooflinePoint& point);

/// Blocks and threads of a program's kernel: `132 × 384`; the number of kernels of a graph.
std::string shape_text(const RooflinePoint& point);

/// Of a program's kernel, the pipe that its floating-point operations need longest: `BF16 Tensor`, `FP32`.
std::string executed_type(const RooflinePoint& point);

/// Why energy is unavailable, with the labels of the points that it holds for.
std::vector<std::string> energy_reasons(const ExperimentAnalysis& experiment);

/// How the time of the point was taken; nothing without one.
std::optional<LaunchMode> timed_mode(const RooflinePoint& point);

/// `FLOP`, or `OP` where the operations of the point are those of integers.
std::string_view operations_of(const RooflinePoint& point);

/// Performance of the point: `65.0 TFLOP/s`.
std::string rate_text(const RooflinePoint& point, const std::optional<double>& per_s);

/// `DRAM`, `L2`, as tables and pictures show them.
std::string_view level_name(MemoryLevel level);

/// The memory level that runs nearest to its ceiling: `DRAM 98 %`.
std::string limit_text(const RooflinePoint& point);

/// A sentence for each number of the points that cannot be right: `V3: 104.0 % of roofline: …`.
std::vector<std::string> implausible_texts(const std::vector<RooflinePoint>& points);

/// A value of `quantity`, without its unit: in percent where it is a ratio.
std::string quantity_text(double value, const Quantity& quantity);

/// `shared wavefronts per instruction 3.1 → 1.0`
std::string counter_change_text(const CounterChange& change);

/// `V2 → V3: 1.03×, shared wavefronts per instruction 3.1 → 1.0`, with the first `most_changes` quantities
/// that moved and how many more did.
std::string step_text(const LadderStep& step, std::size_t most_changes);

/// A name and its text.
struct Fact {
  std::string name;
  std::string text;
};

/// What is known of a point beyond the columns of the page, as a person reads it; what bounds it with its
/// share.
std::vector<Fact> point_facts(const RooflinePoint& point);

}  // namespace rooflinectl
