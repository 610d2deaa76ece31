// SPDX-License-Identifier: Apache-2.0
#include "runner/merging/group_rows.h"

namespace rooflinectl {

void GroupRows::add(std::size_t run, const Run& measured) {
  for (const Measurement& measurement : measured.measurements) {
    if (!measurement.launches || !measurement.process) continue;
    const LaunchStatistics& all = *measurement.launches;
    Row row = {.group = place_of(measurement.point), .run = run, .device = measurement.device};
    row.launches = {.process = *measurement.process,
                    .count = all.count,
                    .traced = all.traced,
                    .total_s = all.total_s,
                    .overlapped_s = all.overlapped_s};
    if (const auto& time = measurement.time) {
      row.launches.median_s = time->median_s;
      row.launches.ci_low_s = time->ci_low_s;
      row.launches.ci_high_s = time->ci_high_s;
    }
    rows_.push_back(row);
  }
  // A merged run has the rest here.
  if (!measured.application) return;
  for (const RankGroup& group : measured.application->other_ranks) {
    const std::size_t place = place_of(group.point);
    for (const RankLaunches& launches : group.ranks) {
      const ProgramProcess* process = find_process(measured.application->processes, launches.process);
      if (process == nullptr || process->devices.empty()) continue;
      rows_.push_back({.group = place, .run = run, .device = process->devices.front(), .launches = launches});
    }
  }
}

std::size_t GroupRows::place_of(const PointId& point) {
  const auto [place, is_new] = places_.try_emplace(range_name(point), groups_.size());
  if (is_new) groups_.push_back(point);
  return place->second;
}

}  // namespace rooflinectl
