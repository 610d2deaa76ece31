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

Table strip_table(const DeviceView& view) {
  Table table = {
      .columns = {{"metric"}, {"mean", true}, {"peak", true}, {"roof", true}, {"mean, % of roofline", true}}};
  for (const Strip& strip : view.strips) {
    const auto text = [&](double value) { return value_text(value, strip.unit); };
    const std::string longest = format::duration(static_cast<double>(view.bin_ns) * 1e-9);
    const bool has_roof = strip.unit != StripUnit::share;
    const std::string roof =
        has_roof ? format::optional(strip.roof, text) : std::string(format::kUnavailable);
    table.rows.push_back(
        {std::string(strip.title), format::optional(strip.mean(), text),
         format::optional(strip.peak(),
                          [&](double value) { return fmt::format("{} for {}", text(value), longest); }),
         has_roof && !strip.ceiling.empty() ? fmt::format("{} ({})", roof, strip.ceiling) : roof,
         has_roof ? format::optional(strip.mean_of_roof(), format::percent)
                  : std::string(format::kUnavailable)});
  }
  return table;
}

}  // namespace rooflinectl
