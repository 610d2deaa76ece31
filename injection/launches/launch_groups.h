// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/program/profile_settings.h"
#include "core/text/names.h"
#include "injection/launch.h"
#include "injection/launches/counting_session.h"
#include "injection/launches/kernels.h"
#include "injection/lock_order.h"
#include "injection/ranges/nvtx_paths.h"

namespace rooflinectl::injection {

/// Launches of one kernel, of one shape, under one NVTX path, in one context.
struct LaunchGroup {
  CountingSession* session = nullptr;  ///< of the context
  std::uint64_t record = 0;            ///< its id in records
  GroupId id = 0;                      ///< in the session, with which other groups may share their samples
};

/// Which launches belong together. Each group is written down when it is first seen, and introduced to the
/// session of its context. Member functions may be called from any thread.
class LaunchGroups {
 public:
  using Sink = std::function<void(const ProfileRecord&)>;

  /// Groups of a process; launches in later ones are left out.
  static constexpr std::size_t kMostGroups = 32'768;
  /// Groups whose paths differ in numbers only are sampled each for itself, up to this many.
  static constexpr int kMostNumbers = 8;

  /// What tells a launch's group from others.
  struct Key {
    Handle context = nullptr;
    Kernel* kernel = nullptr;
    PathId path = 0;
    record::Extent grid{};
    record::Extent block{};
    record::Extent cluster{};
    std::uint64_t dynamic_shared_bytes = 0;
    /// Of a collective, if known. Launches with messages of all sizes are sampled together.
    std::optional<std::uint64_t> message_bytes;
    bool is_in_graph = false;

    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): there is no null
  };

  /// `settings` and `paths` must outlive it, and so must the sessions of the groups.
  LaunchGroups(const ProfileSettings& settings, NvtxPaths& paths, Sink sink,
               std::size_t most_groups = kMostGroups);

  /// The group of that key, if it was added.
  std::optional<LaunchGroup> find(const Key& key);
  /// Adds it, unless another thread has. `place`: which launch of a kernel with its symbol this is, from 1;
  /// nothing in a graph. Nothing if there are too many.
  std::optional<LaunchGroup> add(const Key& key, CountingSession& session, int device, const Launch& launch,
                                 std::optional<int> blocks_per_sm, std::optional<std::uint64_t> place);

  /// The context was destroyed: its handle may be another one's later.
  void forget(Handle context);

 private:
  /// Paths that differ in numbers only.
  struct PathPattern {
    PathId first = 0;
    int paths = 0;
  };

  PathId path_to_sample(PathId path);
  GroupId add_to_session(CountingSession& session, const Key& key, std::uint64_t record);

  const ProfileSettings& settings_;
  const LaunchFilter filter_;
  const std::set<std::string> only_;
  NvtxPaths& paths_;
  const Sink sink_;
  const std::size_t most_groups_;

  OrderedMutex<LockOrder::groups> mutex_;
  std::map<Key, LaunchGroup> groups_;
  std::map<Key, GroupId> sampled_;  // with all paths of a pattern, and all sizes of messages, in one
  std::unordered_map<std::string, PathPattern> path_patterns_;
  std::unordered_map<PathId, PathId> sampled_paths_;  // whose launches each path's are sampled with
  std::uint64_t count_ = 0;
  bool is_full_ = false;
};

}  // namespace rooflinectl::injection
