// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/incomplete.h"

#include <algorithm>

namespace rooflinectl {

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
    const bool is_new = std::find(settings.only.begin(), settings.only.end(), symbol) == settings.only.end();
    if (is_new) settings.only.push_back(symbol);
  }
  for (const std::string& symbol : settings.only) {
    if (const double known_s = longest_s(profile, symbol); known_s > 0) settings.known_s[symbol] = known_s;
  }
  std::sort(passes.begin(), passes.end());
  passes.erase(std::unique(passes.begin(), passes.end()), passes.end());
  settings.passes = passes;
  settings.timeline_interval_ns.reset();
  return settings;
}

}  // namespace rooflinectl
