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
  auto member = std::find_if(members_.begin(), members_.end(),
                             [&](const Member& known) { return known.group.record == group.record; });
  if (member == members_.end()) member = members_.insert(members_.end(), Member{.group = group});
  ++member->kernels;
  of_shape_.try_emplace({symbol, kernel.grid, kernel.block, kernel.dynamic_shared_bytes},
                        static_cast<std::size_t>(member - members_.begin()));
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

/// Graphs of one name that are launched under too many paths share what one may.
GraphLaunches::Count& GraphLaunches::count_of(const std::string& name, PathId path) {
  std::map<PathId, Count>& counts = counts_[name];
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
