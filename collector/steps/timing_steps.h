// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "collector/collect_context.h"
#include "collector/device/nvml.h"
#include "collector/points/team_point.h"
#include "collector/points/verification.h"

namespace rooflinectl {

/// Verifies and times the points of a plan.
class TimingSteps {
 public:
  explicit TimingSteps(CollectContext& context) : context_(context), meter_(context.device.uuid) {}

  /// Verifies and times all points that the request neither skips nor wants only counted. Throws
  /// Error(measurement) if a kernel left the CUDA context unusable. Returns the points whose result is not
  /// worth counting.
  std::set<std::size_t> time_points();

 private:
  Measurement verify_and_time(std::size_t index, const Experiment& experiment);
  Measurement verify_and_time_team(std::size_t index, const Experiment& experiment);
  Measurement verify_and_time_with_ranks(std::size_t index, const Experiment& experiment);
  template <typename Point>
  Measurement verify_and_time_shared(Point& point, const LaunchPlan& plan, std::size_t index,
                                     const Experiment& experiment);
  template <typename Point>
  ResultCheck time(Point& point, const std::function<ResultCheck()>& check, TimedWork& work,
                   const Experiment& experiment, Measurement& measurement);
  void require_chip(int minimum_sm) const;

  CollectContext& context_;
  BoardEnergy meter_;
  std::optional<Teammates> teammates_;  // from the first point over several GPUs on
};

}  // namespace rooflinectl
