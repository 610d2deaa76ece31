// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/rules.h"
#include "core/program/timeline.h"
#include "core/serial/fields/application_fields.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<DeviceTimeline> auto& timeline) {
  f("device", timeline.device);
  f("interval_ns", timeline.interval_ns);
  f("began_ns", timeline.began_ns);
  f("start_ns", timeline.start_ns, AtMost{kMostSamples});
  f("duration_ns", timeline.duration_ns, AtMost{kMostSamples});
  f("values", timeline.values);
  f("metrics", timeline.metrics);
  f("left_out", timeline.left_out);
  f.optional_rows("power", timeline.power, &TimelinePower::at_ns, &TimelinePower::watts);
  f.rows("launches", timeline.launches, &TimelineLaunch::measurement, &TimelineLaunch::stream,
         &TimelineLaunch::start_ns, &TimelineLaunch::duration_ns);
  f.rows("transfers", timeline.transfers, &TimelineTransfer::kind, &TimelineTransfer::start_ns,
         &TimelineTransfer::duration_ns);
}

void fields(auto& f, Is<Timeline> auto& timeline) {
  f("devices", timeline.devices);
  f("paths", timeline.paths);
  f.rows("ranges", timeline.ranges, &TimelineRange::path, &TimelineRange::process, &TimelineRange::start_ns,
         &TimelineRange::duration_ns);
}

}  // namespace rooflinectl::serial
