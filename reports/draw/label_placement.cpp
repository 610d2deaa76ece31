// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/label_placement.h"

#include <algorithm>
#include <array>

namespace rooflinectl {
namespace {

constexpr double kClearance = 2;

// Labels that touch are moved as one.
struct Block {
  double centre_sum = 0;  // of the positions that the members want, less their offsets in the block
  std::size_t count = 0;
  double first(double spacing, double low, double high) const {
    const double height = spacing * static_cast<double>(count - 1);
    return std::clamp(centre_sum / static_cast<double>(count), low, std::max(low, high - height));
  }
};

// The label's text so that its nearest corner or edge lies `distance` from `point` in the direction (dx, dy).
Text beside(const std::string& content, const TextStyle& style, Pixel point, Pixel direction,
            double distance) {
  const Anchor anchor = direction.x > 0 ? Anchor::start : direction.x < 0 ? Anchor::end : Anchor::middle;
  const double half_height = 0.36 * style.size;  // a little less than half a capital: the text looks centred
  const double y = point.y + direction.y * (distance + half_height) + half_height;
  return {content, {point.x + direction.x * distance, y}, style, anchor};
}

}  // namespace

// Pool adjacent violators: labels that would overlap become a block at the mean of the positions that they
// want.
std::vector<double> spread(const std::vector<double>& wanted, double spacing, double range_low,
                           double range_high) {
  std::vector<Block> blocks;
  const auto first = [&](const Block& block) { return block.first(spacing, range_low, range_high); };
  const auto end = [&](const Block& block) {
    return first(block) + spacing * static_cast<double>(block.count);
  };
  for (const double want : wanted) {
    blocks.push_back({want, 1});
    while (blocks.size() > 1 && first(blocks.back()) < end(blocks[blocks.size() - 2])) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& previous = blocks.back();
      previous.centre_sum += last.centre_sum - spacing * static_cast<double>(previous.count * last.count);
      previous.count += last.count;
    }
  }
  std::vector<double> positions;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.count; ++i)
      positions.push_back(first(block) + spacing * static_cast<double>(i));
  }
  return positions;
}

void LabelPlacer::block(const Polyline& line) {
  for (std::size_t i = 1; i < line.points.size(); ++i) block(line.points[i - 1], line.points[i]);
}

bool LabelPlacer::is_covered(const Box& box) const {
  const auto is_over = [&](const Box& other) { return box.intersects(other); };
  return std::ranges::any_of(boxes_, is_over) || std::ranges::any_of(labels_, is_over);
}

bool LabelPlacer::is_free(const Box& box) const {
  return area_.contains(box) && !is_covered(box) &&
         std::ranges::none_of(segments_,
                              [&](const Segment& segment) { return box.intersects(segment.a, segment.b); });
}

bool LabelPlacer::take(const Text& text) {
  const Box box = bounds(text).grown(kClearance);
  if (!is_free(box)) return false;
  labels_.push_back(box);
  return true;
}

bool LabelPlacer::take(const Text& text, const Polyline& leader) {
  if (crosses_label(leader) || !take(text)) return false;
  block(leader);
  return true;
}

bool LabelPlacer::crosses_label(const Polyline& leader) const {
  for (std::size_t i = 1; i < leader.points.size(); ++i) {
    const auto is_crossed = [&](const Box& label) {
      return label.grown(kClearance).intersects(leader.points[i - 1], leader.points[i]);
    };
    if (std::ranges::any_of(labels_, is_crossed)) return true;
  }
  return false;
}

std::optional<PlacedLabel> LabelPlacer::place(const std::string& content, const TextStyle& style,
                                              Pixel point) {
  constexpr std::array<Pixel, 8> kDirections = {Pixel{1, 0},  Pixel{1, 1},   Pixel{1, -1}, Pixel{-1, 0},
                                                Pixel{-1, 1}, Pixel{-1, -1}, Pixel{0, 1},  Pixel{0, -1}};
  constexpr std::array kDistances = {11.0, 18.0, 30.0, 46.0, 66.0, 90.0, 120.0, 160.0};
  constexpr double kLongestWithoutLeader = 18;
  for (const double distance : kDistances) {
    for (const Pixel direction : kDirections) {
      Text text = beside(content, style, point, direction, distance);
      if (distance <= kLongestWithoutLeader) {
        if (take(text)) return PlacedLabel{std::move(text), std::nullopt};
        continue;
      }
      const Pixel end = {point.x + direction.x * (distance - 3), point.y + direction.y * (distance - 3)};
      Polyline leader{{point, end}, {palette::kLeader, 1}};
      if (take(text, leader)) return PlacedLabel{std::move(text), std::move(leader)};
    }
  }
  return std::nullopt;
}

}  // namespace rooflinectl
