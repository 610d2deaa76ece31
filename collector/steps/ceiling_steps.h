// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/ceilings/ceiling_bench.h"
#include "collector/collect_context.h"
#include "collector/device/nvml.h"

namespace rooflinectl {

/// Measures the ceilings of a plan, and has counters confirm them.
class CeilingSteps {
 public:
  explicit CeilingSteps(CollectContext& context) : context_(context) {}

  /// Measures those that are not known, and reports what they are in theory without counters.
  /// `counters`: whether unconfirmed ones are measured again. Throws Error(measurement) if a launch fails:
  /// that costs only this ceiling.
  void measure(const std::optional<PcieLink>& pcie, bool counters);

  /// Counts what the benchmarks of the ceilings do, and takes the chip's peaks with the counters. Then frees
  /// their memory.
  void confirm();

 private:
  bool is_in_plan(const std::string& ceiling) const;
  void measure_benchmark(const kernels::CeilingBenchmark& benchmark);
  std::vector<std::string> held_ceilings(bool counters);

  CollectContext& context_;
  std::optional<CeilingBench> bench_;  // from the first ceiling to their confirmation
  double launch_clock_hz_ = 0;         // SM clock at which empty kernels ran
};

}  // namespace rooflinectl
