// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/failed_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace rooflinectl {

namespace {

constexpr std::size_t kMostNamed = 20;
constexpr const char* kInNoCount = "they are in no count";

}  // namespace

std::vector<ApplicationProblem> FailedLaunches::problems() const {
  std::vector<std::pair<std::pair<std::string, std::string>, std::uint64_t>> all(launches_.begin(),
                                                                                 launches_.end());
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<ApplicationProblem> problems;
  std::uint64_t others = 0;
  for (const auto& [kernel_and_error, launches] : all) {
    const auto& [subject, error] = kernel_and_error;
    if (problems.size() == kMostNamed) {
      others += launches;
      continue;
    }
    problems.push_back(
        {.cause = fmt::format("{} {} failed with {}: {}", launches, launches == 1 ? "launch" : "launches",
                              error, launches == 1 ? "it is in no count" : kInNoCount),
         .subject = subject});
  }
  if (others > 0) {
    problems.push_back({.cause = fmt::format("{} launches of {} more kernels failed: {}", others,
                                             all.size() - kMostNamed, kInNoCount)});
  }
  return problems;
}

}  // namespace rooflinectl
