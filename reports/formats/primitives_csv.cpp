// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/primitives_csv.h"

#include <fmt/format.h>

#include "reports/text/csv.h"

namespace rooflinectl {
namespace {

std::string cycles_fields(const Cycles& cycles) {
  if (!cycles.median.available()) return ",,";
  return fmt::format("{},{},{}", *cycles.median.value(), cycles.ci_low, cycles.ci_high);
}

}  // namespace

std::string primitives_csv(const Run& run) {
  if (run.primitives.empty()) return {};
  using csv::number, csv::field;
  std::string text =
      "id,family,title,by,dtype,scope,instructions,status,latency_cycles,latency_ci_low,latency_ci_high,"
      "latency_elements,throughput_cycles,throughput_ci_low,throughput_ci_high,throughput_elements,"
      "cycles_per_instruction,cycles_per_element,elements_per_s\n";
  for (const PrimitiveResult& result : run.primitives) {
    const PrimitiveInfo& info = result.info;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", field(info.id), field(info.family),
                        field(info.title), field(info.by), to_string(info.dtype), to_string(info.scope),
                        info.instructions ? fmt::format("{}", *info.instructions) : "",
                        to_string(result.status), cycles_fields(result.latency), result.latency.elements,
                        cycles_fields(result.throughput), result.throughput.elements,
                        number(cycles_per_instruction(result)), number(cycles_per_element(result.throughput)),
                        number(elements_per_s(result, run.device_of(result).sm_count)));
  }
  return text;
}

}  // namespace rooflinectl
