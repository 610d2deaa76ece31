// SPDX-License-Identifier: Apache-2.0
#include "core/serial/program/timeline_file.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/files/compression.h"
#include "core/files/files.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/timeline_fields.h"

namespace rooflinectl {

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
