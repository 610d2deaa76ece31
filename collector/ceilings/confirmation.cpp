// SPDX-License-Identifier: Apache-2.0
#include "collector/ceilings/confirmation.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace rooflinectl {

namespace {

constexpr double kByteTolerance = 0.02;
constexpr double kOperationTolerance = 0.01;

std::optional<double> counted(const kernels::CeilingCount& count, const Counters& counters) {
  double sum = 0;
  for (const std::string_view key : count.keys) {
    const auto value = value_of(counters, key);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum * count.scale;
}

/// Bytes of the level below that a benchmark of a cache must not touch; nothing if the level has none.
std::optional<double> leaked_bytes(std::string_view level, const Counters& counters) {
  if (level == "l2") return dram_bytes(counters);
  if (level == "l1") return value_of(counters, counter::kL2Bytes);
  return std::nullopt;
}

}  // namespace

Confirmation confirm(const kernels::CeilingBenchmark& benchmark, double amount, const Counters& counters,
                     std::size_t l2_bytes) {
  const auto sum = counted(benchmark.count, counters);
  if (!sum) return {false, "not counted: the counter is unavailable"};
  const bool is_bytes = benchmark.kind == CeilingKind::bandwidth;
  const bool writes_dram = benchmark.subject == "dram" && benchmark.operation != "read";
  const double tolerance = is_bytes ? kByteTolerance : kOperationTolerance;
  const double still_dirty = writes_dram ? static_cast<double>(l2_bytes) : 0;
  const double ratio = *sum / amount;
  Confirmation result;
  result.agrees = ratio <= 1 + tolerance && ratio >= 1 - tolerance - still_dirty / amount;
  result.detail = fmt::format("counted {:.4f} of the declared {}", ratio, is_bytes ? "bytes" : "operations");
  const bool is_cache = benchmark.subject == "l2" || benchmark.subject == "l1";
  if (!is_cache) return result;
  const char* const below = benchmark.subject == "l2" ? "DRAM" : "L2";
  if (const auto leaked = leaked_bytes(benchmark.subject, counters)) {
    const double fraction = *leaked / amount;
    result.agrees = result.agrees && fraction < kByteTolerance;
    result.detail += fmt::format(", {:.2f} % of them at {}", fraction * 100, below);
  } else {
    result.agrees = false;
    result.detail += fmt::format(", {} not counted", below);
  }
  return result;
}

}  // namespace rooflinectl
