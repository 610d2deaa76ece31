// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run.h"

/// What the counts and times of a run mean.
namespace rooflinectl {

/// What keeps a point from being faster.
enum class Bound {
  dram,     ///< DRAM traffic runs at 60 % or more of the measured ceiling, and no resource runs higher
  compute,  ///< executed operations run at 60 % or more of the measured ceiling, and no resource runs higher
  launch,   ///< neither, and the time is within three times that of an empty kernel
  latency,  ///< none of these: the launch waits, on dependent instructions, barriers, conflicts or too few
            ///< bytes in flight
  unknown,  ///< not timed, or a measured ceiling is missing
};

std::string_view to_string(Bound bound);

/// The roof over one point: what the device could attain at the point's useful intensity.
struct Roof {
  double time_s = 0;              ///< the shortest time in which the declared work could be done
  double flop_per_s = 0;          ///< 0 where the work has no flops (an integer sum)
  double memory_bytes_per_s = 0;  ///< the bandwidth ceiling held against
  std::string memory_ceiling;     ///< its id: `dram_read`
  double compute_flop_per_s = 0;  ///< the compute ceiling of the operation mix; 0 where there are no flops
  std::string compute_ceiling;    ///< its id: `f32_add`; `f32_fma + f32_add` for a mix
  double relative_spread = 0;     ///< of the ceiling that limits
};

/// One measurement on the roofline. Rates are those of the median time.
struct RooflinePoint {
  const Measurement* measurement = nullptr;  ///< of the analysed run, which must outlive this
  std::string label;                         ///< unique within its experiment: `V3`, `V6 b128`, `V3 2^20`
  std::string family;

  double flops_useful = 0;          ///< declared by the algorithm; 0 for an integer sum
  double dram_bytes_useful = 0;     ///< declared: compulsory traffic
  std::optional<double> ai_useful;  ///< FLOP per byte; nothing without flops

  std::optional<double> flops_executed;  ///< counted, in the precision of the accumulator
  std::optional<double> dram_bytes;      ///< counted
  std::optional<double> ai_executed;     ///< counted FLOP per counted byte; 0 where atomics do every addition
  std::optional<double> redundancy;      ///< flops_executed / flops_useful

  std::optional<double> flop_per_s;           ///< useful; nothing without flops
  std::optional<double> executed_flop_per_s;  ///< counted
  std::optional<double> dram_bytes_per_s;     ///< counted

  std::optional<Roof> roof;              ///< from the measured ceilings
  std::optional<Roof> theoretical_roof;  ///< from the theoretical ceilings, compute at the point's own clock
  std::optional<double> fraction_of_roof;         ///< useful FLOP/s over those of `roof`
  std::optional<double> fraction_of_theoretical;  ///< useful FLOP/s over those of `theoretical_roof`

  Bound bound = Bound::unknown;
  /// `noisy`, `throttled`, `cache-resident`, `launch-bound`, `above-roof`, `declared` (nothing counted),
  /// `unverified`, `failed`.
  std::vector<std::string> flags;
};

/// A derived quantity that differs between two points.
struct CounterMove {
  std::string name;  ///< `shared wavefronts per instruction`
  double from = 0;
  double to = 0;
  bool is_ratio = false;  ///< between 0 and 1, shown in percent
};

/// From one version to the next (plan order) within a family, at equal elements per thread where both have a
/// number of them, or from one such number to the next within a version: same experiment, dtype, n, cache
/// state, block size and kind of output, both timed.
struct LadderStep {
  const RooflinePoint* from = nullptr;
  const RooflinePoint* to = nullptr;
  double speedup = 0;  ///< time of `from` over time of `to`
  /// Changes by a factor of 1.05 or more, of a ratio also by 0.01 or more: DRAM bytes per
  /// element first, then the largest factor, and those from or to zero last.
  std::vector<CounterMove> moves;
};

/// The points of one experiment, in plan order. Steps point into `points`: it is moved, never copied.
struct ExperimentAnalysis {
  ExperimentAnalysis() = default;
  ExperimentAnalysis(ExperimentAnalysis&&) = default;
  ExperimentAnalysis& operator=(ExperimentAnalysis&&) = default;

  std::string name;
  std::string title;
  std::vector<RooflinePoint> points;
  std::vector<LadderStep> steps;
};

struct Analysis {
  std::vector<ExperimentAnalysis> experiments;
};

/// Derives everything above for every point of the plan that has a measurement. Does not throw on missing
/// counters, times or ceilings: what cannot be derived is absent.
Analysis analyse(const Run& run);

/// Derived per-point quantities with a name and unit, as the ladder steps and the page show them: executed
/// operations per element, DRAM bytes per element, efficiencies, shared wavefronts per instruction, and so
/// on. Only those whose counters are available.
struct DerivedQuantity {
  std::string name;
  double value = 0;
  bool is_ratio = false;  ///< between 0 and 1, shown in percent
};
std::vector<DerivedQuantity> derived_quantities(const Measurement& measurement);

/// The ceiling with this id and source, or nothing.
const Ceiling* find_ceiling(const Run& run, std::string_view id, CeilingSource source);

}  // namespace rooflinectl
