// SPDX-License-Identifier: Apache-2.0
#include "collector/points/prepared_point.h"

#include <algorithm>
#include <cmath>

#include "collector/device/device.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

constexpr int kMostLaunches = 64;
/// A graph takes about this long, or is one launch: two events around it cost about 3 µs on an H200.
constexpr double kGraphSeconds = 200e-6;
/// If the device does not report how fast its memory is: a typical value.
constexpr double kUnknownBytesPerSecond = 1e12;

}  // namespace

LaunchPlan launch_plan(const LaunchNeeds& needs, const DeviceInfo& device) {
  if (needs.must_be_plain) return {LaunchMode::plain, 1, 1};
  // As many launches as the fastest pass over the input allows in that time; for a small input, which may fit
  // into L2, as many as a graph may have. Their inputs take little more memory than the device reads in that
  // time.
  const double speed =
      dram_bytes_per_second(device) > 0 ? dram_bytes_per_second(device) : kUnknownBytesPerSecond;
  const double wanted = std::ceil(kGraphSeconds * speed / static_cast<double>(needs.input_bytes));
  LaunchPlan plan;
  plan.launches_per_graph = static_cast<int>(std::clamp(wanted, 1.0, static_cast<double>(kMostLaunches)));
  plan.inputs = plan.launches_per_graph;
  if (needs.cache == CacheState::cold) return plan;
  plan.inputs = 1;
  if (needs.changes_inputs) {
    // Inputs that were just restored are warm as long as all of them fit into half of L2.
    const std::size_t most = std::max<std::size_t>(device.l2_bytes / 2 / needs.input_bytes, 1);
    plan.inputs = static_cast<int>(std::min(most, static_cast<std::size_t>(plan.launches_per_graph)));
    plan.launches_per_graph = plan.inputs;
  }
  return plan;
}

TimedWork timed_launches(const PointId& id, const LaunchPlan& plan, int copies,
                         std::function<void(int copy)> launch) {
  TimedWork work;
  work.range_name = range_name(id);
  work.cache = cache_of(id).value_or(CacheState::cold);
  work.mode = plan.mode;
  work.launches_per_graph = plan.launches_per_graph;
  work.launch = [copies, launch = std::move(launch)](int number) { launch(number % copies); };
  return work;
}

void place_inputs(std::span<const std::size_t> bytes, Workbench& bench) {
  constexpr std::size_t kForTheRest = std::size_t{1} << 30;
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  std::size_t most = 0;
  for (const std::size_t of_point : bytes) {
    if (of_point + kForTheRest <= free_bytes) most = std::max(most, of_point);
  }
  bench.inputs.require(most);
}

}  // namespace rooflinectl
