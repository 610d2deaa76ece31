// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "analysis/roofline/point.h"
#include "core/text/kernel_name.h"
#include "core/text/kernel_names/kernel_names.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl {
namespace {

/// `b128`, `2^20`, `cold`; empty for the usual launch mode.
std::string label_part(const Axes::Axis& axis) {
  const auto* number = std::get_if<std::uint64_t>(&axis.second);
  if (number != nullptr && axis.first == axis::kGpus) {
    return fmt::format("{} {}", *number, *number == 1 ? "GPU" : "GPUs");
  }
  return number != nullptr && axis.first == axis::kSize ? elements_text(*number) : axis_text(axis);
}

/// Axes in a label: how a point is launched comes before what it works on, any other axis last.
std::size_t place_in_label(std::string_view name) {
  constexpr std::array kOrder = {axis::kBlock, axis::kElements, axis::kSize, axis::kGpus,
                                 axis::kDtype, axis::kCache,    axis::kMode};
  return static_cast<std::size_t>(std::ranges::find(kOrder, name) - kOrder.begin());
}

/// The variant's label, or its id where the label is unknown or stands for another variant of `points` too.
std::map<std::string, std::string> subject_texts(const Catalogue& catalogue,
                                                 const std::vector<PointId>& points) {
  std::map<std::string, std::string> texts;
  for (const PointId& point : points) texts[point.subject] = point.subject;
  std::map<std::string, int> uses;
  for (auto& [id, text] : texts) {
    const VariantInfo* variant = catalogue.find_variant(id);
    if (variant != nullptr) text = variant->label;
    ++uses[text];
  }
  for (auto& [id, text] : texts) {
    if (uses[text] > 1) text = id;
  }
  return texts;
}

/// By subject, the names of the axes in which its points differ, in the order of a label.
std::map<std::string, std::vector<std::string>> differing_axes(const std::vector<PointId>& points) {
  struct Values {
    std::size_t points = 0;
    std::map<std::string, std::map<Axes::Value, std::size_t>> of_axis;  // how many points have it
    std::vector<std::string> names;                                     // in the order of the points
  };
  std::map<std::string, Values> subjects;
  for (const PointId& point : points) {
    Values& values = subjects[point.subject];
    ++values.points;
    for (const auto& [name, value] : point.axes) {
      auto& of_axis = values.of_axis[name];
      if (of_axis.empty()) values.names.push_back(name);
      ++of_axis[value];
    }
  }
  std::map<std::string, std::vector<std::string>> differing;
  for (auto& [subject, values] : subjects) {
    std::vector<std::string>& names = differing[subject];
    for (const std::string& name : values.names) {
      if (values.of_axis[name].begin()->second < values.points) names.push_back(name);
    }
    std::ranges::stable_sort(names, {}, place_in_label);
  }
  return differing;
}

}  // namespace

std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points) {
  const auto subjects = subject_texts(catalogue, points);
  const auto differing = differing_axes(points);
  std::vector<std::string> labels;
  for (const PointId& point : points) {
    std::string label = subjects.at(point.subject);
    for (const std::string& name : differing.at(point.subject)) {
      const Axes::Value* value = point.axes.find(name);
      const std::string text = value == nullptr ? std::string() : label_part({name, *value});
      if (!text.empty()) label.append(" ").append(text);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

namespace {

/// Without trailing ones.
std::string extent_text(std::string_view extent) {
  while (extent.ends_with("x1")) extent.remove_suffix(2);
  return std::string(extent);
}

std::vector<std::string_view> ranges_of(std::string_view path) {
  std::vector<std::string_view> ranges;
  while (!path.empty()) ranges.push_back(take_field(path, '/'));
  return ranges;
}

/// One group of a kernel, with what may tell it from the others in the order in which a label takes it.
struct Group {
  RooflinePoint* point = nullptr;
  std::vector<std::string> details;
  std::string chosen;
};

constexpr std::size_t kLongestPath = 40;

/// This many of the innermost ranges of a path.
std::string innermost(const std::vector<std::string_view>& ranges, std::size_t count) {
  if (ranges.empty()) return "in no range";
  const auto own = std::span(ranges).last(std::min(count, ranges.size()));
  return fmt::format("in {}", fmt::join(own, "/"));
}

std::size_t count_different(const std::vector<std::string>& texts) {
  return std::set<std::string_view>(texts.begin(), texts.end()).size();
}

/// The paths, each with as few of its innermost ranges as keep different paths different.
void shorten_paths(std::vector<std::string>& paths) {
  const std::size_t different = count_different(paths);
  std::vector<std::vector<std::string_view>> all;
  std::size_t deepest = 1;
  for (const std::string& path : paths) {
    all.push_back(ranges_of(path));
    deepest = std::max(deepest, all.back().size());
  }
  std::vector<std::string> texts;
  for (std::size_t count = 1; count <= deepest; ++count) {
    texts.clear();
    for (const auto& ranges : all) texts.push_back(innermost(ranges, count));
    if (count_different(texts) == different) break;
  }
  // Generated names are long.
  std::vector<std::string> cut;
  for (const std::string& text : texts) cut.push_back(kernel_names::cut_middle(text, kLongestPath));
  paths = count_different(cut) == different ? std::move(cut) : std::move(texts);
}

std::vector<std::string> details_of(const RooflinePoint& point, const Run& run, const std::string& path) {
  const Measurement& measurement = *point.measurement;
  const auto named = [&](std::string_view name, std::string_view text) {
    const std::string value = extent_text(measurement.point.axes.written(name));
    return value.empty() ? std::string() : fmt::format("{} {}", text, value);
  };
  const auto number = process_number(run, measurement);
  return {named(axis::kGrid, "grid"),
          named(axis::kBlock, "block"),
          named(axis::kCluster, "cluster"),
          named(axis::kShared, "shared"),
          named(axis::kCode, "code"),
          path,
          measurement.rank ? fmt::format("rank {}", *measurement.rank) : "",
          number ? fmt::format("process {}", *number) : ""};
}

std::string text_of(const Group& group, const std::vector<std::size_t>& details) {
  std::string text;
  for (const std::size_t detail : details) {
    if (!group.details[detail].empty()) text += fmt::format(" {}", group.details[detail]);
  }
  return text;
}

/// How many groups have the same text of these details.
std::map<std::string, std::size_t> counts_of(const std::vector<Group>& groups,
                                             const std::vector<std::size_t>& details) {
  std::map<std::string, std::size_t> counts;
  for (const Group& group : groups) ++counts[text_of(group, details)];
  return counts;
}

/// Every single detail, every two of them, then the first three, four, …
std::vector<std::vector<std::size_t>> candidates(std::size_t n_details) {
  std::vector<std::vector<std::size_t>> all;
  for (std::size_t a = 0; a < n_details; ++a) all.push_back({a});
  for (std::size_t a = 0; a < n_details; ++a) {
    for (std::size_t b = a + 1; b < n_details; ++b) all.push_back({a, b});
  }
  std::vector<std::size_t> first = {0, 1};
  for (std::size_t a = 2; a < n_details; ++a) {
    first.push_back(a);
    all.push_back(first);
  }
  return all;
}

/// A detail that tells all groups of a kernel apart; else, for each, the fewest details that no other has in
/// combination.
void choose_details(std::vector<Group>& groups) {
  const auto all = candidates(groups.front().details.size());
  for (const auto& details : all) {
    if (details.size() > 1 || counts_of(groups, details).size() < groups.size()) continue;
    for (Group& group : groups) group.chosen = text_of(group, details);
    return;
  }
  for (const auto& details : all) {
    const auto counts = counts_of(groups, details);
    for (Group& group : groups) {
      const std::string text = text_of(group, details);
      if (group.chosen.empty() && (counts.at(text) == 1 || details == all.back())) group.chosen = text;
    }
  }
}

}  // namespace

std::string kernel_details(const RooflinePoint& point) {
  std::string text;
  for (const std::string_view name :
       {axis::kGrid, axis::kBlock, axis::kCluster, axis::kShared, axis::kCode, axis::kPath}) {
    const std::string value = point.measurement->point.axes.written(name);
    if (!value.empty()) text += fmt::format(" {} {}", name == axis::kPath ? "in" : name, value);
  }
  return text;
}

std::optional<std::size_t> process_number(const Run& run, const Measurement& measurement) {
  if (!run.application || !measurement.process) return std::nullopt;
  const std::vector<ProgramProcess>& processes = run.application->processes;
  const ProgramProcess* process = find_process(processes, *measurement.process);
  if (process == nullptr) return std::nullopt;
  return static_cast<std::size_t>(process - processes.data()) + 1;
}

namespace {

/// The name from the symbol: a subject is cut where it is very long.
std::string full_name(const Measurement& measurement) {
  const std::string& symbol = measurement.launches->symbol;
  return symbol.empty() ? measurement.point.subject : demangle(symbol);
}

/// None where two paths would read alike.
std::vector<std::string> titles_of(const std::vector<std::string>& paths) {
  std::vector<std::string> titles;
  for (const std::string& path : paths) titles.push_back(range_title(path));
  return count_different(titles) == count_different(paths) ? titles : std::vector<std::string>();
}

/// `CUDA graph of 12 nodes`, and ` #2` where another has as many.
std::string graph_name(const Measurement& measurement,
                       std::map<std::uint64_t, std::vector<std::string_view>>& graphs) {
  const std::uint64_t nodes = *measurement.launches->graph_nodes;
  std::vector<std::string_view>& alike = graphs[nodes];
  const std::string& subject = measurement.point.subject;
  auto place = std::ranges::find(alike, subject);
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
    names.push_back(full_name(*point.measurement));
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
      paths.push_back(point->measurement->point.axes.written(axis::kPath));
    }
    if (std::vector<std::string> titles = titles_of(paths); !titles.empty()) paths = std::move(titles);
    shorten_paths(paths);
    std::vector<Group> groups;
    for (std::size_t i = 0; i < of_kernel.size(); ++i) {
      groups.push_back({of_kernel[i], details_of(*of_kernel[i], run, paths[i]), {}});
    }
    if (groups.size() > 1) choose_details(groups);
    for (const Group& group : groups) {
      group.point->kernel = name;
      group.point->label = fmt::format("{}{}", name, group.chosen);
    }
  }
}

}  // namespace rooflinectl
