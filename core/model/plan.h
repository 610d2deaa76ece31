// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/dtype.h"

namespace rooflinectl {

/// What the caches hold when a launch starts. cold: a clean buffer of at least four times L2 was read first;
/// warm: the same launch ran just before.
enum class CacheState { cold, warm };

std::string_view to_string(CacheState cache);
std::optional<CacheState> cache_state_from(std::string_view name);

/// How launches are timed. graph: in CUDA graphs, of many launches where these are short, between two events
/// around all of them; plain: alone, between two events of its own.
enum class LaunchMode { graph, plain };

std::string_view to_string(LaunchMode mode);
std::optional<LaunchMode> launch_mode_from(std::string_view name);

/// Which counters are gathered. basic: the set of `docs/metrics.md`.
enum class CounterSet { none, basic };

std::string_view to_string(CounterSet set);
std::optional<CounterSet> counter_set_from(std::string_view name);

/// The identity of a point: the same in the plan, in the collector, in `run.json` and in a comparison.
struct PointId {
  std::string experiment;
  std::string variant;
  Dtype dtype = Dtype::f32;
  std::uint64_t n_elements = 0;
  CacheState cache = CacheState::cold;
  int block_size = 0;
  std::optional<int> elements_per_thread;  ///< only where the variant lets the caller choose
  LaunchMode launch_mode = LaunchMode::graph;

  bool operator==(const PointId&) const = default;
};

/// The NVTX and counter range of a point, for example
/// `ladder.reduce_v3_sequential.f32.n268435456.b256.cold` or, with elements per thread, `….b256.e8.cold`;
/// what is not launched in a graph ends in `.plain`. Free of the characters `/ @ , [ ]` that have a meaning
/// in `ncu --nvtx-include`.
std::string range_name(const PointId& point);

/// When a point has been timed well enough.
struct TimingTarget {
  /// Half-width of the 95 % confidence interval of the median, as a fraction of the median.
  double relative_half_width = 0.005;
  /// Stop after this long even if the target is not met; the point is then flagged `noisy`.
  double time_limit_s = 2.0;

  bool operator==(const TimingTarget&) const = default;
};

/// Points that are measured and shown together.
struct Experiment {
  std::string name;
  std::string title;
  TimingTarget timing;
  CounterSet counters = CounterSet::basic;
  std::vector<PointId> points;
  bool energy = false;  ///< whether the energy of launches is measured too: some two seconds per point

  bool operator==(const Experiment&) const = default;
};

/// The most points that a plan or a run may have; more is taken for a mistake.
inline constexpr std::size_t kMaxPoints = 100'000;

/// What is to be measured, with every glob, list and default resolved.
struct Plan {
  std::string name;
  std::string text;  ///< the file as it was read
  std::vector<std::string> ceilings;
  std::vector<std::string> primitives;  ///< ids
  std::vector<Experiment> experiments;

  bool operator==(const Plan&) const = default;
};

/// All points of the plan, in the order of their experiments.
std::vector<PointId> all_points(const Plan& plan);

}  // namespace rooflinectl
