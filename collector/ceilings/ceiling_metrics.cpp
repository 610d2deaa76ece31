// SPDX-License-Identifier: Apache-2.0
#include "collector/ceilings/ceiling_metrics.h"

#include <algorithm>

namespace rooflinectl {

std::string_view key_of(const kernels::CeilingPeak& peak) {
  return peak.metrics.front();
}

std::vector<Metric> ceiling_metrics(const std::vector<kernels::CeilingBenchmark>& benchmarks) {
  std::vector<Metric> metrics = basic_metrics();
  metrics.insert(metrics.end(), tensor_metrics().begin(), tensor_metrics().end());
  const auto is_there = [&](std::string_view key) {
    return std::any_of(metrics.begin(), metrics.end(),
                       [&](const Metric& metric) { return metric.key == key; });
  };
  for (const kernels::CeilingBenchmark& benchmark : benchmarks) {
    if (!benchmark.peak || is_there(key_of(*benchmark.peak))) continue;
    metrics.push_back({key_of(*benchmark.peak), benchmark.peak->metrics, 1, "peak per cycle"});
  }
  metrics.push_back({kL2ClockHz, {"lts__cycles_elapsed.avg.per_second"}, 1, "L2 clock while counting"});
  return metrics;
}

}  // namespace rooflinectl
