// SPDX-License-Identifier: Apache-2.0
#include "core/model/primitive.h"

namespace rooflinectl {

std::string_view to_string(PrimitiveScope scope) {
  switch (scope) {
    case PrimitiveScope::warp:
      return "warp";
    case PrimitiveScope::block:
      return "block";
    case PrimitiveScope::device:
      return "device";
  }
  return "?";
}

std::optional<double> cycles_per_element(const Cycles& cycles) {
  if (!cycles.median.available() || cycles.elements == 0) return std::nullopt;
  return *cycles.median.value() / static_cast<double>(cycles.elements);
}

std::optional<double> cycles_per_instruction(const PrimitiveResult& result) {
  if (!result.throughput.median.available() || !result.info.instructions) return std::nullopt;
  return *result.throughput.median.value() / *result.info.instructions;
}

std::optional<double> elements_per_s(const PrimitiveResult& result, int sm_count) {
  const Cycles& cycles = result.throughput;
  const auto each = cycles_per_element(cycles);
  if (!each || !cycles.sm_clock_hz) return std::nullopt;
  return sm_count * *cycles.sm_clock_hz / *each;
}

std::optional<double> bytes_per_s(const PrimitiveResult& result, int sm_count) {
  const auto rate = elements_per_s(result, sm_count);
  if (!rate) return std::nullopt;
  return 2 * *rate * static_cast<double>(size_bytes(result.info.dtype));
}

}  // namespace rooflinectl
