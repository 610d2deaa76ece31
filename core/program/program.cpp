// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/program/application.h"
#include "core/program/collective.h"
#include "core/program/profile_settings.h"
#include "core/program/timeline.h"

namespace rooflinectl {

double UndisturbedUse::idle_s() const {
  double sum_s = 0;
  for (const IdleGaps& of_length : gaps) sum_s += of_length.total_s;
  return sum_s;
}

const ProgramProcess* find_process(const std::vector<ProgramProcess>& processes, int id) {
  const auto found = std::ranges::find(processes, id, &ProgramProcess::id);
  return found == processes.end() ? nullptr : &*found;
}

std::string command_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

namespace {

constexpr std::string_view kBoth = "values, and a reason why there are none";
constexpr std::string_view kNeither = "no values, and no reason why";

/// Of one collective, except its name.
std::optional<std::string_view> problem_of(const CollectiveTimes& times) {
  if (times.sizes.empty()) return times.missing.empty() ? std::optional(kNeither) : std::nullopt;
  return times.missing.empty() ? std::nullopt : std::optional(kBoth);
}

}  // namespace

std::optional<CollectivesMistake> mistake_in(const Collectives& collectives) {
  const std::vector<CollectiveTimes>& all = collectives.times;
  if (all.empty() && collectives.missing.empty()) return CollectivesMistake{{}, "times", kNeither};
  if (!all.empty() && !collectives.missing.empty()) return CollectivesMistake{{}, "times", kBoth};
  for (std::size_t place = 0; place < all.size(); ++place) {
    const auto is_same = [&](const CollectiveTimes& one) { return one.collective == all[place].collective; };
    if (std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(place), is_same))
      return CollectivesMistake{place, "collective", "the run has it already"};
    if (const auto problem = problem_of(all[place])) return CollectivesMistake{place, "sizes", *problem};
  }
  return std::nullopt;
}

std::optional<CaptureChoice> capture_from(std::string_view text) {
  constexpr std::string_view kRange = "nvtx:";
  if (text == to_string(Capture::all)) return CaptureChoice{};
  if (text == to_string(Capture::cuda_profiler)) return CaptureChoice{.capture = Capture::cuda_profiler};
  if (!text.starts_with(kRange) || text.size() == kRange.size()) return std::nullopt;
  return CaptureChoice{.capture = Capture::nvtx, .range = std::string(text.substr(kRange.size()))};
}

std::string_view to_string(Capture capture) {
  return separated_name<'-'>(capture);
}

namespace {

/// A sample takes 26 kB of the device's buffer and 48 kB of counter data: this is 600 MB.
constexpr std::size_t kRoomOfWindow = 8'192;
constexpr std::size_t kRoomWhileRead = 2'048;

}  // namespace

std::size_t room_for_samples(std::uint64_t interval_ns) {
  return interval_ns >= kShortestReadInterval ? kRoomWhileRead : kRoomOfWindow;
}

std::optional<double> sampling_window_s(std::uint64_t interval_ns) {
  if (interval_ns >= kShortestReadInterval) return std::nullopt;
  return static_cast<double>(kRoomOfWindow * interval_ns) * 1e-9;
}

}  // namespace rooflinectl
