// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

std::string off_text(double off) {
  return fmt::format("{} {}", format::percent(std::abs(off)), off > 0 ? "slower" : "faster");
}

std::string device_time(const RooflinePoint* point) {
  return fmt::format("{} (device {})", format::duration(point->measurement->time->median_s),
                     point->measurement->device);
}

std::string odd_text(const PointSpread& spread) {
  std::vector<std::string> texts;
  for (const RooflinePoint* point : spread.outliers) {
    texts.push_back(
        fmt::format("device {}: {}", point->measurement->device, off_text(spread.off_usual(*point))));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string outlier_sentence(const Run& run, const OutlyingDevice& outlying) {
  const DeviceInfo& device = run.devices[outlying.device];
  return fmt::format("Device {} (GPU {}, {}) is an outlier at {} of {}, by up to {}.", outlying.device,
                     device.index, device.uuid, outlying.outliers, format::counted(outlying.points, "point"),
                     off_text(outlying.worst));
}

Table table_of(const ModelSpread& spread, std::size_t most) {
  Table table;
  table.title = fmt::format("{}, {}", spread.title, spread.model);
  table.columns = {{"point", false},  {"median", true},  {"spread", true},
                   {"fastest", true}, {"slowest", true}, {"outliers", false}};
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
  Table table;
  table.title = "Outliers";
  for (const OutlyingDevice& outlying : outlying_devices(spreads))
    table.notes.push_back(outlier_sentence(run, outlying));
  if (table.notes.empty()) table.notes.emplace_back("No device is an outlier.");
  if (run.together) {
    table.notes.emplace_back("The points were measured on all devices at once: they shared power and PCIe.");
  }
  return table;
}

}  // namespace

std::vector<Table> spread_tables(const Run& run, const std::vector<ModelSpread>& spreads, std::size_t most) {
  if (spreads.empty()) return {};
  std::vector<Table> tables = {outlying_devices_table(run, spreads)};
  for (const ModelSpread& spread : spreads) tables.push_back(table_of(spread, most));
  return tables;
}

}  // namespace rooflinectl
