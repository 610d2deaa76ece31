// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "analysis/devices/devices_together.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string_view mover_name(LinkMover mover) {
  switch (mover) {
    case LinkMover::copy:
      return "Copy engine";
    case LinkMover::load:
      return "Loads by the target";
    case LinkMover::store:
      return "Stores by the source";
  }
  return "?";
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
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const LinkBandwidth* link) { return is_between(*link, from, to); });
  if (found == links.end() || !(*found)->missing.empty()) return std::string(format::kUnavailable);
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
    auto found = std::find_if(pairs_of.begin(), pairs_of.end(),
                              [&](const auto& entry) { return entry.first == reason; });
    if (found == pairs_of.end()) found = pairs_of.insert(pairs_of.end(), {reason, {}});
    found->second.push_back(fmt::format("{} {} {}", device_name(link->from), link->both_ways ? "and" : "to",
                                        device_name(link->to)));
  }
  std::vector<std::string> texts;
  for (const auto& [reason, pairs] : pairs_of) {
    texts.push_back(fmt::format("{}: {}", fmt::join(pairs, ", "), reason));
  }
  return texts;
}

/// `; counted 0.9998 to 1.0001 of the bytes`, of all that were counted and agree.
std::string counted_text(const std::vector<const LinkBandwidth*>& links) {
  std::vector<double> ratios;
  for (const LinkBandwidth* link : links) {
    const auto ratio = counted_ratio(*link);
    if (ratio && reason_of(*link).empty()) ratios.push_back(*ratio);
  }
  if (ratios.empty()) return {};
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
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
  table.columns.push_back({"from / to", false});
  for (std::size_t to = 0; to < run.devices.size(); ++to) table.columns.push_back({device_name(to), true});
  for (std::size_t from = 0; from < run.devices.size(); ++from) {
    std::vector<std::string>& row = table.rows.emplace_back(1, device_name(from));
    for (std::size_t to = 0; to < run.devices.size(); ++to) row.push_back(cell(run, links, from, to));
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

}  // namespace rooflinectl
