// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "analysis/analysis.h"
#include "core/model/known_ceilings.h"

namespace rooflinectl {

namespace {

bool pair_comes_before(const CeilingPair& a, const CeilingPair& b) {
  const auto key = [](const CeilingPair& pair) {
    const Ceiling& ceiling = pair.measured != nullptr ? *pair.measured : *pair.theoretical;
    return std::pair(ceiling_rank(ceiling), std::string_view(ceiling.id));
  };
  return key(a) < key(b);
}

/// DRAM has one theoretical bandwidth, whatever the direction.
const Ceiling* theoretical_of(const Run& run, const Ceiling& measured) {
  const bool is_dram = measured.kind == CeilingKind::bandwidth && measured.subject == "dram";
  return find_ceiling(run, is_dram ? "dram" : measured.id, CeilingSource::theoretical, measured.device);
}

double clock_factor(const Ceiling& measured, const Ceiling& theoretical) {
  const bool known = measured.sm_clock_hz && theoretical.sm_clock_hz && *theoretical.sm_clock_hz > 0;
  return known ? *measured.sm_clock_hz / *theoretical.sm_clock_hz : 1;
}

CeilingPair pair_of(const Run& run, const Ceiling& measured) {
  CeilingPair pair;
  pair.measured = &measured;
  pair.theoretical = theoretical_of(run, measured);
  if (pair.theoretical != nullptr && pair.theoretical->value > 0) {
    pair.theoretical_at_clock = pair.theoretical->value * clock_factor(measured, *pair.theoretical);
    pair.fraction = measured.value / *pair.theoretical_at_clock;
  }
  if (measured.confirmation && !measured.confirmation->agrees) {
    pair.findings.push_back(fmt::format("not confirmed: {}", measured.confirmation->detail));
  }
  constexpr double kRounding = 0.002;  // of the clocks
  if (pair.fraction && *pair.fraction > 1 + measured.relative_spread + kRounding) {
    pair.findings.push_back(fmt::format(
        "{:.1f} % of theoretical: {}", 100 * *pair.fraction,
        measured.kind == CeilingKind::transfer
            ? "the host is connected by a link other than PCIe, or the driver reports a narrower one"
        : measured.kind == CeilingKind::bandwidth
            ? "a cache closer to the SMs delivered part of the data, or the clock rose during the measurement"
            : "the clock rose during the measurement, or the chip completes more per cycle than CUPTI "
              "reports"));
  }
  return pair;
}

bool is_measured_too(const Run& run, const Ceiling& theoretical) {
  return std::any_of(run.ceilings.begin(), run.ceilings.end(), [&](const Ceiling& other) {
    return other.source == CeilingSource::measured && theoretical_of(run, other) == &theoretical;
  });
}

}  // namespace

std::vector<CeilingPair> ceiling_pairs(const Run& run) {
  std::vector<CeilingPair> pairs;
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.source == CeilingSource::measured) {
      pairs.push_back(pair_of(run, ceiling));
    } else if (!is_measured_too(run, ceiling)) {
      CeilingPair pair;
      pair.theoretical = &ceiling;
      pairs.push_back(pair);
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), pair_comes_before);
  return pairs;
}

}  // namespace rooflinectl
