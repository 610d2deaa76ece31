// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/model/profile_record.h"
#include "core/model/profile_settings.h"

namespace rooflinectl::injection {

/// A path of open NVTX ranges, by its place in `NvtxPaths::text`; 0 is the empty one.
using PathId = std::uint32_t;

/// The NVTX ranges that are open in a process: pushed ones per thread, started ones for all threads. All
/// member functions may be called from any thread at any time.
class NvtxPaths {
 public:
  /// Stands for an NVTX domain; the default domain is nullptr.
  using Domain = const void*;

  explicit NvtxPaths(NvtxScope scope = NvtxScope::process) : scope_(scope) {}
  NvtxPaths(const NvtxPaths&) = delete;
  NvtxPaths& operator=(const NvtxPaths&) = delete;

  /// Opens a range on the calling thread. Returns its depth within the domain, from 0.
  int push(Domain domain, std::string_view name);
  /// Closes the range of that domain that the calling thread opened last. Returns its depth, or a negative
  /// number where none is open.
  int pop(Domain domain);

  /// Opens a range of the whole process. Returns its id, which is never 0.
  std::uint64_t start(std::string_view name);
  /// Closes it. Ids that are not open are ignored.
  void end(std::uint64_t id);

  /// The ranges around a launch of the calling thread, from the outermost: those of the process in the order
  /// of their starts, then those of the thread.
  PathId current();
  /// The names along a path, joined by `/`; empty for 0.
  std::string text(PathId path) const;

  /// Ranges that were closed since the last call, by path: those within which `current` was called, that is,
  /// something was launched.
  std::vector<record::Ranges> take_closed();

  /// The calling thread is about to end: its ranges are closed.
  void end_thread();

 private:
  struct Range {
    Domain domain = nullptr;
    std::string name;
    std::string path;  // when it was opened
    std::uint64_t start_ns = 0;
    bool has_launches = false;
  };
  struct Thread {
    std::vector<Range> open;
    PathId path = 0;
    std::uint64_t changes = 0;  // of the process's ranges, when `path` was made
    std::uint64_t opened = 0;   // which of all pushes its last one was
  };

  void close(const Range& range);
  std::string path_of_process() const;
  void update(Thread& thread);
  void find_last_to_open();
  PathId intern(const std::string& text);

  const NvtxScope scope_;
  mutable std::mutex mutex_;
  std::unordered_map<std::uint64_t, Thread> threads_;  // by a number that is never reused
  std::uint64_t last_to_open_ = 0;  // among the threads with open ranges; 0 if there are none
  std::uint64_t pushes_ = 0;
  std::map<std::uint64_t, Range> started_;  // by id, and so by start
  std::uint64_t next_id_ = 1;
  std::uint64_t changes_ = 0;  // of `started_`
  std::unordered_map<std::string, PathId> paths_;
  std::vector<std::string> texts_ = {""};
  std::map<std::string, std::vector<record::Range>> closed_;  // by path
};

}  // namespace rooflinectl::injection
