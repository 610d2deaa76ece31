// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"
#include "injection/lock_order.h"
#include "injection/ranges/range_names.h"

namespace rooflinectl::injection {

/// A path of open NVTX ranges, by its place in `NvtxPaths::text`; 0 is the empty one.
using PathId = std::uint32_t;

/// The NVTX ranges that are open in a process: pushed ones per thread, started ones for all threads. A path
/// is made where something is launched, of names as `RangeNames` folds them. All member functions may be
/// called from any thread at any time.
class NvtxPaths {
 public:
  /// Stands for an NVTX domain; the default domain is nullptr.
  using Domain = const void*;

  /// Paths that are told apart; launches in later ones are in `RangeNames::kOther`.
  static constexpr std::size_t kMostPaths = 16'384;
  static constexpr std::size_t kMostRegistered = 65'536;
  static constexpr std::size_t kLongestPath = 1024;  ///< bytes; names further within are left out

  explicit NvtxPaths(NvtxScope scope = NvtxScope::process);
  NvtxPaths(const NvtxPaths&) = delete;
  NvtxPaths& operator=(const NvtxPaths&) = delete;

  /// Opens a range on the calling thread, which closes it when it ends. Returns its depth within the domain,
  /// from 0.
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
  /// The path of a range within another one, which is no NVTX range.
  PathId within(PathId path, std::string_view name);
  /// The names along a path, joined by `/`; empty for 0.
  std::string text(PathId path) const;

  /// The same text for as long as the process lives: a program may register it, but nothing can free it. One
  /// of `kOther` if there are too many.
  const std::string* registered(const std::string& text);

  /// Ranges that were closed since the last call, by path: those within which `current` was called, that is,
  /// something was launched.
  std::vector<record::Ranges> take_closed();
  /// Whether launches are in `RangeNames::kOther` because there were too many names.
  bool has_left_out() const;

  // Around a fork: the child has nothing of other threads than the one that forked.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

 private:
  struct Range {
    Domain domain = nullptr;
    std::string name;
    std::uint64_t start_ns = 0;
    std::optional<PathId> path = {};  // once something was launched within
  };
  struct Thread {
    std::vector<Range> open;
    std::uint64_t opened = 0;  // which of all pushes its last one was
  };

  std::uint64_t calling_thread();
  void end_thread(std::uint64_t thread);
  void close(const Range& range);
  PathId path_of(Thread& thread);
  void find_last_to_open();
  PathId intern(const std::string& text);

  const NvtxScope scope_;
  const std::shared_ptr<NvtxPaths*> self_;  // for threads that end later
  std::atomic<std::uint64_t> changes_;      // of open ranges; a value is never that of another object
  mutable OrderedMutex<LockOrder::ranges> mutex_;
  std::unordered_map<std::uint64_t, Thread>
      threads_;                     // that have open ranges, by a number that is never reused
  std::uint64_t last_to_open_ = 0;  // among them; 0 if there are none
  std::uint64_t pushes_ = 0;
  std::map<std::uint64_t, Range> started_;  // by id, and so by start
  std::uint64_t next_id_ = 1;
  RangeNames names_;
  std::unordered_set<std::string> registered_ = {std::string(RangeNames::kOther)};
  std::unordered_map<std::string, PathId> paths_;
  std::vector<const std::string*> texts_;  // keys of `paths_`
  std::map<PathId, std::vector<record::Range>> closed_;
};

}  // namespace rooflinectl::injection
