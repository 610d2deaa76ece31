// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "analysis/devices/devices_together.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

/// What a table by size shows for a collective of one size.
using CollectiveCell = std::function<std::string(Collective, const CollectiveTime&)>;

std::string share_of(double bytes_per_s, const std::optional<double>& roof) {
  return format::optional(roof, [&](double value) { return format::whole_percent(bytes_per_s / value); });
}

std::vector<std::string> overview_row(const CollectiveTimes& times, const LinkRoof& roof,
                                      std::size_t n_devices) {
  std::vector<std::string> row = {std::string(collective_name(times.collective))};
  const CollectiveTime* const best = fastest(times, n_devices);
  if (best == nullptr) {
    row.insert(row.end(), 6, std::string(format::kUnavailable));
    return row;
  }
  const double bytes_per_s = bus_bytes_per_s(times.collective, *best, n_devices);
  row.push_back(format::duration(times.sizes.front().time_s));
  row.push_back(format::gigabytes(bytes_per_s));
  row.push_back(format::array_size(best->bytes));
  row.push_back(share_of(bytes_per_s, roof.theoretical_bytes_per_s));
  row.push_back(share_of(bytes_per_s, roof.measured_bytes_per_s));
  row.push_back(format::optional(sent_ratio(times, n_devices), [](double ratio) {
    return fmt::format("{:.2f} % of expected", 100 * ratio);
  }));
  return row;
}

double widest_spread(const Collectives& collectives) {
  double widest = 0;
  for (const CollectiveTimes& times : collectives.times) {
    for (const CollectiveTime& time : times.sizes) widest = std::max(widest, time.relative_spread);
  }
  return widest;
}

/// Why collectives have no times, or no bytes.
std::vector<std::string> collective_reasons(const Collectives& collectives) {
  std::vector<std::string> reasons;
  std::set<std::string> uncounted;
  for (const CollectiveTimes& times : collectives.times) {
    if (!times.missing.empty())
      reasons.push_back(fmt::format("{}: {}", collective_name(times.collective), times.missing));
    else if (!times.sent_bytes.available())
      uncounted.insert(times.sent_bytes.reason());
  }
  for (const std::string& reason : uncounted) reasons.push_back(fmt::format("NVLink bytes: {}", reason));
  return reasons;
}

Table overview(const Run& run) {
  const Collectives& collectives = *run.collectives;
  Table table = {.title = "Collectives"};
  if (!collectives.missing.empty()) {
    table.notes = {collectives.missing};
    return table;
  }
  const std::string devices = format::counted(run.devices.size(), "device");
  // With a profiled program, a title that sets them apart from the program's own collectives.
  table.title = run.application ? fmt::format("Collectives alone, over {}, {}, {}", devices, collectives.nccl,
                                              format::utc(collectives.measured_utc))
                                : fmt::format("Collectives over {}, {}", devices, collectives.nccl);
  table.method =
      fmt::format("{}; spread up to {}", collectives.method, format::percent(widest_spread(collectives)));
  table.columns = {{"collective", false}, {"latency", true},    {"bus GB/s", true},    {"at", true},
                   {"% of NVLink", true}, {"% of links", true}, {"NVLink bytes", true}};
  const LinkRoof roof = link_roof(run);
  for (const CollectiveTimes& times : collectives.times) {
    table.rows.push_back(overview_row(times, roof, run.devices.size()));
  }
  table.notes = collective_reasons(collectives);
  return table;
}

/// A row for each size, a column for each collective.
Table by_size(const Collectives& collectives, std::string title, const CollectiveCell& text) {
  Table table = {.title = std::move(title), .columns = {{"size", true}}};
  std::set<double> sizes;
  for (const CollectiveTimes& times : collectives.times) {
    if (times.sizes.empty()) continue;
    table.columns.push_back({std::string(collective_name(times.collective)), true});
    for (const CollectiveTime& time : times.sizes) sizes.insert(time.bytes);
  }
  for (const double bytes : sizes) {
    std::vector<std::string>& row = table.rows.emplace_back(1, format::array_size(bytes));
    for (const CollectiveTimes& times : collectives.times) {
      if (times.sizes.empty()) continue;
      const auto found = std::find_if(times.sizes.begin(), times.sizes.end(),
                                      [&](const CollectiveTime& time) { return time.bytes == bytes; });
      row.push_back(found == times.sizes.end() ? std::string(format::kUnavailable)
                                               : text(times.collective, *found));
    }
  }
  return table;
}

}  // namespace

std::string_view collective_name(Collective collective) {
  switch (collective) {
    case Collective::all_reduce:
      return "all-reduce";
    case Collective::all_gather:
      return "all-gather";
    case Collective::reduce_scatter:
      return "reduce-scatter";
    case Collective::broadcast:
      return "broadcast";
    case Collective::send_receive:
      return "send/receive";
  }
  return "?";
}

std::vector<Table> collective_tables(const Run& run) {
  if (!run.collectives) return {};
  const Collectives& collectives = *run.collectives;
  std::vector<Table> tables = {overview(run)};
  const bool has_times = std::any_of(collectives.times.begin(), collectives.times.end(),
                                     [](const CollectiveTimes& times) { return !times.sizes.empty(); });
  if (!has_times) return tables;
  tables.push_back(by_size(collectives, "Bus bandwidth, GB/s", [&](Collective collective, const auto& time) {
    return format::gigabytes(bus_bytes_per_s(collective, time, run.devices.size()));
  }));
  tables.push_back(by_size(collectives, "Algorithm bandwidth, GB/s", [](Collective, const auto& time) {
    return format::gigabytes(algorithm_bytes_per_s(time));
  }));
  tables.push_back(by_size(collectives, "Time",
                           [](Collective, const auto& time) { return format::duration(time.time_s); }));
  return tables;
}

}  // namespace rooflinectl
