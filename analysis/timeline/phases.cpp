// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/roofline/point.h"
#include "analysis/timeline/timeline_view.h"

namespace rooflinectl {

namespace {

/// Fewer tell little about a program that repeats what it does.
constexpr std::size_t kFew = 5;
constexpr std::size_t kFewest = 2;
constexpr std::size_t kMostPhases = 200;
/// What is shorter than the window divided by this separates nothing.
constexpr std::uint64_t kInterlude = 1000;
/// Up to the window divided by this may be passed over in that way.
constexpr std::uint64_t kMostPassedOver = 50;
constexpr std::string_view kNoRange = "no range";

/// Keeps the phases of the smallest depth that has enough of them, else of the one that has most.
class BestDepth {
 public:
  void offer(std::vector<PhaseSpan> spans) {
    if (best_.size() >= kFew || spans.size() < kFewest || spans.size() > kMostPhases) return;
    if (spans.size() > best_.size()) best_ = std::move(spans);
  }
  std::vector<PhaseSpan> take() { return std::move(best_); }

 private:
  std::vector<PhaseSpan> best_;
};

std::string_view path_of(const Run& run, const TimelineLaunch& launch,
                         std::map<std::size_t, std::string>& known) {
  const auto [entry, is_new] = known.try_emplace(launch.measurement);
  if (is_new) {
    entry->second = run.measurements[launch.measurement].point.axes.text(axis::kPath).value_or("");
  }
  return entry->second;
}

std::size_t depth_of(std::string_view path) {
  return path.empty() ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(path, '/'));
}

/// Its first `depth` names.
std::string_view outermost(std::string_view path, std::size_t depth) {
  std::size_t end = 0;
  for (; depth > 0 && end != std::string_view::npos; --depth) end = path.find('/', end == 0 ? 0 : end + 1);
  return path.substr(0, end);
}

/// The process of most launches in the window.
std::optional<int> main_process(const Run& run, const std::vector<TimelineLaunch>& launches) {
  std::map<std::optional<int>, std::size_t> counts;
  for (const TimelineLaunch& launch : launches) ++counts[run.measurements[launch.measurement].process];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? std::nullopt : most->first;
}

struct Located {
  std::string_view path;
  std::uint64_t start_ns = 0;
};

/// Joins what is the same, then joins what is too short to be seen with what comes before it. Nothing where
/// the latter is more than a 50th of the window: then the program changes faster than phases can show.
std::vector<PhaseSpan> joined(const std::vector<Located>& launches, std::size_t depth, std::uint64_t start_ns,
                              std::uint64_t end_ns) {
  std::vector<Located> runs;
  for (const Located& launch : launches) {
    const std::string_view name = outermost(launch.path, depth);
    if (runs.empty() || runs.back().path != name) runs.push_back({name, launch.start_ns});
  }
  const std::uint64_t shortest_ns = (end_ns - start_ns) / kInterlude;
  std::uint64_t passed_over_ns = 0;
  std::vector<PhaseSpan> spans;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::uint64_t until_ns = i + 1 < runs.size() ? runs[i + 1].start_ns : end_ns;
    const std::uint64_t length_ns = until_ns - std::min(until_ns, runs[i].start_ns);
    const std::string_view name = runs[i].path.empty() ? kNoRange : runs[i].path;
    if (!spans.empty() && spans.back().name == name) continue;
    if (!spans.empty() && length_ns < shortest_ns) {
      passed_over_ns += length_ns;
      continue;
    }
    spans.push_back({std::string(name), std::max(runs[i].start_ns, start_ns)});
  }
  if (kMostPassedOver * passed_over_ns > end_ns - start_ns) return {};
  if (!spans.empty()) spans.front().start_ns = start_ns;
  return spans;
}

/// By the passages of the host.
std::vector<PhaseSpan> passages(const Timeline& timeline, std::optional<int> process, std::uint64_t start_ns,
                                std::uint64_t end_ns) {
  std::map<std::size_t, std::vector<PhaseSpan>> by_depth;
  for (const TimelineRange& range : timeline.ranges) {
    if (process && range.process != *process) continue;
    if (range.start_ns >= end_ns || range.start_ns + range.duration_ns <= start_ns) continue;
    const std::string& path = timeline.paths[range.path];
    by_depth[depth_of(path)].push_back({path, std::max(range.start_ns, start_ns)});
  }
  BestDepth best;
  for (auto& [depth, spans] : by_depth) best.offer(std::move(spans));
  std::vector<PhaseSpan> spans = best.take();
  std::ranges::stable_sort(spans, {}, &PhaseSpan::start_ns);
  if (!spans.empty() && spans.front().start_ns > start_ns) {
    spans.insert(spans.begin(), {std::string(kNoRange), start_ns});
  }
  return spans;
}

}  // namespace

PhaseSpans phases_by_ranges(const Run& run, const Timeline& timeline, const DeviceTimeline& device,
                            std::uint64_t start_ns, std::uint64_t end_ns) {
  std::vector<TimelineLaunch> inside;
  for (const TimelineLaunch& launch : device.launches) {
    if (launch.start_ns < end_ns && launch.start_ns + launch.duration_ns > start_ns) inside.push_back(launch);
  }
  const std::optional<int> process = main_process(run, inside);
  std::map<std::size_t, std::string> paths;
  std::vector<Located> launches;
  std::size_t deepest = 0;
  for (const TimelineLaunch& launch : inside) {
    if (run.measurements[launch.measurement].process != process) continue;
    launches.push_back({path_of(run, launch, paths), launch.start_ns});
    deepest = std::max(deepest, depth_of(launches.back().path));
  }
  BestDepth best;
  for (std::size_t depth = 1; depth <= deepest; ++depth) {
    best.offer(joined(launches, depth, start_ns, end_ns));
  }
  std::vector<PhaseSpan> spans = best.take();
  if (!spans.empty()) return {PhaseRule::ranges, std::move(spans)};
  spans = passages(timeline, process, start_ns, end_ns);
  if (spans.empty()) return {};
  return {PhaseRule::passages, std::move(spans)};
}

PhaseSpans phases_by_regimes(const std::vector<Regime>& regimes, std::uint64_t start_ns,
                             std::uint64_t end_ns) {
  constexpr double kDiffers = 0.15;
  struct Part {
    std::size_t first = 0;
    double parts = 1;
    Regime mean;
  };
  std::vector<Part> parts;
  for (std::size_t i = 0; i < regimes.size(); ++i) parts.push_back({i, 1, regimes[i]});
  const auto difference = [](const Regime& a, const Regime& b) {
    return std::max({std::abs(a.dram - b.dram), std::abs(a.tensor - b.tensor), std::abs(a.flops - b.flops)});
  };
  const auto join = [](const Part& a, const Part& b) {
    const double both = a.parts + b.parts;
    const auto mean = [&](double Regime::*of) {
      return (a.mean.*of * a.parts + b.mean.*of * b.parts) / both;
    };
    return Part{a.first, both, {mean(&Regime::dram), mean(&Regime::tensor), mean(&Regime::flops)}};
  };
  while (parts.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
      if (difference(parts[i].mean, parts[i + 1].mean) < difference(parts[best].mean, parts[best + 1].mean)) {
        best = i;
      }
    }
    if (difference(parts[best].mean, parts[best + 1].mean) >= kDiffers) break;
    parts[best] = join(parts[best], parts[best + 1]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  if (parts.size() < kFewest) return {};
  PhaseSpans result = {PhaseRule::regimes, {}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result.spans.push_back(
        {fmt::format("phase {}", i + 1), start_ns + (end_ns - start_ns) * parts[i].first / regimes.size()});
  }
  return result;
}

}  // namespace rooflinectl
