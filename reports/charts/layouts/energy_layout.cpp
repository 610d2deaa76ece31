// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "analysis/roofline/point.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr double kRowsBottom = 836;
constexpr double kLargestRow = 96;
constexpr double kSmallestRow = 16;
constexpr double kWidestLabel = 260;
constexpr double kLabelGap = 14;
constexpr double kBarsGap = 40;
constexpr double kValueRoom = 126;  // right of the longest bar
constexpr double kValueGap = 8;

using Use = std::optional<EnergyUse>;

/// What one panel shows of each row.
struct PanelQuantity {
  std::string title;
  std::string unit;
  std::function<std::optional<double>(const EnergyUse&)> value;
  std::function<std::string(double)> text;
};

/// Operations per joule, or bytes where the work of a point has no operations: a panel has one unit.
PanelQuantity efficiency(const ExperimentAnalysis& experiment) {
  const auto& points = experiment.points;
  const auto has_operations = [](const RooflinePoint& point) { return point.flops_useful > 0; };
  const auto is_float = [](const RooflinePoint& point) { return !is_integer(point.precision); };
  const bool by_operations = std::ranges::all_of(points, has_operations);
  const bool is_of_floats = std::ranges::all_of(points, is_float);
  const std::string unit = fmt::format("{}/J", !by_operations ? "B"
                                               : is_of_floats ? format::kFlops
                                                              : format::kOps);
  return {"Useful work per joule", unit,
          [by_operations](const EnergyUse& use) {
            return by_operations ? use.operations_per_joule : use.bytes_per_joule;
          },
          [unit](double value) { return format::amount(value, unit); }};
}

std::array<PanelQuantity, 3> quantities_of(const ExperimentAnalysis& experiment) {
  return {PanelQuantity{"Energy per launch", "J",
                        [](const EnergyUse& use) { return std::optional(use.joules); }, format::energy},
          efficiency(experiment),
          PanelQuantity{"Mean power", "W",
                        [](const EnergyUse& use) { return std::optional(use.mean_power_w); }, format::power}};
}

/// Where the values of a panel lie. Bars begin at zero; values that differ too much for bars are dots on a
/// logarithmic axis.
class Axis {
 public:
  Axis(const Box& frame, const std::vector<double>& values) : frame_(frame) {
    constexpr double kMostForBars = 50;
    const double bars = 1 - kValueRoom / frame.width();
    Range range = kEmptyRange;
    for (const double value : values) {
      if (value > 0) range.extend_to(value);
    }
    if (range.high <= 0) return;
    is_log_ = range.high > kMostForBars * range.low;
    const double low = std::pow(10, std::floor(std::log10(range.low)));
    range_ = is_log_ ? Range{low, low * std::pow(range.high / low, 1 / bars)} : Range{0, range.high / bars};
  }

  bool is_log() const { return is_log_; }

  double x(double value) const {
    if (!is_log_) return frame_.left + frame_.width() * value / range_.high;
    const double part =
        std::log(std::max(value, range_.low) / range_.low) / std::log(range_.high / range_.low);
    return frame_.left + frame_.width() * part;
  }

  std::vector<Tick> ticks() const {
    if (range_.high <= 0) return {};
    if (is_log_) return log_ticks(range_, frame_.width());
    constexpr double kSpacing = 84;
    const double step = round_step(range_.high * kSpacing / frame_.width());
    std::vector<Tick> ticks;
    for (int i = 0; i * step <= range_.high; ++i) ticks.push_back({i * step, true, true});
    return ticks;
  }

 private:
  Box frame_;
  Range range_;
  bool is_log_ = false;
};

struct BarPanel {
  Box frame;
  Axis axis;
  PanelQuantity quantity;
};

Group bar_axes(const BarPanel& panel) {
  const Box& frame = panel.frame;
  const std::vector<Tick> ticks = panel.axis.ticks();
  Group group{.name = "axes"};
  for (const Tick& tick : ticks) {
    const double like = panel.axis.is_log() ? tick.value : ticks.back().value;
    add_vertical(group, frame, panel.axis.x(tick.value), tick.is_decade,
                 tick.is_labelled ? format::tick(tick.value, like, panel.quantity.unit) : "", frame.top - 6,
                 kSmallTickStyle);
  }
  group.add(rectangle(frame, std::nullopt, Stroke{palette::kLeader, 1}));
  group.add_text(panel.quantity.title + (panel.axis.is_log() ? ", logarithmic" : ""),
                 {frame.left, frame.top - 26}, kPanelTitleStyle);
  return group;
}

/// A bar from zero, or a dot where there is no zero, and the number beside its end.
void draw_value(Group& group, const BarPanel& panel, std::optional<double> value, const FamilyLook& look,
                double y, double thickness, const TextStyle& style) {
  const Box& frame = panel.frame;
  const auto add_text = [&](const std::string& text, double x) {
    group.add_text(text, {x + kValueGap, y + 0.36 * style.size}, style);
  };
  if (!value) return add_text(format::kUnavailable, frame.left);
  const double x = panel.axis.x(*value);
  if (panel.axis.is_log()) {
    const double radius = std::min(6.0, thickness / 2);
    group.add(family_mark(look, {x, y}, radius, MarkFill::filled));
    add_text(panel.quantity.text(*value), x + radius);
    return;
  }
  group.add(rectangle({frame.left, y - thickness / 2, x, y + thickness / 2}, family_colour(look)));
  add_text(panel.quantity.text(*value), x);
}

std::string row_title(const RooflinePoint& point, const Use& use, const std::vector<BarPanel>& panels) {
  if (!use) return fmt::format("{}: energy unavailable: {}", point.label, energy_missing(point));
  const auto text = [&](const BarPanel& panel) {
    return format::optional(panel.quantity.value(*use), panel.quantity.text);
  };
  return fmt::format("{}: {}", point.label, format::joined(panels, ", ", text));
}

Group row(const RooflinePoint& point, const ChartPoint& shown, std::size_t index,
          const std::vector<BarPanel>& panels, double label_width, double y, double pitch) {
  const double size = std::min(15.0, pitch * 0.75);
  const double baseline = y + 0.36 * size;
  const TextStyle style = {size};
  const TextStyle strong = {size, Weight::semibold};
  const Use use = energy_use(point);
  Group group{.name = "energy", .point = index, .title = row_title(point, use, panels)};
  const std::string label = shown.is_flagged ? shown.label + " *" : shown.label;
  group.add_fitted(label, {kMargin, baseline}, strong, label_width);
  if (!use) {
    const double left = panels.front().frame.left + kValueGap;
    const TextStyle muted = {size, Weight::regular, palette::kMuted};
    const std::string text = fmt::format("unavailable: {}", energy_missing(point));
    const Text reason = {fitted(text, muted, kWidth - kMargin - left), {left, baseline}, muted};
    group.add(rectangle(bounds(reason), palette::kPaper));
    group.add(reason);
    return group;
  }
  for (const BarPanel& panel : panels) {
    draw_value(group, panel, panel.quantity.value(*use), shown.look, y, std::min(32.0, 0.6 * pitch), style);
  }
  return group;
}

std::optional<double> power_limit_w(const DeviceInfo& device) {
  return device.settings ? device.settings->power_limit_w : std::nullopt;
}

Group legend(const DeviceInfo& device, const ChartModel& chart) {
  LegendRows rows;
  for (const Family& family : chart.families) rows.add_colour(family.name, family_colour(family.look));
  if (const auto limit = power_limit_w(device)) {
    rows.add_line("power limit " + format::power(*limit), {palette::kMemoryRoof, 1.6, Dash::dashed});
  }
  return rows.take();
}

/// Three of them side by side, over the rows of the points `shown`.
std::vector<BarPanel> panels_over(const Run& run, const ExperimentAnalysis& experiment,
                                  const std::vector<std::size_t>& shown, double left, double bottom) {
  const std::array<PanelQuantity, 3> quantities = quantities_of(experiment);
  const double width = (kWidth - kMargin - left - 2 * kBarsGap) / 3;
  std::vector<BarPanel> panels;
  for (const PanelQuantity& quantity : quantities) {
    std::vector<double> values;
    for (const std::size_t index : shown) {
      const Use use = energy_use(experiment.points[index]);
      if (const auto value = use ? quantity.value(*use) : std::nullopt) values.push_back(*value);
    }
    const auto limit = power_limit_w(run.devices[experiment.device]);
    if (&quantity == &quantities.back() && limit && !values.empty()) values.push_back(*limit);
    const Box frame = {left, kPanelTop, left + width, bottom};
    panels.push_back({frame, Axis(frame, values), quantity});
    left += width + kBarsGap;
  }
  return panels;
}

Group limit_line(const BarPanel& power, double limit_w) {
  const double x = power.axis.x(limit_w);
  return {.name = "roofs",
          .clip = power.frame,
          .shapes = {Polyline{{{x, power.frame.top}, {x, power.frame.bottom}},
                              {palette::kMemoryRoof, 1.6, Dash::dashed}}}};
}

}  // namespace

Scene energy_scene(const Run& run, const ExperimentAnalysis& experiment, const ChartModel& experiment_chart) {
  ChartModel chart = experiment_chart;
  chart.provenance = fmt::format(
      "{}; energy of the whole board, including idle power, metered during back-to-back launches with caches "
      "as the previous launch left them",
      to_string(run.source));
  Scene scene = blank(chart);
  scene.description = fmt::format("Energy of launches. {}. {}.", chart.subtitle, chart.provenance);

  const auto capacity = static_cast<std::size_t>((kRowsBottom - kPanelTop) / kSmallestRow) - 1;
  const std::vector<std::size_t> shown = notable_points(experiment, capacity);
  const double pitch = std::min(
      kLargestRow, (kRowsBottom - kPanelTop) / static_cast<double>(std::max<std::size_t>(shown.size(), 1)));
  double label_width = 0;
  for (const std::size_t index : shown) {
    label_width = std::max(label_width, text_width(chart.points[index].label + " *", kLabelStyle));
  }
  label_width = std::min(std::ceil(label_width), kWidestLabel);

  const double bottom = kPanelTop + pitch * static_cast<double>(shown.size());
  const std::vector<BarPanel> panels =
      panels_over(run, experiment, shown, kMargin + label_width + kLabelGap, bottom);
  scene.groups = {header(chart), legend(run.devices[experiment.device], chart)};
  for (const BarPanel& panel : panels) scene.groups.push_back(bar_axes(panel));
  double y = kPanelTop + pitch / 2;
  for (const std::size_t index : shown) {
    scene.groups.push_back(
        row(experiment.points[index], chart.points[index], index, panels, label_width, y, pitch));
    scene.description += " " + scene.groups.back().title + ".";
    y += pitch;
  }
  if (const auto limit = power_limit_w(run.devices[experiment.device]))
    scene.groups.push_back(limit_line(panels.back(), *limit));
  if (shown.size() < experiment.points.size()) {
    Group& rest = scene.groups.emplace_back(Group{.name = "panel-rest"});
    rest.add_text(fmt::format("and {} more in points.csv", experiment.points.size() - shown.size()),
                  {kMargin, bottom + 18}, kNoteStyle);
  }
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
