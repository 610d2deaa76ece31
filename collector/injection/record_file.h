// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// The file into which a process's records go, readable by its user alone. It is open only while something is
/// written to it, so that a program that closes every descriptor, or reuses a number, does no harm. Member
/// functions may be called from any thread.
class RecordFile {
 public:
  /// Makes `path`, which is absolute and must not exist: what is there, a link for example, is left alone.
  explicit RecordFile(std::string path);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Adds a record; it is written with the next `flush`, or when enough has gathered.
  void add(const ProfileRecord& record);
  /// Writes what has gathered. What cannot be written, because the disk is full for example, is lost and
  /// counted; there is never half a line between whole ones.
  void flush();

  std::uint64_t lost_records() const;

 private:
  void write_gathered();

  const std::string path_;
  mutable std::mutex mutex_;
  std::string gathered_;
  std::uint64_t gathered_records_ = 0;
  std::uint64_t lost_records_ = 0;
  bool is_usable_ = false;
};

}  // namespace rooflinectl::injection
