// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/range_tree.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

struct RangeTree::Node {
  RangeUse use;
  std::size_t number = 0;
  std::map<std::string, Node, std::less<>> inside;
};

RangeTree::RangeTree() : root_(std::make_unique<Node>()) {}
RangeTree::~RangeTree() = default;
RangeTree::RangeTree(RangeTree&&) noexcept = default;
RangeTree& RangeTree::operator=(RangeTree&&) noexcept = default;

std::size_t RangeTree::add(const std::vector<std::string>& names, const RooflinePoint& group,
                           const GroupPart& part) {
  Node* node = root_.get();
  for (std::size_t depth = 0; depth < names.size(); ++depth) {
    const auto [entry, is_new] = node->inside.try_emplace(names[depth]);
    Node& next = entry->second;
    if (is_new) {
      next.number = nodes_++;
      next.use.path = depth == 0 ? names[depth] : node->use.path + "/" + names[depth];
      next.use.name = range_title(names[depth]);
      next.use.depth = depth;
    }
    add_use(next.use, group, part);
    node = &next;
  }
  return node->number;
}

void RangeTree::list(const Node& node, std::vector<RangeUse>& uses, std::vector<std::size_t>& places) const {
  std::vector<const Node*> inside;
  for (const auto& [name, next] : node.inside) inside.push_back(&next);
  std::ranges::stable_sort(inside, std::greater(), [](const Node* one) { return one->use.total_s; });
  for (const Node* next : inside) {
    places[next->number] = uses.size();
    uses.push_back(next->use);
    list(*next, uses, places);
  }
}

std::vector<RangeUse> RangeTree::list(double kernel_s) const {
  std::vector<RangeUse> uses;
  std::vector<std::size_t> places(nodes_);
  list(*root_, uses, places);
  for (RangeUse& use : uses) use.share = kernel_s > 0 ? use.total_s / kernel_s : 0;
  return uses;
}

std::vector<std::size_t> RangeTree::places() const {
  std::vector<RangeUse> uses;
  std::vector<std::size_t> places(nodes_);
  list(*root_, uses, places);
  return places;
}

}  // namespace rooflinectl
