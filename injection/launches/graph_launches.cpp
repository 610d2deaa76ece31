// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/graph_launches.h"

#include <algorithm>
#include <mutex>

namespace rooflinectl::injection {

bool GraphNodes::is_like(const GraphNodes& other) const {
  return std::equal(kernels.begin(), kernels.end(), other.kernels.begin(), other.kernels.end(),
                    [](const Launch& one, const Launch& another) { return one.is_like(another); });
}

void GraphGroups::add(std::string_view symbol, const Launch& kernel, const LaunchGroup& group) {
  kernels_.push_back(group.id);
  const auto [place, is_new] = of_record_.try_emplace(group.record, members_.size());
  if (is_new) members_.push_back({.group = group});
  ++members_[place->second].kernels;
  of_shape_.try_emplace({symbol, kernel.grid, kernel.block, kernel.dynamic_shared_bytes}, place->second);
}

std::optional<std::size_t> GraphGroups::find(const activities::Kernel& kernel) const {
  const auto found = of_shape_.find({kernel.symbol, kernel.grid, kernel.block, kernel.dynamic_shared_bytes});
  return found == of_shape_.end() ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<const GraphGroups> GraphLaunches::find(const std::shared_ptr<const GraphNodes>& nodes,
                                                       Handle context, PathId path) {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find({nodes->name, context, path});
  if (found == known_.end()) return nullptr;
  Known& known = found->second;
  if (known.nodes != nodes && !known.nodes->is_like(*nodes)) return nullptr;
  known.nodes = nodes;
  return known.groups;
}

void GraphLaunches::add(const std::shared_ptr<const GraphNodes>& nodes, Handle context, PathId path,
                        std::shared_ptr<const GraphGroups> groups) {
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_[{nodes->name, context, path}] = {.nodes = nodes, .groups = std::move(groups)};
}

/// Graphs of one name that are launched under too many paths share what one may, and so do those of all names
/// beyond the first.
GraphLaunches::Count& GraphLaunches::count_of(const std::string& name, PathId path) {
  const bool is_known_name = counts_.contains(name) || counts_.size() < kMostKnown;
  std::map<PathId, Count>& counts = counts_[is_known_name ? name : ""];
  const bool is_known = counts.contains(path) || counts.size() < kMostPaths;
  return is_known ? counts[path] : counts.begin()->second;
}

ByNodes GraphLaunches::may_run_by_nodes(const std::string& name, PathId path) {
  const std::lock_guard lock(mutex_);
  Count& count = count_of(name, path);
  const std::uint64_t regular = ++count.launches / kSpacing;
  if (count.by_nodes < regular) return ByNodes::for_any_sample;
  return count.by_nodes < kAtFirst ? ByNodes::for_first_samples : ByNodes::not_at_all;
}

void GraphLaunches::runs_by_nodes(const std::string& name, PathId path) {
  const std::lock_guard lock(mutex_);
  ++count_of(name, path).by_nodes;
}

void GraphLaunches::forget(Handle context) {
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const auto& known) { return std::get<1>(known.first) == context; });
}

}  // namespace rooflinectl::injection
