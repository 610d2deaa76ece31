// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/json/json.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/application_fields.h"
#include "core/serial/program/program_files.h"

namespace rooflinectl {

namespace serial {

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

}  // namespace serial

namespace fs = std::filesystem;

using serial::Json;
using serial::Reader;

namespace {

constexpr const char* kTimelineFormat = "rooflinectl-timeline";

void check_format(const Reader& document) {
  if (!document.has("format") || document["format"].text() != kTimelineFormat) {
    document.fail("not a timeline of rooflinectl");
  }
  const int schema = document["schema"].small_integer(1);
  if (schema == Timeline::kSchema) return;
  document["schema"].fail(
      fmt::format("{} is newer than this rooflinectl, which reads {}", schema, Timeline::kSchema));
}

void check_ascending(const Reader& starts, const std::vector<std::uint64_t>& start_ns) {
  for (std::size_t i = 1; i < start_ns.size(); ++i) {
    if (start_ns[i] < start_ns[i - 1]) starts.fail(fmt::format("sample {} begins before the last one", i));
  }
}

void check(const Reader& place, const DeviceTimeline& timeline, const Run& run) {
  const std::size_t devices = run.devices.size();
  if (timeline.device >= devices) place["device"].fail(fmt::format("the run has {} devices", devices));
  const std::size_t samples = timeline.start_ns.size();
  check_ascending(place["start_ns"], timeline.start_ns);
  if (timeline.duration_ns.size() != samples) {
    place["duration_ns"].fail(fmt::format("not {} entries", samples));
  }
  const Reader values = place["values"];
  values.for_each_member([&](const std::string& /*key*/, const Reader& column) {
    if (column.count() != samples) column.fail(fmt::format("not {} entries", samples));
  });
  const Reader launches = place["launches"];
  for (std::size_t i = 0; i < timeline.launches.size(); ++i) {
    if (timeline.launches[i].measurement < run.measurements.size()) continue;
    launches.fail(fmt::format("launch {} is of a point that the run does not have", i));
  }
}

}  // namespace

std::string timeline_to_json(const Timeline& timeline) {
  Json value = {{"format", kTimelineFormat}, {"schema", Timeline::kSchema}};
  serial::FieldWriter writer(value);
  fields(writer, timeline);
  return serial::to_text(value);
}

Timeline timeline_from_json(std::string_view text, std::string_view name, const Run& run) {
  const Json value = serial::parse_object(text, name);
  const Reader document(value, name);
  check_format(document);
  Timeline timeline = serial::read<Timeline>(document);
  std::size_t device = 0;
  const Reader devices = document["devices"];
  devices.for_each_element([&](const Reader& place) { check(place, timeline.devices[device++], run); });
  const Reader ranges = document["ranges"];
  for (std::size_t i = 0; i < timeline.ranges.size(); ++i) {
    if (timeline.ranges[i].path >= timeline.paths.size()) {
      ranges.fail(fmt::format("range {} has a path that is not there", i));
    }
  }
  return timeline;
}

fs::path timeline_file(const fs::path& run_file) {
  return run_file.parent_path() / "timeline.json.gz";
}

std::optional<Timeline> read_timeline(const fs::path& run_file, const Run& run) {
  const fs::path file = timeline_file(run_file);
  std::error_code unknown;  // reported when it is read
  if (!fs::exists(file, unknown)) return std::nullopt;
  const std::string name = file.string();
  return timeline_from_json(gunzipped(read_file(file), name, kMaxFileBytes), name, run);
}

void write_timeline(const fs::path& run_file, const Timeline& timeline) {
  write_file(timeline_file(run_file), gzipped(timeline_to_json(timeline)));
}

}  // namespace rooflinectl
