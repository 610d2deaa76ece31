// SPDX-License-Identifier: Apache-2.0
#include "runner/merging/merged_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "core/error.h"
#include "runner/measuring/device_runs.h"

namespace rooflinectl {

namespace {

std::optional<int> rank_of(const RunPart& part) {
  const auto& measurements = part.run.measurements;
  return measurements.empty() ? std::nullopt : measurements.front().rank;
}

[[noreturn]] void refuse(const RunPart& part, const RunPart& other, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} and {}: {}", other.name, part.name, why),
              "merge joins the runs of one launch: name the folders of that launch alone");
}

void check_that_both_fit(const RunPart& part, const RunPart& other) {
  if (part.run.plan != other.run.plan) refuse(part, other, "they have different plans");
  if (part.run.tool_version != other.run.tool_version || part.run.tool_commit != other.run.tool_commit) {
    refuse(part, other, "different versions of rooflinectl measured them");
  }
  if (const auto rank = rank_of(part); rank && rank == rank_of(other)) {
    refuse(part, other, fmt::format("both have rank {}", *rank));
  }
  for (const DeviceInfo& device : part.run.devices) {
    for (const DeviceInfo& used : other.run.devices) {
      if (device.uuid == used.uuid) refuse(part, other, fmt::format("both are of the GPU {}", device.uuid));
    }
  }
}

/// Keeps a point that several ranks measured together where the first of them did, if it was measured.
void keep_shared_points_once(std::vector<Measurement>& measurements) {
  std::vector<Measurement> kept;
  for (Measurement& measurement : measurements) {
    const auto same = gpus_of(measurement.point) < 2
                          ? kept.end()
                          : std::find_if(kept.begin(), kept.end(), [&](const Measurement& other) {
                              return other.point == measurement.point;
                            });
    if (same == kept.end()) {
      kept.push_back(std::move(measurement));
    } else if (same->status != Status::ok && measurement.status == Status::ok) {
      *same = std::move(measurement);
    }
  }
  measurements = std::move(kept);
}

}  // namespace

Run merged_plan(std::vector<RunPart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const RunPart& a, const RunPart& b) { return rank_of(a) < rank_of(b); });
  Run all = parts.front().run;
  all.devices.clear();
  all.ceilings.clear();
  all.measurements.clear();
  all.primitives.clear();
  std::set<std::string> hosts;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    for (auto other = parts.begin(); other != part; ++other) check_that_both_fit(*part, *other);
    const Run& run = part->run;
    const std::size_t place = all.devices.size();
    all.devices.resize(place + run.devices.size());
    add_device_run(all, place, run);
    take_counter_session(all, run.counter_session);
    for (std::size_t i = place; i < all.devices.size(); ++i) all.devices[i].host = run.host;
    hosts.insert(run.host);
    all.together = all.together || rank_of(*part);
    all.wall_s = std::max(all.wall_s, run.wall_s);
    all.started_utc = std::min(all.started_utc, run.started_utc);
  }
  if (hosts.size() > 1) {
    all.host = fmt::format("{} and {} more", parts.front().run.host, hosts.size() - 1);
  } else {
    for (DeviceInfo& device : all.devices) device.host.reset();
  }
  keep_shared_points_once(all.measurements);
  return all;
}

}  // namespace rooflinectl
