// SPDX-License-Identifier: Apache-2.0
#include "runner/merging/rank_differences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/text/number_ranges.h"

namespace rooflinectl {

namespace {

/// `train.py (ranks 0–3), test.py (ranks 4–7)`
std::string values_text(const std::map<std::string, std::vector<int>>& ranks_by_value) {
  std::vector<std::string> texts;
  for (const auto& [value, ranks] : ranks_by_value) {
    texts.push_back(ranks.empty() ? value : fmt::format("{} (ranks {})", value, number_ranges(ranks)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::vector<ApplicationProblem> differences_of(const std::vector<const RunPart*>& parts) {
  std::map<std::string, std::vector<int>> programs;
  std::map<std::string, std::vector<int>> versions;
  for (const RunPart* part : parts) {
    const Run& run = part->run;
    auto& of_program = programs[run.plan.name];
    auto& of_version = versions[fmt::format("{} ({})", run.tool_version, run.tool_commit)];
    for (const ProgramProcess& process : run.application->processes) {
      if (!process.rank) continue;
      of_program.push_back(*process.rank);
      of_version.push_back(*process.rank);
    }
  }
  std::vector<ApplicationProblem> problems;
  if (programs.size() > 1) {
    problems.push_back({.cause = fmt::format("the ranks ran different programs: {}", values_text(programs))});
  }
  if (versions.size() > 1) {
    problems.push_back(
        {.cause = fmt::format("the ranks were profiled by different versions of rooflinectl: {}",
                              values_text(versions))});
  }
  return problems;
}

std::vector<ApplicationProblem> missing_ranks(const Application& merged) {
  int ranks = 0;
  std::set<int> present;
  for (const ProgramProcess& process : merged.processes) {
    if (!process.rank) continue;
    present.insert(*process.rank);
    ranks = std::max(ranks, process.ranks.value_or(0));
  }
  std::vector<int> missing;
  for (int rank = 0; rank < ranks; ++rank) {
    if (!present.contains(rank)) missing.push_back(rank);
  }
  if (missing.empty()) return {};
  return {{.cause = fmt::format("{} of {} ranks are here; missing: {}", present.size(), ranks,
                                number_ranges(missing)),
           .hint = "name their folders too; a rank that did not use CUDA has none"}};
}

std::vector<ApplicationProblem> unaligned_hosts(const Application& merged) {
  std::vector<std::string> names;
  for (const ProgramHost& host : merged.hosts) {
    if (!host.uncertainty_s) names.push_back(host.name);
  }
  if (names.empty()) return {};
  return {{.cause = fmt::format("the times of {} cannot be compared with those of {}: they share neither "
                                "a clock nor enough collectives (NCCL) that end together",
                                fmt::join(names, ", "), merged.hosts.front().name)}};
}

}  // namespace rooflinectl
