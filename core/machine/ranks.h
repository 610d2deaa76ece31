// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/point_id.h"

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

// Which processes of a profiled program ran together, and where. A rank is one of those that a launcher
// (torchrun, mpirun, srun) started.

/// A host that processes of the program ran on.
struct ProgramHost {
  std::string name;
  /// Identifies one boot of a system: hosts, or containers, with the same one share a monotonic clock.
  /// Empty where it could not be read.
  std::string boot_id;
  std::uint64_t clock_ns = 0;  ///< what its monotonic clock read at time 0 of the run
  /// By how much its times may be off from those of the first host: 0 where they share a clock. Nothing where
  /// the two could not be aligned: then its first launch is at time 0 too.
  std::optional<double> uncertainty_s;

  bool operator==(const ProgramHost&) const = default;
};

/// A launch of a collective's kernel. Times are since time 0 of the run, that of the first traced launch.
struct CollectiveLaunch {
  std::size_t kernel = 0;  ///< its place in `Application::collectives`
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;

  std::uint64_t end_ns() const { return start_ns + duration_ns; }
  bool operator==(const CollectiveLaunch&) const = default;
};

/// The most that a process has: the newest ones, since counting holds the program up at first; and, to find
/// those that waited for ranks of other runs, the first ones of the time in which the program was held.
inline constexpr std::size_t kMostCollectives = 2048;
inline constexpr std::size_t kMostHeldCollectives = 8192;
/// The same over all processes of a merged run.
inline constexpr std::size_t kMostCollectivesOfRun = std::size_t{1} << 20;

struct ProgramProcess {
  /// As on its system; where processes of several hosts have the same id, the next free one.
  int id = 0;
  std::optional<int> rank;
  std::optional<int> ranks;                   ///< how many the launcher started, if it tells
  std::size_t host = 0;                       ///< its place in `Application::hosts`
  std::vector<std::size_t> devices;           ///< that it used: their places in `Run::devices`
  std::vector<CollectiveLaunch> collectives;  ///< by their starts
  /// When its launches were held, by their starts; empty in older runs, where the passes tell it less
  /// exactly.
  std::vector<Hold> holds;

  bool operator==(const ProgramProcess&) const = default;
};

/// A collective's kernel within NVTX ranges, for messages of one size, whatever its shape.
struct CollectiveKernel {
  std::string subject;  ///< as that of the points
  std::string path;     ///< of the NVTX ranges; empty for none
  /// Of one message, as NCCL counts them: of the array that all have, or of one rank's part of it in an
  /// all-gather or reduce-scatter. Nothing where NCCL did not tell, or where one kernel served several calls.
  std::optional<std::uint64_t> bytes;

  auto operator<=>(const CollectiveKernel&) const =
      default;  // NOLINT(modernize-use-nullptr): there is no null
};

/// What the launches of a group took in one process.
struct RankLaunches {
  int process = 0;           ///< its id
  std::uint64_t count = 0;   ///< seen, traced or not
  std::uint64_t traced = 0;  ///< those with a time
  double total_s = 0;        ///< sum of the times of the traced ones
  double median_s = 0;       ///< 0 where none was traced, like the two below
  double ci_low_s = 0;       ///< 95 % confidence interval of the median
  double ci_high_s = 0;
  double overlapped_s = 0;  ///< as `LaunchStatistics::overlapped_s`

  bool operator==(const RankLaunches&) const = default;
};

/// A group in those processes for which a merged run has no measurements.
struct RankGroup {
  PointId point;
  std::vector<RankLaunches> ranks;

  bool operator==(const RankGroup&) const = default;
};

/// The place of a process among those that a launcher started together.
struct LauncherRank {
  int rank = 0;
  std::optional<int> ranks;  ///< how many there are; nothing where the launcher does not tell
  /// Its place among those on its host; nothing where the launcher does not tell.
  std::optional<int> local_rank;
  /// `host:port` of the first rank, for NCCL to connect them: NCCL_COMM_ID, or the port above MASTER_PORT on
  /// MASTER_ADDR; empty if neither is set.
  std::string address;

  bool is_first() const { return rank == 0; }
  /// Whether others run with it: they may wait for each other.
  bool has_others() const { return ranks.value_or(2) > 1; }
  bool operator==(const LauncherRank&) const = default;
};

/// The value of an environment variable, null where there is none.
using Variables = std::function<const char*(const char* name)>;

/// The rank of a process with these variables, as torchrun, Open MPI, MPICH (and its relatives) and Slurm set
/// them, the innermost launcher first: torchrun may run below srun. Nothing where none of them started it, as
/// in a Slurm batch script outside of srun.
std::optional<LauncherRank> launcher_rank(const Variables& variable);

/// Of this process.
std::optional<LauncherRank> launcher_rank();

}  // namespace rooflinectl
