// SPDX-License-Identifier: Apache-2.0
#include "core/model/launcher.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace rooflinectl {

namespace {

/// Where a launcher has the rank of a process, and how many there are.
struct LauncherVariables {
  const char* rank;
  const char* ranks;
};

constexpr std::array kLaunchers = {LauncherVariables{"RANK", "WORLD_SIZE"},
                                   LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                   LauncherVariables{"PMI_RANK", "PMI_SIZE"},
                                   LauncherVariables{"SLURM_PROCID", "SLURM_NTASKS"}};

/// Nothing where it is no number from `least` on.
std::optional<int> number_in(const char* value, int least) {
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && number >= least ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<LauncherRank> launcher_rank(const Variables& variable) {
  for (const LauncherVariables& launcher : kLaunchers) {
    const auto rank = number_in(variable(launcher.rank), 0);
    if (rank) return LauncherRank{.rank = *rank, .ranks = number_in(variable(launcher.ranks), *rank + 1)};
  }
  return std::nullopt;
}

std::optional<LauncherRank> launcher_rank() {
  return launcher_rank([](const char* name) { return std::getenv(name); });
}

}  // namespace rooflinectl
