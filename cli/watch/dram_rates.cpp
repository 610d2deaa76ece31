// SPDX-License-Identifier: Apache-2.0
#include "cli/watch/dram_rates.h"

#include <string>

#include "core/counters/sampled_metrics.h"

namespace rooflinectl {

std::optional<Traffic> dram_rates(const SampledRates& rates) {
  const auto read = rates.values.find(std::string(sampled::kDramReadBytes));
  const auto written = rates.values.find(std::string(sampled::kDramWriteBytes));
  if (read == rates.values.end() || written == rates.values.end()) return std::nullopt;
  return Traffic{read->second, written->second};
}

std::optional<double> dram_fraction_of_ceiling(const Run& run, std::size_t device,
                                               const SampledRates& rates) {
  const auto traffic = dram_rates(rates);
  if (!traffic) return std::nullopt;
  const auto limit = dram_limit(run, device, *traffic);
  return limit ? std::optional(traffic->bytes() / limit->per_s) : std::nullopt;
}

}  // namespace rooflinectl
