// SPDX-License-Identifier: Apache-2.0
#include "runner/merging/shared_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace rooflinectl {

namespace {

/// Problems with one cause are listed for up to this many processes; of more, how many there are.
constexpr std::size_t kMostNamedProcesses = 3;

}  // namespace

void SharedProblems::add(ApplicationProblem problem) {
  const std::optional<int> process = std::exchange(problem.process, std::nullopt);
  auto same = std::find_if(problems_.begin(), problems_.end(),
                           [&](const Shared& known) { return known.problem == problem; });
  if (same == problems_.end())
    same = problems_.insert(same, {.problem = std::move(problem), .processes = {}});
  if (process) same->processes.insert(*process);
}

std::vector<ApplicationProblem> SharedProblems::all() const {
  std::vector<ApplicationProblem> all;
  for (const auto& [problem, processes] : problems_) {
    if (processes.empty() || processes.size() > kMostNamedProcesses) all.push_back(problem);
    if (processes.size() > kMostNamedProcesses) {
      all.back().cause += fmt::format(" (in {} processes)", processes.size());
      continue;
    }
    for (const int process : processes) all.emplace_back(problem).process = process;
  }
  return all;
}

}  // namespace rooflinectl
