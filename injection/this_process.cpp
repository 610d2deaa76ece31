// SPDX-License-Identifier: Apache-2.0
#include "injection/this_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "core/machine/environment.h"
#include "core/machine/ranks.h"

namespace rooflinectl::injection {

namespace {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

record::Process this_process() {
  const auto launched = launcher_rank();
  return {.process = getpid(),
          .parent = getppid(),
          .rank = launched ? std::optional(launched->rank) : std::nullopt,
          .ranks = launched ? launched->ranks : std::nullopt,
          .host = host_name(),
          .boot_id = boot_id(),
          .command_line = command_line(),
          .start_ns = now_ns()};
}

std::string record_path(const std::string& folder) {
  return fmt::format("{}/{}-{}.jsonl", folder, getpid(), now_ns());
}

}  // namespace rooflinectl::injection
