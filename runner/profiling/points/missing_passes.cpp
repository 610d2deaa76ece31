// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/missing_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/program/profile_record.h"

namespace rooflinectl {

bool MissingPasses::has_problem(std::string_view beginning) const {
  return std::any_of(problems_.begin(), problems_.end(),
                     [&](const std::string& cause) { return cause.starts_with(beginning); });
}

/// Why no launch at all could be counted in that pass; empty if some could.
std::string MissingPasses::problem_of(std::string_view pass) const {
  for (const std::string& cause : problems_) {
    if (cause.starts_with(fmt::format("{} {}", pass, record::kNotCounted))) return cause;
  }
  return {};
}

std::string MissingPasses::reason(const ProfiledGroup& group, const std::string& pass) const {
  if (!group.left_alone.empty()) return group.left_alone;
  if (std::string cause = problem_of(pass); !cause.empty()) return cause;
  if (group.too_long) return group.too_long->cause;
  if (!counted_.contains(pass)) return fmt::format("the program ended before the pass {} began", pass);
  return fmt::format("none of its {} launches was counted in the pass {}", group.launches(), pass);
}

std::vector<Pass> MissingPasses::of(const ProfiledGroup& group, const Measurement& measurement) const {
  std::vector<Pass> missing;
  // The passes of types follow from what the tensor pass sees in the same run.
  const bool has_unknown_type =
      tensor_instructions(measurement.counters).value_or(0) > 0 && !executed_tensor_ops(measurement.counters);
  for (const Pass pass : kPasses) {
    if (has_unknown_type && pass == Pass::tensor) missing.push_back(pass);
    const bool is_needed = pass <= Pass::tensor || (has_unknown_type && pass < Pass::stalls);
    const std::string_view name = to_string(pass);
    const bool is_counted = group.counters.find(name) != group.counters.end();
    if (is_needed && !is_counted) missing.push_back(pass);
  }
  return missing;
}

std::vector<Pass> MissingPasses::countable(const ProfiledGroup& group, std::vector<Pass> missing) const {
  if (!group.left_alone.empty() || group.is_collective) return {};
  std::erase_if(missing, [&](Pass pass) { return !problem_of(to_string(pass)).empty(); });
  return missing;
}

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
