// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooflinectl {

/// A time during which launches of a process waited for rooflinectl, to count one of them or to change the
/// pass. In a run, since its time 0; those that began before are cut there.
struct Hold {
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  std::uint64_t end_ns() const { return start_ns + duration_ns; }
  bool operator==(const Hold&) const = default;
};

/// The most that a run keeps of a process.
inline constexpr std::size_t kMostHolds = 4096;

/// The holds of all processes that take part in the same collectives. A collective ends on all of its ranks
/// when the last one has arrived, so each of them waits for a rank that is held, or that is late because it
/// was held since the collective before.
class Holds {
 public:
  /// In any order; they may overlap.
  explicit Holds(std::vector<Hold> holds);

  /// Whether a launch of a collective waited for a hold: one touches the time from the end of the collective
  /// before it, 0 if there was none, to its own end.
  bool delay(std::uint64_t previous_end_ns, std::uint64_t end_ns) const;

  /// By their starts; none touches another.
  const std::vector<Hold>& list() const { return holds_; }

  /// Joins those that are closest to each other until no more than `most` are left, which is not 0.
  void join_to(std::size_t most);

 private:
  std::vector<Hold> holds_;
};

}  // namespace rooflinectl
