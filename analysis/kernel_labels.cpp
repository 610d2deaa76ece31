// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>

#include "core/text/kernel_name.h"

namespace rooflinectl {

namespace {

/// Without trailing ones.
std::string extent_text(std::string_view extent) {
  while (extent.ends_with("x1")) extent.remove_suffix(2);
  return std::string(extent);
}

std::string value_text(const PointId& point, std::string_view name) {
  const Axes::Value* value = point.axes.find(name);
  if (value == nullptr) return {};
  return std::visit([](const auto& content) { return fmt::format("{}", content); }, *value);
}

std::vector<std::string_view> ranges_of(std::string_view path) {
  std::vector<std::string_view> ranges;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    ranges.push_back(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return ranges;
}

/// One group of a kernel, with what may tell it from the others in the order in which a label takes it.
struct Group {
  RooflinePoint* point = nullptr;
  std::vector<std::string> details;
  std::string chosen;
};

/// The paths without the ranges that all of them begin with; but for the last of these, where one of the
/// paths is no longer.
void shorten_paths(std::vector<std::string>& paths) {
  std::vector<std::vector<std::string_view>> all;
  for (const std::string& path : paths) all.push_back(ranges_of(path));
  std::size_t common = 0;
  const auto is_common = [&](std::size_t at) {
    return std::all_of(all.begin(), all.end(), [&](const auto& ranges) {
      return at < ranges.size() && ranges[at] == all.front()[at];
    });
  };
  while (is_common(common)) ++common;
  const bool is_all_of_one =
      std::any_of(all.begin(), all.end(), [&](const auto& ranges) { return ranges.size() == common; });
  if (common > 0 && is_all_of_one) --common;
  std::vector<std::string> texts;
  for (const auto& ranges : all) {
    const auto own = std::span(ranges).subspan(common);
    texts.push_back(own.empty() ? "in no range" : fmt::format("in {}", fmt::join(own, "/")));
  }
  paths = std::move(texts);
}

std::vector<std::string> details_of(const RooflinePoint& point, const Run& run, const std::string& path) {
  const Measurement& measurement = *point.measurement;
  const auto named = [&](std::string_view name, std::string_view text) {
    const std::string value = extent_text(value_text(measurement.point, name));
    return value.empty() ? std::string() : fmt::format("{} {}", text, value);
  };
  const auto number = process_number(run, measurement);
  return {named(axis::kGrid, "grid"),
          named(axis::kBlock, "block"),
          named(axis::kCluster, "cluster"),
          named(axis::kShared, "shared"),
          path,
          measurement.rank ? fmt::format("rank {}", *measurement.rank) : "",
          number ? fmt::format("process {}", *number) : ""};
}

std::size_t count_different(const std::vector<Group>& groups, std::optional<std::size_t> with) {
  std::set<std::pair<std::string_view, std::string_view>> texts;
  for (const Group& group : groups) {
    texts.emplace(group.chosen, with ? std::string_view(group.details[*with]) : std::string_view());
  }
  return texts.size();
}

/// What all groups of a kernel differ in, as little of it as tells them apart.
void choose_details(std::vector<Group>& groups) {
  const auto add = [&](std::size_t detail) {
    for (Group& group : groups) {
      if (!group.details[detail].empty()) group.chosen += fmt::format(" {}", group.details[detail]);
    }
  };
  const std::size_t n_details = groups.front().details.size();
  for (std::size_t detail = 0; detail < n_details; ++detail) {
    if (count_different(groups, detail) == groups.size()) return add(detail);
  }
  for (std::size_t detail = 0; detail < n_details; ++detail) {
    if (count_different(groups, std::nullopt) == groups.size()) return;
    if (count_different(groups, detail) > count_different(groups, std::nullopt)) add(detail);
  }
}

}  // namespace

std::string kernel_details(const RooflinePoint& point) {
  std::string text;
  for (const std::string_view name :
       {axis::kGrid, axis::kBlock, axis::kCluster, axis::kShared, axis::kPath}) {
    const std::string value = value_text(point.measurement->point, name);
    if (!value.empty()) text += fmt::format(" {} {}", name == axis::kPath ? "in" : name, value);
  }
  return text;
}

std::optional<std::size_t> process_number(const Run& run, const Measurement& measurement) {
  if (!run.application || !measurement.process) return std::nullopt;
  const std::vector<int>& processes = run.application->processes;
  const auto found = std::find(processes.begin(), processes.end(), *measurement.process);
  if (found == processes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - processes.begin()) + 1;
}

namespace {

/// `CUDA graph of 12 nodes`, and ` #2` where another has as many.
std::string graph_name(const Measurement& measurement,
                       std::map<std::uint64_t, std::vector<std::string_view>>& graphs) {
  const std::uint64_t nodes = *measurement.launches->graph_nodes;
  std::vector<std::string_view>& alike = graphs[nodes];
  const std::string& subject = measurement.point.subject;
  auto place = std::find(alike.begin(), alike.end(), subject);
  if (place == alike.end()) place = alike.insert(alike.end(), subject);
  const auto number = place - alike.begin() + 1;
  const std::string name = fmt::format("CUDA graph of {} nodes", nodes);
  return number > 1 ? fmt::format("{} #{}", name, number) : name;
}

}  // namespace

void label_kernels(std::vector<RooflinePoint>& points, const Run& run) {
  std::vector<RooflinePoint*> kernels;
  std::vector<std::string> names;
  for (RooflinePoint& point : points) {
    if (!is_observed(point)) continue;
    kernels.push_back(&point);
    names.push_back(point.measurement->point.subject);
  }
  std::vector<std::string> short_names = distinct_short_names(names);
  std::map<std::uint64_t, std::vector<std::string_view>> graphs;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Measurement& measurement = *kernels[i]->measurement;
    if (measurement.launches->graph_nodes) short_names[i] = graph_name(measurement, graphs);
  }
  std::map<std::string_view, std::vector<RooflinePoint*>> by_kernel;
  for (std::size_t i = 0; i < kernels.size(); ++i) by_kernel[short_names[i]].push_back(kernels[i]);
  for (const auto& [name, of_kernel] : by_kernel) {
    std::vector<std::string> paths;
    for (const RooflinePoint* point : of_kernel) {
      paths.push_back(value_text(point->measurement->point, axis::kPath));
    }
    shorten_paths(paths);
    std::vector<Group> groups;
    for (std::size_t i = 0; i < of_kernel.size(); ++i) {
      groups.push_back({of_kernel[i], details_of(*of_kernel[i], run, paths[i]), {}});
    }
    if (groups.size() > 1) choose_details(groups);
    for (const Group& group : groups) group.point->label = fmt::format("{}{}", name, group.chosen);
  }
}

}  // namespace rooflinectl
