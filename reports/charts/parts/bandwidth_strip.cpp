// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/charts/parts/panels.h"
#include "reports/charts/parts/plot.h"
#include "reports/draw/label_placement.h"

namespace rooflinectl {
namespace {

constexpr TextStyle kRankStyle = {12, Weight::semibold};
// A little more than all of it, so that the mark of a kernel at the ceiling is whole.
constexpr double kHighestShare = 1.1;

bool is_in_strip(const ChartPoint& point) {
  return point.share && !point.useful && point.dram_share;
}

double y_of(const Box& frame, double share) {
  return frame.bottom - frame.height() * std::clamp(share / kHighestShare, 0.0, 1.0);
}

Group axes(const Box& frame) {
  constexpr int kTicks = 5;
  Group group{.name = "axes"};
  for (int i = 0; i <= kTicks; ++i) {
    const double share = static_cast<double>(i) / kTicks;
    add_horizontal(group, frame, y_of(frame, share), true, fmt::format("{:.0f} %", 100 * share), 7);
  }
  group.add(rectangle(frame, std::nullopt, Stroke{palette::kLeader, 1}));
  group.add_text("Share of DRAM bandwidth; no FLOP, or not counted", {frame.left - 50, frame.centre().y},
                 {13}, Anchor::middle, Direction::upwards);
  return group;
}

/// Marks of kernels that are equally fast stand side by side, as far as there is room.
class Places {
 public:
  explicit Places(const Box& frame) : frame_(frame) {}

  Pixel take(double y, double radius) {
    const double middle = frame_.centre().x;
    const double most = frame_.width() / 2 - radius;
    Pixel place = {middle, y};
    constexpr double kStep = 4;
    for (double offset = 0; offset <= most; offset = offset > 0 ? -offset : -offset + kStep) {
      if (offset < -most) continue;
      const Pixel wanted = {middle + offset, y};
      if (is_free(wanted, radius)) {
        place = wanted;
        break;
      }
    }
    taken_.push_back({place, radius});
    return place;
  }

 private:
  struct Mark {
    Pixel centre;
    double radius;
  };

  bool is_free(Pixel place, double radius) const {
    return std::ranges::none_of(taken_, [&](const Mark& mark) {
      return std::hypot(mark.centre.x - place.x, mark.centre.y - place.y) < mark.radius + radius;
    });
  }

  Box frame_;
  std::vector<Mark> taken_;
};

}  // namespace

bool has_bandwidth_strip(const ChartModel& chart) {
  return std::ranges::any_of(chart.points, is_in_strip);
}

std::vector<Group> bandwidth_strip(const Box& frame, const ChartModel& chart) {
  constexpr std::size_t kMostRanks = 10;
  std::vector<Group> groups = {axes(frame)};
  Places places(frame);
  LabelPlacer placer(frame);
  struct Ranked {
    std::size_t rank;
    Pixel at;
  };
  std::vector<Ranked> ranked;
  for (const std::size_t i : list_order(chart)) {
    const ChartPoint& point = chart.points[i];
    if (!is_in_strip(point)) continue;
    const double radius = mark_radius(point, 0);
    const Pixel at = places.take(y_of(frame, *point.dram_share), radius);
    groups.push_back({.name = "point",
                      .point = i,
                      .title = point.title,
                      .clip = frame.grown(radius),
                      .shapes = {family_mark(point.look, at, radius, MarkFill::filled)}});
    placer.block(square(at, radius + 1));
    if (ranked.size() < kMostRanks) ranked.push_back({point.rank, at});
  }
  Group labels{.name = "labels"};
  for (const Ranked& mark : ranked) {
    const auto label = placer.place(fmt::format("{}", mark.rank), kRankStyle, mark.at);
    if (!label) continue;
    if (label->leader) labels.add(*label->leader);
    labels.add(label->text);
  }
  groups.push_back(std::move(labels));
  return groups;
}

}  // namespace rooflinectl
