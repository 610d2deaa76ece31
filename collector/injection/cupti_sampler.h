// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "collector/cupti/pm_sampler.h"
#include "collector/injection/timeline.h"

namespace rooflinectl::injection {

/// A device of the process, sampled with CUPTI's PM sampling. Its times are those of the clock that
/// `activities::set_listener` gave CUPTI, like those of the trace.
class CuptiSampler : public Sampler {
 public:
  /// Throws as `cupti::PmSampler` does.
  CuptiSampler(int device, std::uint64_t interval_ns);

  record::SamplingBegun description() override;
  void start() override { sampler_.start(); }
  void stop() override { sampler_.stop(); }
  std::vector<record::Sample> take() override;

 private:
  const int device_;
  const std::uint64_t interval_ns_;
  cupti::PmSampler sampler_;
};

}  // namespace rooflinectl::injection
