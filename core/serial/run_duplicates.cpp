// SPDX-License-Identifier: Apache-2.0
#include "core/serial/run_duplicates.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace rooflinectl::serial {

namespace {

/// `key_of` returns what identifies an entry of the list `member` of `parent`.
template <typename T, typename KeyOf>
void refuse_in_list(const Reader& parent, std::string_view member, const std::vector<T>& entries,
                    KeyOf key_of) {
  std::map<decltype(key_of(entries.front())), std::size_t> places;
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const std::size_t first = places.try_emplace(key_of(entries[place]), place).first->second;
    if (first == place) continue;
    const Reader list = parent[member];
    std::size_t i = 0;
    list.for_each_element([&](const Reader& entry) {
      if (i++ == place) entry.fail(fmt::format("a duplicate of entry {}", first));
    });
  }
}

/// Where one process cannot be named, runs that were merged may have the same point: it differs in its time.
double time_that_identifies(const Measurement& measurement) {
  return measurement.launches && !measurement.process ? measurement.launches->total_s : 0;
}

void refuse_in_plan(const Reader& plan, const Plan& read) {
  refuse_in_list(plan, "experiments", read.experiments,
                 [](const Experiment& experiment) { return std::string_view(experiment.name); });
  const Reader experiments = plan["experiments"];
  std::size_t i = 0;
  experiments.for_each_element([&](const Reader& experiment) {
    refuse_in_list(experiment, "points", read.experiments[i++].points,
                   [](const PointId& point) { return std::tie(point.subject, point.axes); });
  });
}

}  // namespace

void refuse_duplicates(const Reader& document, const Run& run) {
  // A device that did not introduce itself has no UUID; there may be several.
  std::size_t unknown = 0;
  refuse_in_list(document, "devices", run.devices, [&](const DeviceInfo& device) {
    return std::tuple(std::string_view(device.uuid), device.host, device.uuid.empty() ? ++unknown : 0);
  });
  const Reader plan = document["plan"];
  refuse_in_plan(plan, run.plan);
  refuse_in_list(document, "ceilings", run.ceilings,
                 [](const Ceiling& ceiling) { return std::tie(ceiling.id, ceiling.source, ceiling.device); });
  refuse_in_list(document, "links", run.links, [](const LinkBandwidth& link) {
    return std::tie(link.from, link.to, link.mover, link.both_ways);
  });
  refuse_in_list(document, "measurements", run.measurements, [](const Measurement& measurement) {
    const PointId& point = measurement.point;
    return std::tuple_cat(std::tie(point.experiment, point.subject, point.axes, measurement.device,
                                   measurement.rank, measurement.process),
                          std::tuple(time_that_identifies(measurement)));
  });
  refuse_in_list(document, "primitives", run.primitives,
                 [](const PrimitiveResult& result) { return std::tie(result.info.id, result.device); });
  refuse_in_list(document, "cross_checks", run.cross_checks,
                 [](const CrossCheck& check) { return check.tool; });
}

}  // namespace rooflinectl::serial
