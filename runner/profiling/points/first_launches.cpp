// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "runner/profiling/points/groups.h"

namespace rooflinectl {

namespace {

constexpr std::size_t kFewestThatFollow = 8;
constexpr double kMostLeftOut = 0.1;
/// The part of the first launches that may do what later ones do: of work that differs throughout, more do.
constexpr double kMostAlike = 0.5;

/// The last launch that differs from what the last of its place in the period did; nothing if none differs,
/// or too few do or follow.
std::optional<LaunchOrder> last_that_differs(const InstructionsOfLaunches& counted, std::size_t period) {
  std::map<std::uint64_t, double> last_of_place;
  for (const auto& [launch, instructions] : counted) last_of_place[launch.ordinal % period] = instructions;
  const auto follows = [&](const auto& launch) {
    return record::is_similar_work(launch.second, last_of_place.at(launch.first.ordinal % period));
  };
  const auto differs = std::find_if_not(counted.rbegin(), counted.rend(), follows);
  const auto following = static_cast<std::size_t>(std::distance(counted.rbegin(), differs));
  if (differs == counted.rend() || following < std::max(kFewestThatFollow, period)) return std::nullopt;
  const auto alike = static_cast<double>(std::count_if(counted.begin(), differs.base(), follows));
  const auto first = static_cast<double>(counted.size() - following);
  return alike <= kMostAlike * first ? std::optional(differs->first) : std::nullopt;
}

/// How many launches there are at least until that one, which is counted.
double launches_until(const InstructionsOfLaunches& counted, LaunchOrder last) {
  std::map<std::uint64_t, std::uint64_t> of_group;
  const auto end = counted.upper_bound(last);
  for (auto launch = counted.begin(); launch != end; ++launch)
    of_group[launch->first.group] = launch->first.ordinal;
  double launches = 0;
  for (const auto& [group, ordinal] : of_group) launches += static_cast<double>(ordinal);
  return launches;
}

}  // namespace

std::optional<CountedPasses> without_first_that_differ(const CountedPasses& counted,
                                                       const LaunchPattern& pattern) {
  if (pattern.period == 0) return std::nullopt;
  std::map<std::size_t, InstructionsOfLaunches> by_process;
  for (const auto& [pass, launches] : counted) launches.add_instructions(by_process);
  std::map<std::size_t, LaunchOrder> first;  // that is not left out
  for (const auto& [process, instructions] : by_process) {
    const auto last = last_that_differs(instructions, pattern.period);
    if (last && launches_until(instructions, *last) <= kMostLeftOut * pattern.launches)
      first.emplace(process, LaunchOrder{.group = last->group, .ordinal = last->ordinal + 1});
  }
  if (first.empty()) return std::nullopt;
  CountedPasses settled = counted;
  for (auto& [pass, launches] : settled) launches.leave_out_before(first);
  std::erase_if(settled, [](const auto& pass) { return pass.second.empty(); });
  return settled;
}

}  // namespace rooflinectl
