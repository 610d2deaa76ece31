// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>

#include "core/machine/environment.h"
#include "core/machine/ranks.h"
#include "core/text/written_number.h"

namespace rooflinectl {

namespace {

/// The variables in which a launcher keeps the rank of a process, the number of ranks, and the rank on its
/// host.
struct LauncherVariables {
  const char* rank;
  const char* ranks;
  const char* local_rank;
  const char* launch;  ///< set only in processes that it launched; null where `rank` is
};

constexpr std::array kLaunchers = {
    LauncherVariables{"RANK", "WORLD_SIZE", "LOCAL_RANK", nullptr},
    LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", nullptr},
    LauncherVariables{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", nullptr},
    // A batch script has a rank too, and the number of tasks that it may launch.
    LauncherVariables{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_STEP_ID"}};

/// Nothing where it is not a number of at least `least`.
std::optional<int> number_in(const char* value, int least) {
  if (value == nullptr) return std::nullopt;
  const auto number = parse_number<int>(value);
  return number && *number >= least ? number : std::nullopt;
}

/// MASTER_PORT itself belongs to the launcher.
std::string address_of(const Variables& variable) {
  if (const char* const address = variable("NCCL_COMM_ID")) return address;
  const char* const host = variable("MASTER_ADDR");
  const auto port = number_in(variable("MASTER_PORT"), 1);
  return host != nullptr && port ? host + (":" + std::to_string(*port + 1)) : std::string();
}

}  // namespace

std::optional<LauncherRank> launcher_rank(const Variables& variable) {
  for (const LauncherVariables& launcher : kLaunchers) {
    if (launcher.launch != nullptr && variable(launcher.launch) == nullptr) continue;
    const auto rank = number_in(variable(launcher.rank), 0);
    if (!rank) continue;
    return LauncherRank{.rank = *rank,
                        .ranks = number_in(variable(launcher.ranks), *rank + 1),
                        .local_rank = number_in(variable(launcher.local_rank), 0),
                        .address = address_of(variable)};
  }
  return std::nullopt;
}

std::optional<LauncherRank> launcher_rank() {
  return launcher_rank([](const char* name) { return std::getenv(name); });
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

std::string uuid_text(std::span<const char, 16> bytes) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

}  // namespace rooflinectl
