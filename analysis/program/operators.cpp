// SPDX-License-Identifier: Apache-2.0
#include "analysis/program/operators.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/roofline/point.h"
#include "core/stats/statistics.h"
#include "core/text/kernel_name.h"

namespace rooflinectl {
namespace {

using Extent = TorchKernel::Extent;
using Groups = std::vector<std::size_t>;  // places in the experiment's points

/// Demanglers differ in where they put spaces.
std::string plain_name(std::string_view symbol_or_name) {
  std::string name = demangle(symbol_or_name);
  std::erase_if(name, [](unsigned char letter) { return std::isspace(letter) != 0; });
  return name;
}

/// `132`, `64x8`, or nothing for 1, as axes have it.
Extent extent_of(const PointId& point, std::string_view axis) {
  Extent extent = {1, 1, 1};
  if (const auto number = point.axes.number(axis)) extent[0] = *number;
  std::string_view text = point.axes.text(axis).value_or("");
  for (std::uint64_t& size : extent) {
    const auto end = std::min(text.find('x'), text.size());
    if (end > 0) std::from_chars(text.data(), text.data() + end, size);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return extent;
}

struct ShapedGroup {
  std::string name;  ///< `plain_name` of its kernel
  Extent grid;
  Extent block;
  std::optional<std::uint64_t> shared_bytes;  ///< static and dynamic
  std::uint64_t dynamic_bytes = 0;
  std::string_view path;

  bool is_of(const TorchKernel& kernel) const {
    if (kernel.grid && *kernel.grid != grid) return false;
    if (kernel.block && *kernel.block != block) return false;
    if (!kernel.shared_bytes) return true;
    return shared_bytes ? *kernel.shared_bytes == *shared_bytes : *kernel.shared_bytes >= dynamic_bytes;
  }
};

std::set<std::string> kernels_of_graph(const Measurement& measurement) {
  std::set<std::string> names;
  for (const GraphKernelUse& use : measurement.launches->graph_kernels) names.insert(plain_name(use.kernel));
  return names;
}

ShapedGroup group_of(const Measurement& measurement) {
  const PointId& point = measurement.point;
  const std::string& symbol = measurement.launches->symbol;
  ShapedGroup group = {.name = plain_name(symbol.empty() ? point.subject : symbol),
                       .grid = extent_of(point, axis::kGrid),
                       .block = extent_of(point, axis::kBlock),
                       .dynamic_bytes = point.axes.number(axis::kShared).value_or(0),
                       .path = point.axes.text(axis::kPath).value_or("")};
  if (measurement.resources) {
    group.shared_bytes = static_cast<std::uint64_t>(measurement.resources->shared_bytes_per_block);
  }
  return group;
}

/// Finds the groups that a launch of the trace may belong to.
class Candidates {
 public:
  Candidates(const ExperimentAnalysis& experiment, const TorchTrace& trace) : trace_(trace) {
    groups_.resize(experiment.points.size());
    for (std::size_t i = 0; i < experiment.points.size(); ++i) {
      const Measurement& measurement = *experiment.points[i].measurement;
      if (!measurement.launches) continue;
      groups_[i] = group_of(measurement);
      if (measurement.launches->graph_nodes) {
        of_graph_[kernels_of_graph(measurement)].push_back(i);
      } else {
        of_name_[groups_[i].name].push_back(i);
      }
    }
  }

  const Groups& of(const TorchLaunch& launch) {
    return launch.is_graph ? of_graph(launch) : of_kernel(*launch.kernels.front());
  }
  std::string_view path(std::size_t group) const { return groups_[group].path; }

  const std::string& name(const TorchKernel& kernel) {
    const auto [entry, is_new] = plain_names_.try_emplace(kernel.name);
    if (is_new) entry->second = plain_name(trace_.names[kernel.name]);
    return entry->second;
  }

 private:
  using Key =
      std::tuple<std::size_t, std::optional<Extent>, std::optional<Extent>, std::optional<std::uint64_t>>;

  const Groups& of_kernel(const TorchKernel& kernel) {
    const auto [entry, is_new] =
        known_.try_emplace(Key(kernel.name, kernel.grid, kernel.block, kernel.shared_bytes));
    if (!is_new) return entry->second;
    const auto of_name = of_name_.find(name(kernel));
    if (of_name == of_name_.end()) return entry->second;
    for (const std::size_t group : of_name->second) {
      if (groups_[group].is_of(kernel)) entry->second.push_back(group);
    }
    return entry->second;
  }

  const Groups& of_graph(const TorchLaunch& launch) {
    std::set<std::string> names;
    for (const TorchKernel* kernel : launch.kernels) names.insert(name(*kernel));
    const auto found = of_graph_.find(names);
    return found == of_graph_.end() ? none_ : found->second;
  }

  const TorchTrace& trace_;
  std::vector<ShapedGroup> groups_;
  std::unordered_map<std::string, Groups> of_name_;
  std::map<std::set<std::string>, Groups> of_graph_;
  std::map<Key, Groups> known_;
  std::unordered_map<std::size_t, std::string> plain_names_;
  Groups none_;
};

using Path = std::optional<std::string_view>;

/// The path of all of them; nothing where they differ in it, or there are none.
Path path_of(const Candidates& candidates, const Groups& groups) {
  for (const std::size_t group : groups) {
    if (candidates.path(group) != candidates.path(groups.front())) return std::nullopt;
  }
  return groups.empty() ? Path() : candidates.path(groups.front());
}

/// Those with one of the paths; all where none has one.
Groups with_path(const Candidates& candidates, const Groups& groups, const Path& before, const Path& after) {
  Groups result;
  for (const std::size_t group : groups) {
    const std::string_view path = candidates.path(group);
    if (path == before || path == after) result.push_back(group);
  }
  return result.empty() ? groups : result;
}

/// A launch with the groups that it may belong to.
struct MatchedLaunch {
  const TorchLaunch* launch = nullptr;
  Groups groups;
};

/// A program goes through its ranges one after the other: a launch is in the range of its neighbours.
std::vector<MatchedLaunch> match(Candidates& candidates, const std::vector<const TorchLaunch*>& launches) {
  std::vector<MatchedLaunch> matched;
  std::vector<Path> paths;
  for (const TorchLaunch* launch : launches) {
    matched.push_back({launch, candidates.of(*launch)});
    paths.push_back(path_of(candidates, matched.back().groups));
  }
  std::vector<Path> before(launches.size());
  for (std::size_t i = 1; i < launches.size(); ++i) before[i] = paths[i - 1] ? paths[i - 1] : before[i - 1];
  Path after;
  for (std::size_t i = launches.size(); i-- > 0;) {
    Groups& groups = matched[i].groups;
    if (!paths[i] && !groups.empty()) groups = with_path(candidates, groups, before[i], after);
    if (paths[i]) after = paths[i];
  }
  return matched;
}

/// Where both the trace and the run have several devices, what ran on the experiment's. Else all: what one of
/// several processes launched, the others did, too.
std::vector<const TorchLaunch*> launches_on(const Run& run, std::size_t device,
                                            const TorchLaunches& launches) {
  std::set<std::uint64_t> devices;
  for (const TorchLaunch& launch : launches.launches) {
    if (const auto& of = launch.kernels.front()->device) devices.insert(*of);
  }
  const bool is_by_device = devices.size() > 1 && run.devices.size() > 1;
  const auto index = static_cast<std::uint64_t>(run.devices[device].index);
  std::vector<const TorchLaunch*> result;
  for (const TorchLaunch& launch : launches.launches) {
    const auto& of = launch.kernels.front()->device;
    if (!is_by_device || !of || *of == index) result.push_back(&launch);
  }
  return result;
}

/// What the trace has about a group.
struct Seen {
  std::map<std::size_t, GroupPart> of_scope;  ///< microseconds and numbers
  GroupPart whole = {.time = 0, .launches = 0};
  bool is_shared = false;  ///< with another group
};

std::vector<Seen> seen_of(std::size_t n_groups, const std::vector<MatchedLaunch>& matched) {
  std::vector<Seen> all(n_groups);
  for (const auto& [launch, groups] : matched) {
    for (const std::size_t group : groups) {
      Seen& seen = all[group];
      const auto [part, is_new] =
          seen.of_scope.try_emplace(launch->scope, GroupPart{.time = 0, .launches = 0});
      for (GroupPart* sum : {&part->second, &seen.whole}) {
        sum->time += launch->duration_us;
        sum->launches += 1;
      }
      seen.is_shared = seen.is_shared || groups.size() > 1;
    }
  }
  return all;
}

/// A part of the group; where the trace has no times, by the number of launches.
GroupPart part_of(const GroupPart& part, const GroupPart& whole) {
  const double launches = portion_of(part.launches, whole.launches);
  return {.time = whole.time > 0 ? part.time / whole.time : launches, .launches = launches};
}

std::vector<UnknownKernel> unknown_kernels(const TorchTrace& trace, const std::vector<MatchedLaunch>& matched,
                                           double all_us) {
  std::map<std::size_t, UnknownKernel> of_name;
  for (const auto& [launch, groups] : matched) {
    if (!groups.empty()) continue;
    for (const TorchKernel* kernel : launch->kernels) {
      UnknownKernel& unknown = of_name[kernel->name];
      unknown.name = trace.names[kernel->name];
      ++unknown.launches;
      unknown.share += portion_of(kernel->duration_us, all_us);
    }
  }
  std::vector<UnknownKernel> list;
  for (auto& [name, unknown] : of_name) list.push_back(std::move(unknown));
  std::ranges::stable_sort(list, std::greater(), &UnknownKernel::share);
  return list;
}

/// The trees over all groups, and who launched each group.
class Sums {
 public:
  Sums(const TorchLaunches& launches, OperatorUse& use) : launches_(launches), use_(use) {}

  void add(std::size_t place, const RooflinePoint& group, const Seen& seen) {
    std::map<std::string, GroupPart> of_operator;
    for (const auto& [index, sum] : seen.of_scope) {
      const TorchScope& scope = launches_.scopes[index];
      const GroupPart part = part_of(sum, seen.whole);
      GroupPart& of = of_operator.try_emplace(scope.op, GroupPart{.time = 0, .launches = 0}).first->second;
      of.time += part.time;
      of.launches += part.launches;
      if (scope.modules > 0) {
        modules_.add({scope.path.begin(), scope.path.begin() + static_cast<std::ptrdiff_t>(scope.modules)},
                     group, part);
      }
      if (scope.path.empty()) {
        add_use(use_.outside, group, part);
      } else {
        use_.groups[place].scopes.push_back({tree_.add(scope.path, group, part), part});
      }
    }
    std::vector<OperatorShare>& operators = use_.groups[place].operators;
    for (const auto& [name, part] : of_operator) {
      operators.push_back({name, part.time});
      operators_.add({name}, group, part);
    }
    std::ranges::stable_sort(operators, std::greater(), &OperatorShare::share);
  }

  void finish(double kernel_s) {
    use_.tree = tree_.list(kernel_s);
    use_.modules = modules_.list(kernel_s);
    use_.operators = operators_.list(kernel_s);
    use_.outside.share = portion_of(use_.outside.total_s, kernel_s);
    const std::vector<std::size_t> places = tree_.places();
    for (GroupOperators& group : use_.groups) {
      for (ScopeShare& share : group.scopes) share.scope = places[share.scope];
      std::ranges::stable_sort(group.scopes, std::greater(),
                               [](const ScopeShare& share) { return share.part.time; });
    }
  }

 private:
  const TorchLaunches& launches_;
  OperatorUse& use_;
  RangeTree tree_;
  RangeTree modules_;
  RangeTree operators_;
};

}  // namespace

OperatorUse operator_use(const Run& run, const ExperimentAnalysis& experiment, const TorchTrace& trace,
                         const TorchLaunches& launches, double kernel_s) {
  Candidates candidates(experiment, trace);
  const std::vector<MatchedLaunch> matched = match(candidates, launches_on(run, experiment.device, launches));
  OperatorUse use = {.has_modules = launches.has_modules, .groups = {}};
  use.groups.resize(experiment.points.size());
  double all_us = 0;
  double matched_us = 0;
  for (const auto& [launch, groups] : matched) {
    use.launches += launch->kernels.size();
    all_us += launch->duration_us;
    if (groups.empty()) continue;
    use.matched += launch->kernels.size();
    matched_us += launch->duration_us;
  }
  use.matched_trace_share = portion_of(matched_us, all_us);
  use.unknown = unknown_kernels(trace, matched, all_us);
  const std::vector<Seen> seen = seen_of(experiment.points.size(), matched);
  Sums sums(launches, use);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const RooflinePoint& point = experiment.points[i];
    if (!point.launches) continue;
    if (seen[i].of_scope.empty()) {
      add_use(use.outside, point);
      use.missing.push_back(&point);
      continue;
    }
    sums.add(i, point, seen[i]);
    use.matched_share += portion_of(point.launches->total_s, kernel_s);
    if (seen[i].is_shared) use.shared_share += portion_of(point.launches->total_s, kernel_s);
  }
  sums.finish(kernel_s);
  std::ranges::stable_sort(use.missing, std::greater(),
                           [](const RooflinePoint* group) { return group->launches->total_s; });
  return use;
}

}  // namespace rooflinectl
