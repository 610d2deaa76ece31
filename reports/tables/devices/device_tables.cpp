// SPDX-License-Identifier: Apache-2.0
#include "reports/tables/devices/device_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "reports/text/format.h"

namespace rooflinectl {

namespace {

std::string share_text(const ScalingStep& step) {
  if (!step.share_s) return format::kUnavailable;
  return fmt::format("{} ({})", format::duration(*step.share_s),
                     format::whole_percent(*step.share_s / step.time_s));
}

std::string seconds_text(const std::optional<double>& seconds) {
  return format::optional(seconds, format::duration);
}

/// With the columns that both tables have first.
template <typename Texts>
void add_rows(Table& table, const Scaling& scaling, Texts texts) {
  for (const ScalingCurve& curve : scaling.curves) {
    for (const ScalingStep& step : curve.steps) {
      std::vector<std::string>& row = table.rows.emplace_back();
      row = {curve.label, fmt::format("{}", step.gpus), format::duration(step.time_s)};
      std::ranges::move(texts(step), std::back_inserter(row));
    }
  }
}

Table speedup_table(const Scaling& scaling) {
  Table table = {.title = scaling_title(scaling.kind),
                 .columns = {column::text("points"), column::number("GPUs"), column::number("time"),
                             column::number("all GPUs, GB/s"), column::number("speed-up"),
                             column::number("links allow"), column::number("efficiency")}};
  if (!scaling.link_missing.empty()) table.notes.push_back(fmt::format("links: {}", scaling.link_missing));
  add_rows(table, scaling, [](const ScalingStep& step) -> std::vector<std::string> {
    return {format::gigabytes(step.bytes_per_s), format::factor(step.speedup),
            format::optional(step.reachable_speedup, format::factor), format::whole_percent(step.efficiency)};
  });
  return table;
}

Table time_table(const Scaling& scaling) {
  Table table = {.title = "What the time consists of",
                 .columns = {column::text("points"), column::number("GPUs"), column::number("time"),
                             column::number("compute"), column::number("memory"), column::number("link"),
                             column::number("share"), column::number("rest")}};
  add_rows(table, scaling, [](const ScalingStep& step) -> std::vector<std::string> {
    return {seconds_text(step.compute_s), seconds_text(step.memory_s), seconds_text(step.link_s),
            share_text(step), seconds_text(step.gathering_s)};
  });
  return table;
}

std::string off_text(double off) {
  return fmt::format("{} {}", format::percent(std::abs(off)), off > 0 ? "slower" : "faster");
}

std::string device_time(const RooflinePoint* point) {
  return fmt::format("{} (device {})", format::duration(point->measurement->time->median_s),
                     point->measurement->device);
}

std::string odd_text(const PointSpread& spread) {
  return format::joined(spread.outliers, ", ", [&](const RooflinePoint* point) {
    return fmt::format("device {}: {}", point->measurement->device, off_text(spread.off_usual(*point)));
  });
}

std::string outlier_sentence(const Run& run, const OutlyingDevice& outlying) {
  const DeviceInfo& device = run.devices[outlying.device];
  return fmt::format("Device {} (GPU {}, {}) is an outlier at {} of {}, by up to {}.", outlying.device,
                     device.index, device.uuid, outlying.outliers, format::counted(outlying.points, "point"),
                     off_text(outlying.worst));
}

Table table_of(const ModelSpread& spread, std::size_t most) {
  Table table = {.title = fmt::format("{}, {}", spread.title, spread.model),
                 .columns = {column::text("point"), column::number("median"), column::number("spread"),
                             column::number("fastest"), column::number("slowest"), column::text("outliers")}};
  const std::size_t shown = std::min(most, spread.points.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PointSpread& point = spread.points[i];
    table.rows.push_back({point.label, format::duration(point.median_s),
                          format::percent(point.relative_spread), device_time(point.points.front()),
                          device_time(point.points.back()), odd_text(point)});
  }
  if (shown < spread.points.size()) {
    table.notes.push_back(
        fmt::format("… and {} with less spread", format::counted(spread.points.size() - shown, "point")));
  }
  return table;
}

/// How the points were measured, and who stands out.
Table outlying_devices_table(const Run& run, const std::vector<ModelSpread>& spreads) {
  Table table = {.title = "Outliers"};
  for (const OutlyingDevice& outlying : outlying_devices(spreads))
    table.notes.push_back(outlier_sentence(run, outlying));
  if (table.notes.empty()) table.notes.emplace_back("No device is an outlier.");
  if (run.together) {
    table.notes.emplace_back("The points were measured on all devices at once: they shared power and PCIe.");
  }
  return table;
}

}  // namespace

std::string scaling_title(ScalingKind kind) {
  return kind == ScalingKind::strong ? "Strong scaling: the same elements on more GPUs"
                                     : "Weak scaling: as many elements on each of more GPUs";
}

std::vector<Table> scaling_tables(const Scaling& scaling) {
  return {speedup_table(scaling), time_table(scaling)};
}

std::vector<Table> spread_tables(const Run& run, const std::vector<ModelSpread>& spreads, std::size_t most) {
  if (spreads.empty()) return {};
  std::vector<Table> tables = {outlying_devices_table(run, spreads)};
  for (const ModelSpread& spread : spreads) tables.push_back(table_of(spread, most));
  return tables;
}

std::vector<DeviceSection> device_sections(const Run& run, const std::vector<ModelSpread>& spreads,
                                           std::size_t most_points) {
  std::vector<DeviceSection> sections = {
      {"spread", "Spread between the devices",
       "The same points on devices of the same model. Spread: from the fastest to the slowest, over the "
       "median. Outlier: off the median of all devices (of two, the faster one) by 3 % or more and by more "
       "than the interval.",
       spread_tables(run, spreads, most_points)},
      {"links", "Links between the devices",
       "Rows: the device that bytes come from; columns: the device that they go to. Copied by a copy engine, "
       "loaded by threads of the target, or stored by threads of the source; one way, and both ways at once, "
       "where a number is the sum of both. Percentages are relative to the theoretical bandwidth of all "
       "NVLinks of a device together.",
       link_tables(run)},
      {"collectives", "Collectives",
       "Bus bandwidth: what each device has to send or receive per second, comparable with the bandwidth of "
       "its links whatever the number of devices. Algorithm bandwidth: bytes of the array over the time.",
       collective_tables(run), true}};
  std::erase_if(sections, [](const DeviceSection& section) { return section.tables.empty(); });
  return sections;
}

}  // namespace rooflinectl
