// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/primitive_table.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/stats/statistics.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string cycles_text(double cycles) {
  if (cycles >= 1e6) return fmt::format("{} M", format::significant(cycles / 1e6));
  return cycles >= 1000 ? fmt::format("{:.0f}", cycles) : format::significant(cycles);
}

std::string with_interval(const Cycles& cycles) {
  if (!cycles.median.available()) return std::string(format::kUnavailable);
  return fmt::format("{} ±{}", cycles_text(*cycles.median.value()),
                     format::percent(relative_half_width(cycles)));
}

std::vector<std::string> primitive_failures(const Run& run) {
  std::vector<std::string> texts;
  for (const PrimitiveResult& result : run.primitives) {
    if (result.status == Status::ok) continue;
    texts.push_back(fmt::format("{} {}: {}", result.info.id, to_string(result.status), result.cause));
  }
  return texts;
}

}  // namespace

Table primitive_table(const Run& run) {
  Table table = {.title = "Primitives",
                 .columns = {{"primitive"},
                             {"type"},
                             {"by"},
                             {"latency", true},
                             {"throughput", true},
                             {"per instr.", true},
                             {"per element", true},
                             {"elements/s", true},
                             {"bandwidth", true}},
                 .dispensable = {"bandwidth", "elements/s", "throughput"}};
  for (const PrimitiveResult& result : run.primitives) {
    const int sm_count = run.device_of(result).sm_count;
    table.rows.push_back(
        {result.info.title, std::string(to_string(result.info.dtype)), result.info.by,
         with_interval(result.latency), with_interval(result.throughput),
         format::optional(cycles_per_instruction(result), cycles_text),
         format::optional(cycles_per_element(result.throughput), cycles_text),
         format::optional(elements_per_s(result, sm_count),
                          [](double rate) { return fmt::format("{} G", format::significant(rate / 1e9)); }),
         format::optional(bytes_per_s(result, sm_count), format::bandwidth)});
  }
  table.notes = primitive_failures(run);
  return table;
}

std::string primitive_text(const PrimitiveResult& result) {
  if (result.status != Status::ok) return fmt::format("{}: {}", to_string(result.status), result.cause);
  return fmt::format("latency {} cycles, throughput {} cycles", with_interval(result.latency),
                     with_interval(result.throughput));
}

}  // namespace rooflinectl
