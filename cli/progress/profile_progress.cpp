// SPDX-License-Identifier: Apache-2.0
#include "cli/progress/profile_progress.h"

#include <fmt/format.h>

#include "reports/text/format.h"

namespace rooflinectl {

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstLine = 10s;
constexpr auto kLeastBetweenLines = 1s;

}  // namespace

ProfileProgressLines::ProfileProgressLines(Verbosity verbosity)
    : is_quiet_(verbosity == Verbosity::quiet), ceilings_(is_quiet_), until_next_line_(kFirstLine) {}

void ProfileProgressLines::progressed(const ProfileProgress& progress) {
  if (is_quiet_ || progress.groups == 0) return;
  const auto since_last = Clock::now() - last_line_;
  const bool is_other_pass = progress.pass != pass_ && since_last > kLeastBetweenLines;
  if (!is_other_pass && since_last < until_next_line_) return;
  if (!is_other_pass) until_next_line_ *= 2;
  pass_ = progress.pass;
  last_line_ = Clock::now();
  // A program that runs again to be counted may not be traced.
  const std::string launches = progress.launches > 0 ? fmt::format("{} launches, ", progress.launches) : "";
  terminal::print(stderr, "rooflinectl: {}{}, {} counted; {}\n", launches,
                  format::counted(progress.groups, "launch group"), progress.counted,
                  pass_.empty() ? "tracing" : fmt::format("counting {}", pass_));
}

void ProfileProgressLines::runs_again(std::size_t points, double share) {
  pass_.clear();
  if (is_quiet_) return;
  terminal::print(
      stderr,
      "rooflinectl: running the program again to complete the counters of {} ({} of GPU time); --once "
      "prevents this\n",
      format::counted(points, "launch group"), format::percent(share));
}

void ProfileProgressLines::measures_ceilings(const DeviceInfo& device) {
  if (is_quiet_) return;
  terminal::print(stderr, "rooflinectl: measuring the ceilings of {}\n", device.uuid);
}

void ProfileProgressLines::warned(const std::string& text) {
  terminal::print(stderr, "rooflinectl: {}\n", text);
}

void ProfileProgressLines::Ceilings::on(const MeasureEvent& event) {
  if (const auto* step = std::get_if<message::Progress>(&event); step != nullptr && !is_quiet_) {
    display_.status(fmt::format("{} {}", activity(step->phase), step->what));
  }
  if (const auto* warning = std::get_if<MeasureWarning>(&event)) display_.line(warning->text);
  if (std::holds_alternative<MeasureEnd>(event)) display_.clear();
}

}  // namespace rooflinectl
