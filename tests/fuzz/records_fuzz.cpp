// SPDX-License-Identifier: Apache-2.0
// What a profiled process wrote: a record that can be decoded is still the same after encoding and decoding;
// anything else is an Error. The merge takes whatever a file holds.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/program/program_files.h"
#include "runner/profiling/points/merge.h"
#include "tests/support/temporary_folder.h"

using namespace rooflinectl;

namespace {

/// Of the record as it was read: some values are written shorter.
void check(const ProfileRecord& record) {
  const std::string once = encode(record);
  if (encode(decode_record(once)) != once) std::abort();
}

void merge(const std::string& text) {
  static const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "1.jsonl";
  write_file(file, text);
  ProfileSettings settings;
  settings.timeline_interval_ns = 100'000;
  const MergedProfile merged =
      merge_profiles({.experiment = "program", .settings = settings, .files = {{file}, {file}}});
  if (merged.details.size() != merged.measurements.size()) std::abort();
  if (!merged.timeline) return;
  for (const DeviceTimeline& device : merged.timeline->devices) {
    for (const auto& [key, values] : device.values) {
      if (values.size() != device.start_ns.size()) std::abort();
    }
    for (const TimelineLaunch& launch : device.launches) {
      if (launch.measurement >= merged.measurements.size()) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream file(text);
  try {
    visit_profile(file, "1.jsonl", check);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) std::abort();
  }
  merge(text);
  return 0;
}
