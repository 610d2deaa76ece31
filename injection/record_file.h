// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/program/profile_record.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// The file into which a process's records go, readable by its user alone. It is open only while something is
/// written to it, so that a program that closes every descriptor, or reuses a number, does no harm. Member
/// functions may be called from any thread.
class RecordFile {
 public:
  /// Makes `path`, which is absolute and must not exist: what is there, a link for example, is left alone.
  explicit RecordFile(std::string path, std::uint64_t most_bytes = kMostFileBytes,
                      std::size_t most_gathered = kMostGatheredBytes);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// What gathers between two writes; on a disk that is slower, records are lost.
  static constexpr std::size_t kMostGatheredBytes = std::size_t{64} << 20;
  /// A longer file gets no more launches, transfers, ranges and samples: they are left out.
  static constexpr std::uint64_t kMostFileBytes = std::uint64_t{1} << 30;

  /// Adds a record, which is written with the next `flush`. Waits for nothing.
  void add(const ProfileRecord& record);
  /// Writes what has gathered. What cannot be written, because the disk is full for example, is lost and
  /// counted; there is never half a line between whole ones.
  void flush();

  std::uint64_t lost_records() const;
  std::uint64_t left_out_launches() const;

 private:
  const std::string path_;
  const std::uint64_t most_bytes_;
  const std::size_t most_gathered_;

  OrderedMutex<LockOrder::writing> writing_;  // the file itself
  bool is_usable_ = false;

  mutable OrderedMutex<LockOrder::records> mutex_;  // guards what follows
  std::string gathered_;
  std::uint64_t gathered_records_ = 0;
  std::uint64_t bytes_ = 0;  // of all records so far
  std::uint64_t lost_records_ = 0;
  std::uint64_t left_out_launches_ = 0;
  bool is_full_ = false;
};

}  // namespace rooflinectl::injection
