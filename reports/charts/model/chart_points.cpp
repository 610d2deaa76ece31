// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "analysis/roofline/point.h"
#include "core/text/kernel_names/kernel_names.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"
#include "reports/charts/model/chart_model.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

// Executed and useful marks that are closer than this would cover each other.
constexpr double kNotableDifference = 0.02;

std::optional<PlanePoint> plane_point(const std::optional<double>& ai,
                                      const std::optional<double>& flop_per_s) {
  if (!ai || !flop_per_s || !is_drawable(*ai) || !is_drawable(*flop_per_s)) return std::nullopt;
  return PlanePoint{*ai, *flop_per_s};
}

bool differ(const PlanePoint& a, const PlanePoint& b) {
  const double limit = std::log1p(kNotableDifference);
  return std::abs(std::log(a.ai / b.ai)) >= limit || std::abs(std::log(a.flop_per_s / b.flop_per_s)) >= limit;
}

std::optional<double> dram_bytes_per_element(const RooflinePoint& point) {
  const std::uint64_t n_elements = size_of(point.measurement->point).value_or(0);
  if (!point.dram_bytes || n_elements == 0) return std::nullopt;
  return *point.dram_bytes / static_cast<double>(n_elements);
}

// The flags that a reader must know before believing the row.
std::vector<Flag> notable_flags(const RooflinePoint& point) {
  std::vector<Flag> flags;
  for (const Flag flag : {Flag::failed, Flag::unverified, Flag::above_roof, Flag::cache_resident, Flag::noisy,
                          Flag::throttled}) {
    if (std::ranges::find(point.flags, flag) != point.flags.end()) flags.push_back(flag);
  }
  return flags;
}

// As much of a kernel's full name as a reader sees: names of templates can be thousands of characters long.
std::string full_name(const RooflinePoint& point) {
  constexpr std::size_t kLongest = 300;
  const std::string& name = point.measurement->point.subject;
  return name.size() <= kLongest
             ? name
             : fmt::format("{}…", name.substr(0, valid_utf8_bytes(name.substr(0, kLongest))));
}

std::string program_sentence(const RooflinePoint& point) {
  const auto& time = point.measurement->time;
  return fmt::format(
      "{}: {} of GPU time, {} launches of {}, {} at {} FLOP/byte executed, {} of roofline{}, {} · {}",
      point.label, format::percent(point.launches ? point.launches->share : 0),
      point.measurement->launches->count, time ? format::duration(time->median_s) : "unknown time",
      executed_rate_text(point), executed_ai_text(point), fraction_text(point),
      point.roof ? fmt::format(" ({})", ceilings_text(point.roof->ceilings)) : "", bound_phrase(point),
      full_name(point));
}

std::string sentence_on(const RooflinePoint& point) {
  if (is_observed(point)) return program_sentence(point);
  const std::vector<std::string_view> flags = names_of(notable_flags(point));
  const auto& time = point.measurement->time;
  const bool is_executed = has_executed_work_alone(point);
  return fmt::format("{}: {}, {} {} at {} {}/byte, {} of roofline, {}{}{}", point.label,
                     time ? format::duration(time->median_s) : "not timed",
                     rate_text(point, main_rate(point)), is_executed ? "executed" : "useful",
                     format::optional(is_executed ? point.ai_executed : point.ai_useful,
                                      [](double ai) { return format::significant(ai); }),
                     operations_of(point), format::optional(point.fraction_of_roofline, format::percent),
                     words_for(point.bound).phrase, flags.empty() ? "" : ", ", format::joined(flags));
}

std::string level_sentence(const RooflinePoint& point, const LevelUse& use) {
  const std::string utilisation = format::optional(use.utilisation, format::percent);
  return fmt::format(
      "{} at {}: {} {} at {} {}/byte, {}", point.label, level_name(use.level),
      rate_text(point, main_rate(point)), has_executed_work_alone(point) ? "executed" : "useful",
      format::optional(use.ai, [](double ai) { return format::significant(ai); }), operations_of(point),
      use.ceiling.empty() ? "no ceiling measured" : fmt::format("{} of {}", utilisation, use.ceiling));
}

// Those of families. As many shapes as colours: see `shape_names`.
constexpr std::size_t kColours = 6;
constexpr std::size_t kShapes = kColours;

// The `member`th of those that share a colour.
FamilyLook sharing(std::size_t colour, std::size_t member) {
  return {colour, (colour + member) % kShapes};
}

struct BoundLook {
  Bound bound;
  std::size_t colour;
  std::size_t member;  // of those that share the colour
};

constexpr BoundLook kBoundLooks[] = {{Bound::dram, 0, 0},
                                     {Bound::tensor, 1, 0},
                                     {Bound::issue_slots, 2, 0},
                                     {Bound::alu, 2, 1},
                                     {Bound::xu, 2, 2},
                                     {Bound::latency, 3, 0},
                                     {Bound::memory_latency, 3, 2},
                                     {Bound::instruction_latency, 3, 3},
                                     {Bound::other_kernels, 4, 5},
                                     {Bound::bytes_in_flight, 3, 1},
                                     {Bound::launch_overhead, 6, 5},
                                     {Bound::barriers, 7, 5},
                                     {Bound::tail, 7, 0},
                                     {Bound::atomics, 7, 1},
                                     {Bound::fp64, 4, 0},
                                     {Bound::fp32, 4, 1},
                                     {Bound::fp16, 4, 2},
                                     {Bound::int32, 4, 3},
                                     {Bound::l2, 5, 0},
                                     {Bound::l1, 5, 1},
                                     {Bound::shared, 5, 2},
                                     {Bound::nvlink, 5, 3},
                                     {Bound::communication, 4, 4}};

constexpr std::size_t kFewestPoints = 3;
constexpr double kCloseFactor = 6;
// An executed mark further from its useful mark than this is left out: it would squeeze the others.
constexpr double kFarthestExecutedFactor = 10;
constexpr double kSmallestDecades = 0.6;
constexpr double kMarginDecades = 0.12;
constexpr double kHeadroom = 1.5;  // more room at the top, for the names of the roofs

bool within(double a, double b, double factor) {
  return a <= b * factor && b <= a * factor;
}

bool close(const PlanePoint& a, const PlanePoint& b, double factor) {
  return within(a.ai, b.ai, factor) && within(a.flop_per_s, b.flop_per_s, factor);
}

// Moves all points that a chain of close neighbours joins to the first of `rest` out of `rest`.
std::vector<const ChartPoint*> take_group(std::vector<const ChartPoint*>& rest) {
  std::vector<const ChartPoint*> group = {rest.front()};
  rest.erase(rest.begin());
  for (std::size_t i = 0; i < group.size(); ++i) {
    const PlanePoint member = *group[i]->useful;
    const auto is_far = [&](const ChartPoint* other) { return !close(member, *other->useful, kCloseFactor); };
    const auto near = std::stable_partition(rest.begin(), rest.end(), is_far);
    group.insert(group.end(), near, rest.end());
    rest.erase(near, rest.end());
  }
  return group;
}

Range spanned(std::vector<double> values) {
  const auto [low, high] = std::ranges::minmax_element(values);
  const double decades = std::log10(*high / *low);
  const double margin = std::pow(10, kMarginDecades + std::max(0.0, kSmallestDecades - decades) / 2);
  return {*low / margin, *high * margin};
}

Window window_around(const std::vector<const ChartPoint*>& group) {
  std::vector<double> intensities;
  std::vector<double> rates;
  const auto include = [&](const PlanePoint& mark) {
    intensities.push_back(mark.ai);
    rates.push_back(mark.flop_per_s);
  };
  for (const ChartPoint* point : group) {
    include(*point->useful);
    if (point->executed && close(*point->useful, *point->executed, kFarthestExecutedFactor)) {
      include(*point->executed);
    }
  }
  Window window = {spanned(std::move(intensities)), spanned(std::move(rates))};
  window.flop_per_s.high *= kHeadroom;
  return window;
}

}  // namespace

FamilyLook look_of(std::size_t family) {
  // From one round of colours to the next, each colour gets the next shape.
  return sharing(family % kColours, family / kColours);
}

FamilyLook look_of(Bound bound) {
  const auto* const found = std::ranges::find(kBoundLooks, bound, &BoundLook::bound);
  return found == std::end(kBoundLooks) ? FamilyLook{std::nullopt, 0} : sharing(found->colour, found->member);
}

Colour family_colour(const FamilyLook& look) {
  return look.colour ? palette::kFamilies.at(*look.colour) : palette::kMuted;
}

std::vector<LevelMark> level_marks(const RooflinePoint& point, const std::vector<MemoryLevel>& levels) {
  std::vector<LevelMark> marks;
  for (const LevelUse& use : point.levels) {
    if (std::ranges::find(levels, use.level) == levels.end()) continue;
    marks.push_back({use.level, plane_point(use.ai, main_rate(point)), level_sentence(point, use),
                     format::optional(use.utilisation, format::whole_percent),
                     use.level == point.busiest_level});
  }
  return marks;
}

ChartPoint chart_point(const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  ChartPoint chart;
  // Names of a program's kernels are long, and what tells them apart may be at their end.
  constexpr std::size_t kLongestLabel = 26;
  chart.label = is_observed(point) ? kernel_names::cut_middle(point.label, kLongestLabel) : point.label;
  chart.title = typeset(sentence_on(point));
  chart.useful = plane_point(point.ai_useful, point.flop_per_s);
  chart.executed = plane_point(point.ai_executed, point.executed_flop_per_s);
  if (chart.useful && chart.executed && !differ(*chart.useful, *chart.executed)) chart.executed.reset();
  if (has_executed_work_alone(point)) std::swap(chart.useful, chart.executed);
  if (chart.useful && point.roof && point.roof->resource == Bound::nvlink) {
    chart.link_flop_per_s = point.roof->flop_per_s;
  }
  chart.fraction_of_roofline = point.fraction_of_roofline;
  chart.fraction = point_number::kFractionOfRoofline.text_of(point);
  if (const LevelUse* dram = find_level(point, MemoryLevel::dram)) chart.dram_share = dram->utilisation;
  chart.time = point_number::kTime.text_of(point);
  if (measurement.time) {
    const LaunchTime time = mean_launch(measurement);
    if (chart.useful && is_drawable(time.low_s) && is_drawable(time.high_s)) {
      const double flops = has_executed_work_alone(point) ? *point.flops_executed : point.flops_useful;
      chart.useful_flop_per_s = Range{flops / time.high_s, flops / time.low_s};
    }
  }
  const Counters& counters = measurement.counters;
  chart.dram_bytes_per_element = format::optional(dram_bytes_per_element(point),
                                                  [](double bytes) { return format::significant(bytes); });
  chart.warp_efficiency =
      format::optional(value_of(counters, counter::kWarpExecutionEfficiency), format::whole_percent);
  chart.nonpred_warp_efficiency =
      format::optional(value_of(counters, counter::kWarpNonpredExecutionEfficiency), format::whole_percent);
  chart.redundancy = point_number::kRedundancy.text_of(point);
  chart.limit = limit_text(point);
  chart.bound = point.bound == Bound::unknown ? format::kUnavailable : bound_name(point);
  chart.is_flagged = !notable_flags(point).empty();
  if (point.launches) {
    chart.share = point.launches->share;
    chart.share_text = point_number::kShare.text_of(point);
    chart.launches = point_number::kLaunches.text_of(point);
    chart.recoverable = format::optional(point.launches->recoverable_s, format::saving);
  }
  return chart;
}

std::string flagged_points(const std::vector<RooflinePoint>& points) {
  constexpr std::size_t kMostNamed = 12;
  std::vector<Flag> order;
  std::map<Flag, std::vector<std::string>> labels;
  for (const RooflinePoint& point : points) {
    for (const Flag flag : notable_flags(point)) {
      if (!labels.contains(flag)) order.push_back(flag);
      labels[flag].push_back(point.label);
    }
  }
  std::vector<std::string> texts;
  for (const Flag flag : order) {
    const std::vector<std::string>& all = labels[flag];
    texts.push_back(all.size() <= kMostNamed
                        ? fmt::format("{}: {}", to_string(flag), format::joined(all))
                        : fmt::format("{}: {}", to_string(flag), format::counted(all.size(), "point")));
  }
  return format::joined(texts, "; ");
}

std::size_t family_index(std::vector<Family>& families, const RooflinePoint& point) {
  // Kernels of a program have no families: they are told apart by what bounds them, which looks the same
  // wherever it is drawn.
  const std::string name = is_observed(point) ? std::string(legend_name(point.bound)) : point.family;
  const auto found = std::ranges::find(families, name, &Family::name);
  if (found != families.end()) return static_cast<std::size_t>(found - families.begin());
  families.push_back({name, is_observed(point) ? look_of(point.bound) : look_of(families.size())});
  return families.size() - 1;
}

std::optional<Window> detail_window(const std::vector<ChartPoint>& points) {
  std::vector<const ChartPoint*> rest;
  for (const ChartPoint& point : points) {
    if (point.useful) rest.push_back(&point);
  }
  std::vector<const ChartPoint*> largest;
  while (!rest.empty()) {
    std::vector<const ChartPoint*> group = take_group(rest);
    if (group.size() > largest.size()) largest = std::move(group);
  }
  if (largest.size() < kFewestPoints) return std::nullopt;
  return window_around(largest);
}

}  // namespace rooflinectl
