// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// Positions in ascending order, at least `spacing` apart and within `range_low` … `range_high`, with the
/// least sum of squared distances from `wanted` (ascending). The range must have room for all of them.
std::vector<double> spread(const std::vector<double>& wanted, double spacing, double range_low,
                           double range_high);

struct PlacedLabel {
  Text text;
  std::optional<Polyline> leader;  ///< from what is named to its name, where they do not touch
};

/// Finds free places for labels.
class LabelPlacer {
 public:
  /// Labels stay inside `area`.
  explicit LabelPlacer(const Box& area) : area_(area) {}

  /// Labels may not cover these.
  void block(const Box& box) { boxes_.push_back(box); }
  void block(Pixel a, Pixel b) { segments_.push_back({a, b}); }
  void block(const Polyline& line);

  /// Whether a blocked box or a label lies under any part of `box`.
  bool is_covered(const Box& box) const;

  /// Whether a label may lie here: inside the area, over no box and no line.
  bool is_free(const Box& box) const;

  /// Takes the place if it is free.
  bool take(const Text& text);

  /// Takes the places of both if the label's is free and the leader crosses no other label.
  bool take(const Text& text, const Polyline& leader);

  /// Takes the nearest free place around `point`; nothing if all places that were tried are covered.
  std::optional<PlacedLabel> place(const std::string& content, const TextStyle& style, Pixel point);

 private:
  struct Segment {
    Pixel a;
    Pixel b;
  };

  bool crosses_label(const Polyline& leader) const;

  Box area_;
  std::vector<Box> boxes_;
  std::vector<Box> labels_;
  std::vector<Segment> segments_;
};

}  // namespace rooflinectl
