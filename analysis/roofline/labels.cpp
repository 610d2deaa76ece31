// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

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
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), name) - kOrder.begin());
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
    std::stable_sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return place_in_label(a) < place_in_label(b);
    });
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

}  // namespace rooflinectl
