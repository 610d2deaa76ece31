// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rooflinectl {

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
