// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/strip_table.h"

#include <fmt/format.h>

#include "reports/text/format.h"

namespace rooflinectl {

namespace {

std::string value_text(double value, StripUnit unit) {
  switch (unit) {
    case StripUnit::bytes_per_s:
      return value > 0 ? format::bandwidth(value) : "0 B/s";
    case StripUnit::flop_per_s:
      return format::rate(value, format::kFlops);
    case StripUnit::share:
      return format::percent(value);
    case StripUnit::hertz:
      return format::hertz(value);
    case StripUnit::watts:
      return format::power(value);
  }
  return {};
}

}  // namespace

const std::vector<StripColumn>& strip_columns() {
  static const std::vector<StripColumn> columns = {
      {"metric", false, [](const DeviceView&, const Strip& strip) { return std::string(strip.title); }},
      {"mean", true,
       [](const DeviceView&, const Strip& strip) {
         return format::optional(strip.mean(), [&](double value) { return value_text(value, strip.unit); });
       }},
      {"peak", true,
       [](const DeviceView& view, const Strip& strip) {
         return format::optional(strip.peak(), [&](double value) {
           return fmt::format("{} for {}", value_text(value, strip.unit),
                              format::duration(static_cast<double>(view.bin_ns) * 1e-9));
         });
       }},
      {"roof", true,
       [](const DeviceView&, const Strip& strip) {
         if (strip.unit == StripUnit::share) return std::string(format::kUnavailable);
         const std::string text =
             format::optional(strip.roof, [&](double value) { return value_text(value, strip.unit); });
         return strip.ceiling.empty() ? text : fmt::format("{} ({})", text, strip.ceiling);
       }},
      {"mean, % of roofline", true,
       [](const DeviceView&, const Strip& strip) {
         if (strip.unit == StripUnit::share) return std::string(format::kUnavailable);
         return format::optional(strip.mean_of_roof(), format::percent);
       }},
  };
  return columns;
}

}  // namespace rooflinectl
