// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/profile_record.h"

namespace rooflinectl {

/// One line, without the newline.
std::string encode(const ProfileRecord& record);

/// What a process wrote.
struct ProfileRecords {
  std::vector<ProfileRecord> records;
  /// Whether the last line has no end: the process ended while it wrote it, or the disk was full.
  bool is_cut_off = false;

  bool operator==(const ProfileRecords&) const = default;
};

/// Reads a file of records. `name` is used in error messages. Throws Error(environment) naming the line that
/// is no record, or that names a kernel or group that no line before it has.
ProfileRecords decode_profile(std::string_view text, std::string_view name);

}  // namespace rooflinectl
