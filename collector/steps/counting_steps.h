// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collector/collect_context.h"
#include "collector/cupti/profiler.h"

namespace rooflinectl {

/// Counts the points of a plan, if counters can be had.
class CountingSteps {
 public:
  /// Opens the counters if the request wants them. Adds chip and CUPTI version to the context's device.
  explicit CountingSteps(CollectContext& context);

  /// How counters are collected so far.
  const CounterSession& session() const { return session_; }
  /// Null if there are none.
  Profiler* profiler() { return profiler_.get(); }
  /// Runs `step`, and adds its time to what counting took.
  void timed(const std::function<void()>& step);

  /// Counts all points that the request does not skip and that are not `without_counters`. Throws
  /// Error(measurement) if a launch failed: another process continues without the point last named.
  void count_points(const std::set<std::size_t>& without_counters);

 private:
  struct CountedPoint;

  void open();
  void count(std::span<const std::size_t> wanted);
  std::vector<Counters> gather(Profiler& profiler, const std::vector<CountedPoint*>& points);
  void count_again(std::vector<CountedPoint>& points, int times,
                   const std::function<bool(const CountedPoint&)>& is_wanted);
  void repeat_counting(std::vector<CountedPoint>& points);
  void count_tensor_operations(std::vector<CountedPoint>& points);

  CollectContext& context_;
  std::unique_ptr<Profiler> profiler_;
  std::unique_ptr<Profiler> tensor_profiler_;  // from the first point with tensor instructions on
  CounterSession session_;
};

}  // namespace rooflinectl
