// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/this_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <optional>
#include <vector>

namespace rooflinectl::injection {

namespace {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

/// As torchrun, Open MPI, MPICH and Slurm have it.
std::optional<int> rank_of_process() {
  for (const char* variable : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* value = std::getenv(variable)) return std::atoi(value);
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

record::Process this_process() {
  return {.process = getpid(),
          .parent = getppid(),
          .rank = rank_of_process(),
          .command_line = command_line(),
          .start_ns = now_ns()};
}

std::string record_path(const std::string& folder) {
  return fmt::format("{}/{}-{}.jsonl", folder, getpid(), now_ns());
}

}  // namespace rooflinectl::injection
