// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/devices/devices_together.h"
#include "reports/charts/layouts/layouts.h"
#include "reports/charts/parts/picture.h"
#include "reports/charts/parts/plot.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using namespace picture;

constexpr Box kFrame = {110, kPanelTop, kWidth - kMargin, kPanelBottom};
/// On the size axis, the distance from one labelled power of two to the next.
constexpr int kSizeStep = 4;

/// Around all sizes, and from the decade of the lowest bandwidth to above the highest roof and its name.
Window window_of(const Run& run, const LinkRoof& roof) {
  constexpr double kMargin = 1.25;
  constexpr double kRoomAbove = 2;
  Window window{kEmptyRange, kEmptyRange};
  for (const CollectiveTimes& times : run.collectives->times) {
    for (const CollectiveTime& time : times.sizes) {
      window.extend_to({time.bytes, bus_bytes_per_s(times.collective, time, run.devices.size())});
    }
  }
  for (const auto& value : {roof.theoretical_bytes_per_s, roof.measured_bytes_per_s}) {
    window.flop_per_s.high = std::max(window.flop_per_s.high, value.value_or(0));
  }
  window.ai = {window.ai.low / kMargin, std::max(window.ai.high, 2 * window.ai.low) * kMargin};
  window.flop_per_s = {std::pow(10, std::floor(std::log10(window.flop_per_s.low))),
                       window.flop_per_s.high * kRoomAbove};
  return window;
}

Group axes(const Plot& plot) {
  const Box& frame = plot.frame();
  Group group{.name = "axes"};
  const int last = static_cast<int>(std::floor(std::log2(plot.window().ai.high)));
  for (int power = static_cast<int>(std::ceil(std::log2(plot.window().ai.low))); power <= last; ++power) {
    const double x = plot.x(std::exp2(power));
    const bool is_labelled = power % kSizeStep == 0;
    add_vertical(group, frame, x, is_labelled, is_labelled ? format::array_size(std::exp2(power)) : "",
                 frame.bottom + 20);
  }
  for (const Tick& tick : log_ticks(plot.window().flop_per_s, frame.height())) {
    add_horizontal(group, frame, plot.y(tick.value), tick.is_decade,
                   tick.is_decade ? format::bandwidth(tick.value) : "", 8);
  }
  group.add(rectangle(frame, std::nullopt, Stroke{palette::kLeader, 1}));
  group.add_text("Bus bandwidth", {frame.left, frame.top - 10}, kPanelTitleStyle);
  group.add_text("size of the array", {frame.centre().x, frame.bottom + 42}, {13}, Anchor::middle);
  return group;
}

/// What the links deliver: from edge to edge, with its name above it.
void add_roof(Group& group, const Plot& plot, const std::string& name,
              const std::optional<double>& bytes_per_s, Dash dash) {
  if (!bytes_per_s) return;
  const Box& frame = plot.frame();
  const double y = plot.y(*bytes_per_s);
  group.add(Polyline{{{frame.left, y}, {frame.right, y}}, {palette::kMemoryRoof, 1.6, dash}});
  const bool is_measured = dash == Dash::solid;
  // The measured one is the lower of the two: its name is below it.
  group.add_text(fmt::format("{}: {}", name, format::bandwidth(*bytes_per_s)),
                 {frame.left + 8, y + (is_measured ? 18 : -6)}, kNoteStyle);
}

void add_curve(Scene& scene, const Plot& plot, const CollectiveTimes& times, std::size_t n_devices) {
  const FamilyLook look = look_of(static_cast<std::size_t>(times.collective));
  const Box clip = plot.frame().grown(6);
  const std::string_view name = collective_name(times.collective);
  Polyline line{{}, {family_colour(look), 2}};
  std::vector<Group> marks;
  for (const CollectiveTime& time : times.sizes) {
    const double bytes_per_s = bus_bytes_per_s(times.collective, time, n_devices);
    line.points.push_back(plot.at({time.bytes, bytes_per_s}));
    marks.push_back({.name = "curve-mark",
                     .title = fmt::format("{}, {}: {}, {}", name, format::array_size(time.bytes),
                                          format::bandwidth(bytes_per_s), format::duration(time.time_s)),
                     .clip = clip,
                     .shapes = {family_mark(look, line.points.back(), 3.6, MarkFill::filled)}});
  }
  scene.groups.push_back({.name = "curve", .title = std::string(name), .clip = clip, .shapes = {line}});
  scene.add(std::move(marks));
}

Group legend(const Collectives& collectives) {
  LegendRows rows;
  for (const CollectiveTimes& times : collectives.times) {
    if (times.sizes.empty()) continue;
    rows.add_curve(std::string(collective_name(times.collective)),
                   look_of(static_cast<std::size_t>(times.collective)));
  }
  return rows.take();
}

}  // namespace

bool has_collectives_picture(const Run& run) {
  return run.collectives && run.devices.size() > 1 &&
         std::ranges::any_of(run.collectives->times,
                             [](const CollectiveTimes& times) { return !times.sizes.empty(); });
}

Scene collectives_scene(const Run& run) {
  const Collectives& collectives = *run.collectives;
  ChartModel chart = ceilings_model(run);
  chart.title =
      fmt::format("Collectives over {}, {}", format::counted(run.devices.size(), "device"), collectives.nccl);
  chart.provenance = fmt::format("{}; {}", to_string(run.source), collectives.method);
  Scene scene = blank(chart);
  scene.description = fmt::format("Bus bandwidth of collectives against size. {}", chart.subtitle);
  const LinkRoof roof = link_roof(run);
  const Plot plot(kFrame, window_of(run, roof));
  Group roofs{.name = "roofs", .clip = kFrame};
  add_roof(roofs, plot, "NVLink, theoretical, one way", roof.theoretical_bytes_per_s, Dash::dashed);
  add_roof(roofs, plot, "between two devices, one way, measured", roof.measured_bytes_per_s, Dash::solid);
  scene.groups = {header(chart), legend(collectives), axes(plot), std::move(roofs)};
  for (const CollectiveTimes& times : collectives.times) {
    if (!times.sizes.empty()) add_curve(scene, plot, times, run.devices.size());
  }
  scene.groups.push_back(footer(chart));
  return scene;
}

}  // namespace rooflinectl
