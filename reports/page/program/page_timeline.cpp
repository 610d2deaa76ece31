// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>

#include "core/enum_names.h"
#include "reports/page/program/page_program.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

std::string_view unit_name(StripUnit unit) {
  constexpr std::array<std::string_view, kEnumerators<StripUnit>.size()> kNames = {"B/s", "FLOP/s", "share",
                                                                                   "Hz", "W"};
  return kNames.at(static_cast<std::size_t>(unit));
}

Json strip(const Strip& strip) {
  const auto values = [&](double StripBin::*value) {
    return list_of(strip.bins, [&](const auto& bin) { return bin ? coarse((*bin).*value) : Json(nullptr); });
  };
  return {{"id", strip.id},
          {"title", strip.title},
          {"unit", unit_name(strip.unit)},
          {"roof", optional_number(strip.roof)},
          {"ceiling", strip.ceiling},
          {"means", values(&StripBin::mean)},
          {"most", values(&StripBin::most)}};
}

template <typename Timed>
bool is_in(const Timed& timed, const DeviceView& view) {
  return timed.start_ns < view.end_ns && timed.start_ns + timed.duration_ns > view.start_ns;
}

template <typename Timed>
std::vector<const Timed*> shown_of(const std::vector<Timed>& all, const DeviceView& view) {
  std::vector<const Timed*> shown;
  for (const Timed& timed : all) {
    if (is_in(timed, view)) shown.push_back(&timed);
  }
  return shown;
}

// As columns. Starts are many, and ascend: each is the distance from the one before, the first from the
// window's beginning.
template <typename Timed>
Json times(const std::vector<const Timed*>& shown, const DeviceView& view) {
  std::uint64_t last_ns = view.start_ns;
  const auto start = [&](const Timed* timed) {
    return static_cast<std::int64_t>(timed->start_ns - std::exchange(last_ns, timed->start_ns));
  };
  return {{"start_ns", list_of(shown, start)},
          {"duration_ns", list_of(shown, [](const Timed* timed) { return timed->duration_ns; })}};
}

// As columns; -1 for a point of another experiment.
Json launches(const Run& run, const ExperimentAnalysis& experiment, const DeviceView& view) {
  std::unordered_map<std::size_t, int> places;
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    const auto measurement =
        static_cast<std::size_t>(experiment.points[i].measurement - run.measurements.data());
    places[measurement] = static_cast<int>(i);
  }
  const auto place_of = [&](const TimelineLaunch* launch) {
    const auto place = places.find(launch->measurement);
    return place == places.end() ? -1 : place->second;
  };
  const auto shown = shown_of(view.timeline->launches, view);
  Json columns = times(shown, view);
  columns["stream"] = list_of(shown, [](const TimelineLaunch* launch) { return launch->stream; });
  columns["point"] = list_of(shown, place_of);
  return columns;
}

Json transfers(const DeviceView& view) {
  const auto shown = shown_of(view.timeline->transfers, view);
  Json columns = times(shown, view);
  columns["kind"] =
      list_of(shown, [](const TimelineTransfer* transfer) { return to_string(transfer->kind); });
  return columns;
}

std::size_t depth_of(std::string_view path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
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
  Json columns = {{"depths", shown.depths}};
  columns.update(times(shown.passages, view));
  columns["path"] = list_of(shown.passages, [](const TimelineRange* range) { return range->path; });
  columns["process"] = list_of(shown.passages, [](const TimelineRange* range) { return range->process; });
  return columns;
}

Json left_out(const DeviceView& view, const ShownRanges& shown) {
  Json sentences = Json::array();
  std::vector<std::string> unsampled;
  for (const auto& [key, reason] : view.timeline->left_out) {
    unsampled.push_back(fmt::format("{} ({})", strip_title(key), reason));
  }
  if (!unsampled.empty()) sentences.push_back(fmt::format("Not sampled: {}.", format::joined(unsampled)));
  if (shown.left_out > 0) {
    sentences.push_back(fmt::format("Not shown: {} through NVTX ranges deeper than {}.",
                                    format::counted(shown.left_out, "passage"),
                                    format::counted(shown.depths, "level")));
  }
  return sentences;
}

Json phases(const DeviceView& view) {
  return list_of(view.phases, [&](const Phase& phase) -> Json {
    return {{"name", phase.name},
            {"start_ns", phase.start_ns - view.start_ns},
            {"duration_ns", phase.duration_ns},
            {"dram", optional_number(phase.dram_bytes_per_s)},
            {"rate", optional_number(phase.flop_per_s)},
            {"ai", optional_number(phase.ai)}};
  });
}

}  // namespace

Json timeline(const Run& run, const ExperimentAnalysis& experiment, const Timeline& timeline,
              const DeviceView& view) {
  const ShownRanges shown = shown_ranges(timeline, view);
  return {{"begin_ns", view.start_ns},
          {"duration_ns", view.end_ns - view.start_ns},
          {"bin_ns", view.bin_ns},
          {"sentences", timeline_sentences(view)},
          {"was_watched", view.was_watched},
          {"left_out", left_out(view, shown)},
          {"strips", list_of(view.strips, strip)},
          {"launches", launches(run, experiment, view)},
          {"transfers", transfers(view)},
          {"paths", timeline.paths},
          {"ranges", ranges(shown, view)},
          {"phase_rule", phase_sentence(view)},
          {"phases", phases(view)}};
}

}  // namespace rooflinectl::page
