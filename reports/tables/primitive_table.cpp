// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/primitive_table.h"

#include <fmt/format.h>

#include <array>

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

constexpr std::array kPrimitiveColumns = {
    PrimitiveColumn{"primitive", false, [](const Run&, const PrimitiveResult& r) { return r.info.title; }},
    PrimitiveColumn{
        "type", false,
        [](const Run&, const PrimitiveResult& r) { return std::string(to_string(r.info.dtype)); }},
    PrimitiveColumn{"by", false, [](const Run&, const PrimitiveResult& r) { return r.info.by; }},
    PrimitiveColumn{"latency", true,
                    [](const Run&, const PrimitiveResult& r) { return with_interval(r.latency); }},
    PrimitiveColumn{"throughput", true,
                    [](const Run&, const PrimitiveResult& r) { return with_interval(r.throughput); }},
    PrimitiveColumn{"per instr.", true,
                    [](const Run&, const PrimitiveResult& r) {
                      return format::optional(cycles_per_instruction(r), cycles_text);
                    }},
    PrimitiveColumn{"per element", true,
                    [](const Run&, const PrimitiveResult& r) {
                      return format::optional(cycles_per_element(r.throughput), cycles_text);
                    }},
    PrimitiveColumn{"elements/s", true,
                    [](const Run& run, const PrimitiveResult& r) {
                      return format::optional(elements_per_s(r, run.device_of(r).sm_count), [](double rate) {
                        return fmt::format("{} G", format::significant(rate / 1e9));
                      });
                    }},
    PrimitiveColumn{"bandwidth", true,
                    [](const Run& run, const PrimitiveResult& r) {
                      return format::optional(bytes_per_s(r, run.device_of(r).sm_count), format::bandwidth);
                    }},
};

}  // namespace

std::span<const PrimitiveColumn> primitive_columns() {
  return kPrimitiveColumns;
}

std::string primitive_text(const PrimitiveResult& result) {
  if (result.status != Status::ok) return fmt::format("{}: {}", to_string(result.status), result.cause);
  return fmt::format("latency {} cycles, throughput {} cycles", with_interval(result.latency),
                     with_interval(result.throughput));
}

std::vector<std::string> primitive_failures(const Run& run) {
  std::vector<std::string> texts;
  for (const PrimitiveResult& result : run.primitives) {
    if (result.status == Status::ok) continue;
    texts.push_back(fmt::format("{} {}: {}", result.info.id, to_string(result.status), result.cause));
  }
  return texts;
}

}  // namespace rooflinectl
