// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

#include "analysis/devices/devices_together.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

// Links between devices, and collectives over them.
namespace rooflinectl {
namespace {

std::string_view mover_name(LinkMover mover) {
  constexpr std::array<std::string_view, kLinkMovers.size()> kNames = {"Copy engine", "Loads by the target",
                                                                       "Stores by the source"};
  return kNames.at(static_cast<std::size_t>(mover));
}

std::string device_name(std::size_t place) {
  return fmt::format("device {}", place);
}

/// For both ways at once the run has one entry per pair.
bool is_between(const LinkBandwidth& link, std::size_t from, std::size_t to) {
  if (link.from == from && link.to == to) return true;
  return link.both_ways && link.from == to && link.to == from;
}

std::string cell(const Run& run, const std::vector<const LinkBandwidth*>& links, std::size_t from,
                 std::size_t to) {
  const auto found =
      std::ranges::find_if(links, [&](const LinkBandwidth* link) { return is_between(*link, from, to); });
  if (found == links.end() || !(*found)->missing.empty()) return format::kUnavailable;
  const std::string value = format::gigabytes((*found)->bytes_per_s);
  const auto share = share_of_theoretical(run, **found);
  return share ? fmt::format("{} ({})", value, format::whole_percent(*share)) : value;
}

/// Why a link has no value, or a doubtful one; empty where all is well.
std::string reason_of(const LinkBandwidth& link) {
  if (!link.missing.empty() || link.moved_bytes == 0) return link.missing;
  const auto ratio = counted_ratio(link);
  if (!ratio) return fmt::format("NVLink's counters do not confirm it: {}", link.sent_bytes.reason());
  if (std::abs(*ratio - 1) <= kLinkByteTolerance) return {};
  return fmt::format("NVLink's counters saw {:.4f} of the bytes that were moved", *ratio);
}

/// A sentence for each reason, with the pairs that it holds for.
std::vector<std::string> reasons(const std::vector<const LinkBandwidth*>& links) {
  std::vector<std::pair<std::string, std::vector<std::string>>> pairs_of;
  for (const LinkBandwidth* link : links) {
    const std::string reason = reason_of(*link);
    if (reason.empty()) continue;
    auto found = std::ranges::find(pairs_of, reason, [](const auto& entry) { return entry.first; });
    if (found == pairs_of.end()) found = pairs_of.insert(pairs_of.end(), {reason, {}});
    found->second.push_back(fmt::format("{} {} {}", device_name(link->from), link->both_ways ? "and" : "to",
                                        device_name(link->to)));
  }
  return format::each(pairs_of, [](const auto& entry) {
    return fmt::format("{}: {}", format::joined(entry.second), entry.first);
  });
}

/// `; counted 0.9998 to 1.0001 of the bytes`, of all that were counted and agree.
std::string counted_text(const std::vector<const LinkBandwidth*>& links) {
  std::vector<double> ratios;
  for (const LinkBandwidth* link : links) {
    const auto ratio = counted_ratio(*link);
    if (ratio && reason_of(*link).empty()) ratios.push_back(*ratio);
  }
  if (ratios.empty()) return {};
  const auto [least, most] = std::ranges::minmax_element(ratios);
  const std::string lower = fmt::format("{:.4f}", *least);
  const std::string upper = fmt::format("{:.4f}", *most);
  return fmt::format("; NVLink's counters saw {} of the bytes",
                     lower == upper ? lower : fmt::format("{} to {}", lower, upper));
}

Table table_of(const Run& run, LinkMover mover, bool both_ways) {
  std::vector<const LinkBandwidth*> links;
  for (const LinkBandwidth& link : run.links) {
    if (link.mover == mover && link.both_ways == both_ways) links.push_back(&link);
  }
  Table table;
  table.notes = reasons(links);
  double widest_spread = 0;
  bool has_share = false;
  for (const LinkBandwidth* link : links) {
    if (!link->missing.empty()) continue;
    if (table.method.empty()) table.method = link->method;
    widest_spread = std::max(widest_spread, link->relative_spread);
    has_share = has_share || share_of_theoretical(run, *link);
  }
  table.title = fmt::format("{}, {}, GB/s{}", mover_name(mover), both_ways ? "both ways together" : "one way",
                            has_share ? " (% of theoretical)" : "");
  if (table.method.empty()) return table;
  table.method += fmt::format("; spread up to {}{}", format::percent(widest_spread), counted_text(links));
  table.columns.push_back(column::text("from / to"));
  for (std::size_t to = 0; to < run.devices.size(); ++to)
    table.columns.push_back(column::number(device_name(to)));
  for (std::size_t from = 0; from < run.devices.size(); ++from) {
    std::vector<std::string>& row = table.rows.emplace_back(1, device_name(from));
    for (std::size_t to = 0; to < run.devices.size(); ++to) row.push_back(cell(run, links, from, to));
  }
  return table;
}

/// What a table by size shows for a collective of one size.
using CollectiveCell = std::function<std::string(Collective, const CollectiveTime&)>;

std::string share_of(double bytes_per_s, const std::optional<double>& roof) {
  return format::optional(roof, [&](double value) { return format::whole_percent(bytes_per_s / value); });
}

std::vector<std::string> overview_row(const CollectiveTimes& times, const LinkRoof& roof,
                                      std::size_t n_devices) {
  std::vector<std::string> row(7, format::kUnavailable);
  row.front() = collective_name(times.collective);
  const CollectiveTime* const best = fastest(times, n_devices);
  if (best == nullptr) return row;
  const double bytes_per_s = bus_bytes_per_s(times.collective, *best, n_devices);
  const auto sent = [](double ratio) { return fmt::format("{:.2f} % of expected", 100 * ratio); };
  return {row.front(),
          format::duration(times.sizes.front().time_s),
          format::gigabytes(bytes_per_s),
          format::array_size(best->bytes),
          share_of(bytes_per_s, roof.theoretical_bytes_per_s),
          share_of(bytes_per_s, roof.measured_bytes_per_s),
          format::optional(sent_ratio(times, n_devices), sent)};
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
  table.columns = {column::text("collective"),    column::number("latency"),     column::number("bus GB/s"),
                   column::number("at"),          column::number("% of NVLink"), column::number("% of links"),
                   column::number("NVLink bytes")};
  const LinkRoof roof = link_roof(run);
  for (const CollectiveTimes& times : collectives.times) {
    table.rows.push_back(overview_row(times, roof, run.devices.size()));
  }
  table.notes = collective_reasons(collectives);
  return table;
}

/// A row for each size, a column for each collective.
Table by_size(const Collectives& collectives, std::string title, const CollectiveCell& text) {
  Table table = {.title = std::move(title), .columns = {column::number("size")}};
  std::set<double> sizes;
  for (const CollectiveTimes& times : collectives.times) {
    if (times.sizes.empty()) continue;
    table.columns.push_back(column::number(std::string(collective_name(times.collective))));
    for (const CollectiveTime& time : times.sizes) sizes.insert(time.bytes);
  }
  for (const double bytes : sizes) {
    std::vector<std::string>& row = table.rows.emplace_back(1, format::array_size(bytes));
    for (const CollectiveTimes& times : collectives.times) {
      if (times.sizes.empty()) continue;
      const auto found = std::ranges::find(times.sizes, bytes, &CollectiveTime::bytes);
      row.push_back(found == times.sizes.end() ? format::kUnavailable : text(times.collective, *found));
    }
  }
  return table;
}

}  // namespace

std::vector<Table> link_tables(const Run& run) {
  std::vector<Table> tables;
  for (const LinkMover mover : kLinkMovers) {
    for (const bool both_ways : {false, true}) {
      Table table = table_of(run, mover, both_ways);
      if (!table.empty()) tables.push_back(std::move(table));
    }
  }
  return tables;
}

std::string_view collective_name(Collective collective) {
  constexpr std::array<std::string_view, kCollectives.size()> kNames = {
      "all-reduce", "all-gather", "reduce-scatter", "broadcast", "send/receive"};
  return kNames.at(static_cast<std::size_t>(collective));
}

std::vector<Table> collective_tables(const Run& run) {
  if (!run.collectives) return {};
  const Collectives& collectives = *run.collectives;
  std::vector<Table> tables = {overview(run)};
  const bool has_times = std::ranges::any_of(
      collectives.times, [](const CollectiveTimes& times) { return !times.sizes.empty(); });
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
