// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/range_tree.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/stats/statistics.h"
#include "core/text/names.h"

namespace rooflinectl {

std::optional<double> RangeUse::ai() const {
  const bool has_all_bytes = dram_s >= kAlmostAll * total_s;
  return has_flops() && has_all_bytes && dram_bytes > 0 ? std::optional(flops / dram_bytes) : std::nullopt;
}

void add_use(RangeUse& range, const RooflinePoint& group, const GroupPart& part) {
  const LaunchStatistics& launches = *group.measurement->launches;
  const double total_s = part.time * launches.total_s;
  range.launches +=
      static_cast<std::uint64_t>(std::llround(part.launches * static_cast<double>(launches.count)));
  range.total_s += total_s;
  range.in_steps_s += part.time * group.launches->in_steps_s;
  if (const auto recoverable_s = group.launches->recoverable_s) {
    range.recoverable_s += part.time * *recoverable_s;
    if (!group.launches->is_short) {
      range.roofed_s += total_s;
      range.at_roof_s += std::min(1.0, *group.fraction_of_roofline) * total_s;
    }
  }
  const double traced = part.time * static_cast<double>(launches.traced);
  if (group.flops_executed) {
    range.flops += traced * *group.flops_executed;
    if (group.executed_missing.empty()) range.flops_s += total_s;
  }
  if (group.dram_bytes) {
    range.dram_bytes += traced * *group.dram_bytes;
    range.dram_s += total_s;
  }
}

std::size_t RangeTree::add(const std::vector<std::string>& names, const RooflinePoint& group,
                           const GroupPart& part) {
  std::size_t node = 0;
  for (std::size_t depth = 0; depth < names.size(); ++depth) {
    const auto [entry, is_new] = nodes_[node].inside.try_emplace(names[depth], nodes_.size());
    const std::size_t next = entry->second;
    if (is_new) {
      const std::string path = depth == 0 ? names[depth] : nodes_[node].use.path + "/" + names[depth];
      nodes_.push_back({.use = {.path = path, .name = range_title(names[depth]), .depth = depth}});
    }
    add_use(nodes_[next].use, group, part);
    node = next;
  }
  return node;
}

void RangeTree::add_inside(std::size_t node, std::vector<std::size_t>& order) const {
  std::vector<std::size_t> inside;
  for (const auto& [name, next] : nodes_[node].inside) inside.push_back(next);
  std::ranges::stable_sort(inside, std::greater(), [&](std::size_t one) { return nodes_[one].use.total_s; });
  for (const std::size_t next : inside) {
    order.push_back(next);
    add_inside(next, order);
  }
}

std::vector<std::size_t> RangeTree::order() const {
  std::vector<std::size_t> order;
  add_inside(0, order);
  return order;
}

std::vector<RangeUse> RangeTree::list(double kernel_s) const {
  std::vector<RangeUse> uses;
  for (const std::size_t node : order()) {
    uses.push_back(nodes_[node].use);
    uses.back().share = portion_of(uses.back().total_s, kernel_s);
  }
  return uses;
}

std::vector<std::size_t> RangeTree::places() const {
  std::vector<std::size_t> places(nodes_.size());
  for (std::size_t place = 0; const std::size_t node : order()) places[node] = place++;
  return places;
}

}  // namespace rooflinectl
