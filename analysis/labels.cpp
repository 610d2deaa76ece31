// SPDX-License-Identifier: Apache-2.0
#include "analysis/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

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

constexpr std::array kAttributeTexts = {&block_text, &elements_text, &size_text, &dtype_text, &cache_text};

/// The variant's label, or its id where the label is unknown or stands for another variant of `points` too.
std::string variant_text(const Catalogue& catalogue, const std::vector<PointId>& points,
                         const std::string& id) {
  const VariantInfo* variant = catalogue.find_variant(id);
  if (variant == nullptr) return id;
  const bool shared = std::any_of(points.begin(), points.end(), [&](const PointId& other) {
    const VariantInfo* other_variant = catalogue.find_variant(other.variant);
    return other_variant != nullptr && other.variant != id && other_variant->label == variant->label;
  });
  return shared ? id : variant->label;
}

}  // namespace

std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points) {
  std::vector<std::string> labels;
  for (const PointId& point : points) {
    std::string label = variant_text(catalogue, points, point.variant);
    for (const auto& text : kAttributeTexts) {
      const std::string attribute = text(point);
      const bool differs = std::any_of(points.begin(), points.end(), [&](const PointId& other) {
        return other.variant == point.variant && text(other) != attribute;
      });
      if (differs && !attribute.empty()) label += " " + attribute;
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace rooflinectl
