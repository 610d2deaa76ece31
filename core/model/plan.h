// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/file_kernel.h"
#include "core/model/point_id.h"

namespace rooflinectl {

/// Which counters are gathered. basic: the set of `docs/metrics.md`.
enum class CounterSet { none, basic };

/// When a point has been timed well enough.
struct TimingTarget {
  /// Half-width of the 95 % confidence interval of the median, as a fraction of the median.
  double relative_half_width = 0.005;
  /// Stop after this long even if the target is not met; the point is then flagged `noisy`.
  double time_limit_s = 2.0;

  bool operator==(const TimingTarget&) const = default;
};

/// A program whose kernels are traced and counted while it runs.
struct PlannedApplication {
  std::vector<std::string> command;
  std::map<std::string, std::string> environment;  ///< added to rooflinectl's own, or overriding it
  std::string folder;                              ///< where it runs; empty for where rooflinectl runs
  std::string kernels;  ///< regular expression that is searched for in symbols; empty for all, likewise below
  std::string nvtx;     ///< glob that the name of a range around a launch matches
  std::string capture = "all";  ///< when (`capture_from`)
  int samples = 3;              ///< launches to count of each group

  bool operator==(const PlannedApplication&) const = default;
};

/// Points that are measured and shown together.
struct Experiment {
  std::string name;
  std::string title;
  TimingTarget timing;
  CounterSet counters = CounterSet::basic;
  std::vector<PointId> points;
  bool energy = false;  ///< whether the energy of launches is measured too: about two seconds per point
  std::optional<PlannedApplication> application;  ///< its kernels are points too; of one experiment at most

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
  std::vector<FileKernel> kernels;      ///< from files, that experiments and other kernels name
  std::vector<Experiment> experiments;

  bool operator==(const Plan&) const = default;
};

/// The experiment of the plan with an application; null if there is none.
const Experiment* experiment_with_application(const Plan& plan);

/// The kernel from a file with this id; null if there is none.
const FileKernel* find_file_kernel(const Plan& plan, std::string_view id);

/// All points of the plan, in the order of their experiments.
std::vector<PointId> all_points(const Plan& plan);

/// Whether the plan measures nothing but ceilings.
bool has_ceilings_alone(const Plan& plan);

}  // namespace rooflinectl
