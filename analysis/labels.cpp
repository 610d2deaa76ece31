// SPDX-License-Identifier: Apache-2.0
#include "analysis/labels.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <map>

namespace rooflinectl {

namespace {

std::string block_text(const PointId& point) {
  return fmt::format("b{}", point.block_size);
}

std::string elements_text(const PointId& point) {
  return point.elements_per_thread ? fmt::format("e{}", *point.elements_per_thread) : std::string();
}

std::string size_text(const PointId& point) {
  constexpr std::uint64_t kSmallestPowerShown = 1024;
  const std::uint64_t n = point.n_elements;
  return n >= kSmallestPowerShown && std::has_single_bit(n) ? fmt::format("2^{}", std::countr_zero(n))
                                                            : std::to_string(n);
}

std::string dtype_text(const PointId& point) {
  return std::string(to_string(point.dtype));
}

std::string cache_text(const PointId& point) {
  return std::string(to_string(point.cache));
}

std::string launch_text(const PointId& point) {
  return point.launch_mode == LaunchMode::plain ? "plain" : "";
}

constexpr std::array kAttributeTexts = {&block_text, &elements_text, &size_text,
                                        &dtype_text, &cache_text,    &launch_text};

/// The variant's label, or its id where the label is unknown or stands for another variant of `points` too.
std::map<std::string, std::string> variant_texts(const Catalogue& catalogue,
                                                 const std::vector<PointId>& points) {
  std::map<std::string, std::string> texts;
  for (const PointId& point : points) texts[point.variant] = point.variant;
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

/// Whether points of a variant differ in each of the attributes.
using Differences = std::array<bool, kAttributeTexts.size()>;

std::map<std::string, Differences> differences(const std::vector<PointId>& points) {
  std::map<std::string, const PointId*> firsts;
  std::map<std::string, Differences> differences;
  for (const PointId& point : points) {
    const PointId& first = *firsts.emplace(point.variant, &point).first->second;
    Differences& differ = differences[point.variant];
    for (std::size_t i = 0; i < kAttributeTexts.size(); ++i) {
      differ.at(i) = differ.at(i) || kAttributeTexts.at(i)(point) != kAttributeTexts.at(i)(first);
    }
  }
  return differences;
}

}  // namespace

std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points) {
  const auto variants = variant_texts(catalogue, points);
  const auto differ = differences(points);
  std::vector<std::string> labels;
  for (const PointId& point : points) {
    std::string label = variants.at(point.variant);
    for (std::size_t i = 0; i < kAttributeTexts.size(); ++i) {
      const std::string attribute = kAttributeTexts.at(i)(point);
      if (differ.at(point.variant).at(i) && !attribute.empty()) label += fmt::format(" {}", attribute);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace rooflinectl
