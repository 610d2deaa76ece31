// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

namespace rooflinectl {

/// Which of the processes that a launcher started together a process is.
struct LauncherRank {
  int rank = 0;
  std::optional<int> ranks;  ///< how many there are; nothing where the launcher does not tell

  /// Whether others run with it: they may wait for each other.
  bool has_others() const { return ranks.value_or(2) > 1; }
  bool operator==(const LauncherRank&) const = default;
};

/// The value of an environment variable, null where there is none.
using Variables = std::function<const char*(const char* name)>;

/// The rank of a process with these variables, as torchrun, Open MPI, MPICH (and its relatives) and Slurm set
/// them, the innermost launcher first: torchrun may run below srun. Nothing where none of them started it.
std::optional<LauncherRank> launcher_rank(const Variables& variable);

/// Of this process.
std::optional<LauncherRank> launcher_rank();

}  // namespace rooflinectl
