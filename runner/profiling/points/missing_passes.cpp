// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "runner/profiling/points/groups.h"
#include "runner/profiling/points/merge.h"

namespace rooflinectl {

bool MissingPasses::has_problem(std::string_view beginning) const {
  return std::ranges::any_of(problems_,
                             [&](const std::string& cause) { return cause.starts_with(beginning); });
}

/// Why no launch at all could be counted in that pass; empty if some could.
std::string MissingPasses::problem_of(std::string_view pass) const {
  for (const std::string& cause : problems_) {
    if (cause.starts_with(fmt::format("{} {}", pass, record::kNotCounted))) return cause;
  }
  return {};
}

/// Graphs and what is in them have no first launch.
bool MissingPasses::is_out_of_reach(const ProfiledGroup& group, std::string_view pass) const {
  return has_collectives_ && !group.shape.first_launch && pass == to_string(Pass::operations);
}

std::string MissingPasses::reason(const ProfiledGroup& group, const std::string& pass) const {
  if (!group.left_alone.empty()) return group.left_alone;
  if (is_out_of_reach(group, pass)) return "CUDA graphs are not instrumented beside collectives";
  if (std::string cause = problem_of(pass); !cause.empty()) return cause;
  if (group.too_long) return group.too_long->cause;
  if (counts_nothing_) return "counting was switched off";
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
  if (counts_nothing_ || !group.left_alone.empty() || group.is_collective) return {};
  std::erase_if(missing, [&](Pass pass) {
    return !problem_of(to_string(pass)).empty() || is_out_of_reach(group, to_string(pass));
  });
  return missing;
}

namespace {

constexpr std::size_t kMostNamed = 20;
constexpr const char* kInNoCount = "they are in no count";

}  // namespace

std::vector<ApplicationProblem> FailedLaunches::problems() const {
  std::vector<std::pair<std::pair<std::string, std::string>, std::uint64_t>> all(launches_.begin(),
                                                                                 launches_.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.second > b.second; });
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

namespace {

constexpr double kShareThatMatters = 0.01;
/// An environment variable holds 128 KiB. It has each symbol twice, with a number.
constexpr std::size_t kMostBytes = std::size_t{96} << 10;
constexpr std::size_t kBytesOfNumber = 32;

/// What the longest launch of a kernel took, whatever its shape.
double longest_s(const MergedProfile& profile, const std::string& symbol) {
  double longest_s = 0;
  for (const PointDetails& details : profile.details) {
    if (details.symbol == symbol) longest_s = std::max(longest_s, details.longest_s);
  }
  return longest_s;
}

}  // namespace

std::vector<IncompletePoint> incomplete_points(const MergedProfile& profile) {
  double all_s = 0;
  for (const DeviceUse& use : profile.application.devices) all_s += use.kernel_s;
  std::vector<IncompletePoint> points;
  for (std::size_t place = 0; place < profile.measurements.size(); ++place) {
    const double share = profile.measurements[place].launches->total_s / all_s;
    const std::vector<Pass>& missing = profile.details[place].missing;
    if (share > kShareThatMatters && !missing.empty()) points.push_back({place, share, missing});
  }
  return points;
}

std::vector<IncompletePoint> points_of_next_run(const std::vector<IncompletePoint>& points) {
  std::vector<IncompletePoint> chosen;
  for (const IncompletePoint& point : points) {
    const bool is_earlier = !chosen.empty() && point.missing.front() < chosen.front().missing.front();
    if (is_earlier) chosen.clear();
    if (chosen.empty() || point.missing.front() == chosen.front().missing.front()) chosen.push_back(point);
  }
  return chosen;
}

ProfileSettings settings_for(const std::vector<IncompletePoint>& points, const MergedProfile& profile,
                             ProfileSettings settings) {
  std::vector<Pass> passes;
  settings.only.clear();
  settings.known_s.clear();
  std::size_t bytes = 0;
  for (const IncompletePoint& point : points) {
    const std::string& symbol = profile.details[point.place].symbol;
    bytes += 2 * symbol.size() + kBytesOfNumber;
    if (bytes > kMostBytes) break;
    passes.insert(passes.end(), point.missing.begin(), point.missing.end());
    const bool is_new = std::ranges::find(settings.only, symbol) == settings.only.end();
    if (is_new) settings.only.push_back(symbol);
  }
  for (const std::string& symbol : settings.only) {
    if (const double known_s = longest_s(profile, symbol); known_s > 0) settings.known_s[symbol] = known_s;
  }
  std::ranges::sort(passes);
  passes.erase(std::unique(passes.begin(), passes.end()), passes.end());
  settings.passes = passes;
  settings.timeline_interval_ns.reset();
  return settings;
}

}  // namespace rooflinectl
