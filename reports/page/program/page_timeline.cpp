// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reports/page/program/page_program.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

std::string_view to_string(StripUnit unit) {
  switch (unit) {
    case StripUnit::bytes_per_s:
      return "B/s";
    case StripUnit::flop_per_s:
      return "FLOP/s";
    case StripUnit::share:
      return "share";
    case StripUnit::hertz:
      return "Hz";
    case StripUnit::watts:
      return "W";
  }
  return "";
}

// No screen has more pixels in height.
Json coarse(double value) {
  return serial::rounded(value, 4);
}

Json strip(const Strip& strip) {
  Json means = Json::array();
  Json most = Json::array();
  for (const std::optional<StripBin>& bin : strip.bins) {
    means.push_back(bin ? coarse(bin->mean) : Json(nullptr));
    most.push_back(bin ? coarse(bin->most) : Json(nullptr));
  }
  return {{"id", strip.id},
          {"title", strip.title},
          {"unit", to_string(strip.unit)},
          {"roof", optional_number(strip.roof)},
          {"ceiling", strip.ceiling},
          {"means", means},
          {"most", most}};
}

// Starts are many, and ascend: each is the distance from the one before, the first from the window's
// beginning.
class Starts {
 public:
  explicit Starts(std::uint64_t start_ns) : last_ns_(static_cast<std::int64_t>(start_ns)) {}
  std::int64_t operator()(std::uint64_t start_ns) {
    const auto now_ns = static_cast<std::int64_t>(start_ns);
    return now_ns - std::exchange(last_ns_, now_ns);
  }

 private:
  std::int64_t last_ns_;
};

template <typename Timed>
bool is_in(const Timed& timed, const DeviceView& view) {
  return timed.start_ns < view.end_ns && timed.start_ns + timed.duration_ns > view.start_ns;
}

// As columns; -1 for a point of another experiment.
Json launches(const Run& run, const ExperimentAnalysis& experiment, const DeviceView& view) {
  std::unordered_map<std::size_t, int> places;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const auto measurement =
        static_cast<std::size_t>(experiment.points[i].measurement - run.measurements.data());
    places[measurement] = static_cast<int>(i);
  }
  Json starts = Json::array();
  Json durations = Json::array();
  Json streams = Json::array();
  Json points = Json::array();
  Starts start(view.start_ns);
  for (const TimelineLaunch& launch : view.timeline->launches) {
    if (!is_in(launch, view)) continue;
    const auto place = places.find(launch.measurement);
    starts.push_back(start(launch.start_ns));
    durations.push_back(launch.duration_ns);
    streams.push_back(launch.stream);
    points.push_back(place == places.end() ? -1 : place->second);
  }
  return {{"start_ns", starts}, {"duration_ns", durations}, {"stream", streams}, {"point", points}};
}

Json transfers(const DeviceView& view) {
  Json starts = Json::array();
  Json durations = Json::array();
  Json kinds = Json::array();
  Starts start(view.start_ns);
  for (const TimelineTransfer& transfer : view.timeline->transfers) {
    if (!is_in(transfer, view)) continue;
    starts.push_back(start(transfer.start_ns));
    durations.push_back(transfer.duration_ns);
    kinds.push_back(to_string(transfer.kind));
  }
  return {{"start_ns", starts}, {"duration_ns", durations}, {"kind", kinds}};
}

std::size_t depth_of(std::string_view path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

// Whole depths, the outermost first: with only half of the passages, a depth would seem to have gaps.
struct ShownRanges {
  std::vector<const TimelineRange*> passages;  // by their starts
  std::size_t left_out = 0;
  std::size_t depths = 0;
};

ShownRanges shown_ranges(const Timeline& timeline, const DeviceView& view) {
  constexpr std::size_t kMost = 200'000;
  constexpr std::size_t kMostDepths = 4;
  std::map<std::size_t, std::size_t> counts;
  for (const TimelineRange& range : timeline.ranges) {
    if (is_in(range, view)) ++counts[depth_of(timeline.paths[range.path])];
  }
  ShownRanges shown;
  std::size_t sum = 0;
  for (const auto& [depth, count] : counts) {
    if (depth >= kMostDepths || sum + count > kMost) break;
    sum += count;
    shown.depths = depth + 1;
  }
  for (const TimelineRange& range : timeline.ranges) {
    if (!is_in(range, view)) continue;
    if (depth_of(timeline.paths[range.path]) < shown.depths) {
      shown.passages.push_back(&range);
    } else {
      ++shown.left_out;
    }
  }
  return shown;
}

Json ranges(const ShownRanges& shown, const DeviceView& view) {
  Json starts = Json::array();
  Json durations = Json::array();
  Json paths = Json::array();
  Json processes = Json::array();
  Starts start(view.start_ns);
  for (const TimelineRange* range : shown.passages) {
    starts.push_back(start(range->start_ns));
    durations.push_back(range->duration_ns);
    paths.push_back(range->path);
    processes.push_back(range->process);
  }
  return {{"depths", shown.depths},
          {"start_ns", starts},
          {"duration_ns", durations},
          {"path", paths},
          {"process", processes}};
}

Json left_out(const DeviceView& view, const ShownRanges& shown) {
  Json sentences = Json::array();
  std::vector<std::string> unsampled;
  for (const auto& [key, reason] : view.timeline->left_out) {
    unsampled.push_back(fmt::format("{} ({})", strip_title(key), reason));
  }
  if (!unsampled.empty()) sentences.push_back(fmt::format("Not sampled: {}.", fmt::join(unsampled, ", ")));
  if (shown.left_out > 0) {
    sentences.push_back(fmt::format("Not shown: {} through NVTX ranges deeper than {}.",
                                    format::counted(shown.left_out, "passage"),
                                    format::counted(shown.depths, "level")));
  }
  return sentences;
}

Json phases(const DeviceView& view) {
  Json list = Json::array();
  for (const Phase& phase : view.phases) {
    list.push_back({{"name", phase.name},
                    {"start_ns", phase.start_ns - view.start_ns},
                    {"duration_ns", phase.duration_ns},
                    {"dram", optional_number(phase.dram_bytes_per_s)},
                    {"rate", optional_number(phase.flop_per_s)},
                    {"ai", optional_number(phase.ai)}});
  }
  return list;
}

}  // namespace

Json timeline(const Run& run, const ExperimentAnalysis& experiment, const Timeline& timeline,
              const DeviceView& view) {
  Json strips = Json::array();
  for (const Strip& one : view.strips) strips.push_back(strip(one));
  const ShownRanges shown = shown_ranges(timeline, view);
  return {{"begin_ns", view.start_ns},
          {"duration_ns", view.end_ns - view.start_ns},
          {"bin_ns", view.bin_ns},
          {"sentences", timeline_sentences(view)},
          {"was_watched", view.was_watched},
          {"left_out", left_out(view, shown)},
          {"strips", strips},
          {"launches", launches(run, experiment, view)},
          {"transfers", transfers(view)},
          {"paths", timeline.paths},
          {"ranges", ranges(shown, view)},
          {"phase_rule", phase_sentence(view)},
          {"phases", phases(view)}};
}

}  // namespace rooflinectl::page
