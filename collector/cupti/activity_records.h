// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "core/program/trace.h"

namespace rooflinectl::cupti {

/// The activity records that CUPTI has delivered and nobody has taken yet, and whether some are missing. May
/// be used from several threads: CUPTI delivers on one of its own.
class ActivityRecords {
 public:
  /// An operation and its times on the GPU. Without both times, the record counts as lost.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, std::string name);
  /// CUPTI had no room for that many records.
  void add_dropped(std::size_t count);

  /// The operations since the last call of `take` or `discard`, in the order of their starts. Throws
  /// Error(environment) if records were lost in that time, and forgets those that were not.
  std::vector<TracedOperation> take();
  /// Forgets everything delivered so far, and that some of it was lost.
  void discard();

 private:
  struct Record {
    std::uint64_t start_ns = 0;
    std::uint64_t end_ns = 0;
    std::string name;
  };

  std::mutex mutex_;
  std::vector<Record> records_;
  bool is_incomplete_ = false;
};

}  // namespace rooflinectl::cupti
