// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/cupti_sampler.h"

#include <utility>

#include "core/model/sampled_metrics.h"
#include "core/model/timeline.h"

namespace rooflinectl::injection {

CuptiSampler::CuptiSampler(int device, std::uint64_t interval_ns)
    : device_(device),
      interval_ns_(interval_ns),
      sampler_(device, sampled_metrics(), interval_ns, room_for_samples(interval_ns)) {}

record::SamplingBegun CuptiSampler::description() {
  record::SamplingBegun begun = {.device = device_,
                                 .interval_ns = interval_ns_,
                                 .at_ns = 0,
                                 .keys = {},
                                 .metrics = sampler_.metrics(),
                                 .left_out = sampler_.left_out()};
  for (const std::string_view key : sampler_.keys()) begun.keys.emplace_back(key);
  return begun;
}

std::vector<record::Sample> CuptiSampler::take() {
  std::vector<record::Sample> samples;
  for (cupti::PmSample& sample : sampler_.take()) {
    samples.push_back({.start_ns = sample.start_ns,
                       .duration_ns = sample.end_ns - sample.start_ns,
                       .values = std::move(sample.values)});
  }
  return samples;
}

}  // namespace rooflinectl::injection
