// SPDX-License-Identifier: Apache-2.0
// What can be counted on which chip, from CUPTI's host interface: no GPU, no driver.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "collector/cupti/host_configuration.h"
#include "collector/cupti/profiler.h"
#include "core/error.h"

namespace rooflinectl::cupti {

std::vector<std::string> countable_chips() {
  std::vector<std::string> chips = supported_chips();
  // Listed by CUPTI 13.0, but its range profiler does not take it.
  std::erase(chips, "GV11B");
  return chips;
}

ChipCounters describe_chip(const std::string& chip) {
  const HostConfiguration configuration(chip, basic_metrics(), {});
  ChipCounters description{chip, configuration.passes(), {}};
  for (const Metric& metric : basic_metrics()) {
    const auto found = configuration.metrics().find(std::string(metric.key));
    description.counters.push_back({std::string(metric.key), std::string(metric.meaning),
                                    found == configuration.metrics().end() ? "" : found->second});
  }
  return description;
}

}  // namespace rooflinectl::cupti

/// Exported by the module: `describe_chips` of collector/cupti/profiler.h.
extern "C" [[gnu::visibility("default")]] void rooflinectl_describe_chips(
    const std::string& chip, std::vector<rooflinectl::ChipCounters>& chips) {
  namespace cupti = rooflinectl::cupti;
  const std::vector<std::string> known = cupti::countable_chips();
  if (chip.empty()) {
    for (const std::string& name : known) chips.push_back(cupti::describe_chip(name));
  } else if (std::find(known.begin(), known.end(), chip) != known.end()) {
    chips.push_back(cupti::describe_chip(chip));
  } else {
    throw rooflinectl::Error(rooflinectl::ErrorKind::usage, fmt::format("CUPTI knows no chip '{}'", chip),
                             fmt::format("known chips: {}", fmt::join(known, ", ")));
  }
}
