// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/roofline/point.h"
#include "core/enum_names.h"
#include "reports/formats/formats.h"
#include "reports/formats/perfetto_encoder.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using Track = PerfettoEncoder::Track;
using Annotations = std::vector<PerfettoEncoder::Annotation>;

constexpr double kNotKnown = -1;

/// Never before its start, whatever a damaged file holds.
std::uint64_t end_of(std::uint64_t start_ns, std::uint64_t duration_ns) {
  return start_ns + std::min(duration_ns, UINT64_MAX - start_ns);
}

template <typename Timed>
std::uint64_t end_of(const Timed& timed) {
  return end_of(timed.start_ns, timed.duration_ns);
}

// ---- slices ----

/// Slices, some of which overlap, on as many tracks of one name as they need. Perfetto draws slices that
/// overlap on one track as nested: here only ranges are nested in each other.
class Slices {
 public:
  Slices(PerfettoEncoder& trace, Track parent, std::string name)
      : trace_(trace), parent_(parent), name_(std::move(name)) {}

  /// Starts must ascend.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, std::string_view name,
           const Annotations& annotations = {}) {
    Row& row = row_for(start_ns, end_ns, {});
    trace_.begin_slice(row.track, start_ns, name, annotations);
    row.open.push_back({end_ns, {}});
  }

  /// A passage through an NVTX range, inside a passage through the range that encloses it according to its
  /// path. Starts must ascend; where they are equal, ends must descend.
  void add_range(std::uint64_t start_ns, std::uint64_t end_ns, std::string_view path) {
    Row& row = row_for(start_ns, end_ns, path);
    const std::string_view name = row.open.empty() ? path : path.substr(row.open.back().path.size() + 1);
    trace_.begin_slice(row.track, start_ns, name);
    row.open.push_back({end_ns, path});
  }

  void end() {
    for (Row& row : rows_) close(row, UINT64_MAX);
  }

 private:
  struct Open {
    std::uint64_t end_ns = 0;
    std::string_view path;

    bool encloses(std::uint64_t other_end_ns, std::string_view other) const {
      return other_end_ns <= end_ns && other.size() > path.size() && other.starts_with(path) &&
             other[path.size()] == '/';
    }
  };
  struct Row {
    Track track = 0;
    std::vector<Open> open;
  };

  void close(Row& row, std::uint64_t until_ns) {
    for (; !row.open.empty() && row.open.back().end_ns <= until_ns; row.open.pop_back()) {
      trace_.end_slice(row.track, row.open.back().end_ns);
    }
  }

  /// The row in which the innermost enclosing range is open, else one in which no range is open.
  Row& row_for(std::uint64_t start_ns, std::uint64_t end_ns, std::string_view path) {
    Row* closest = nullptr;
    Row* free = nullptr;
    for (Row& row : rows_) {
      close(row, start_ns);
      if (row.open.empty()) {
        if (free == nullptr) free = &row;
      } else if (row.open.back().encloses(end_ns, path) &&
                 (closest == nullptr || row.open.back().path.size() > closest->open.back().path.size())) {
        closest = &row;
      }
    }
    if (closest != nullptr) return *closest;
    if (free != nullptr) return *free;
    return rows_.emplace_back(Row{trace_.add_slices(parent_, name_), {}});
  }

  PerfettoEncoder& trace_;
  Track parent_;
  std::string name_;
  std::vector<Row> rows_;
};

/// How a launch of a point is shown.
struct LaunchLook {
  std::string_view name;
  Annotations annotations;
  std::optional<double> percent_of_roofline;
  std::optional<double> flops;
};

/// By the places of their points in `Run::measurements`.
using LaunchLooks = std::vector<LaunchLook>;

LaunchLook look_of(const RooflinePoint& point) {
  LaunchLook look = {
      .name = point.label, .annotations = {}, .percent_of_roofline = {}, .flops = point.flops_executed};
  if (point.fraction_of_roofline) look.percent_of_roofline = 100 * *point.fraction_of_roofline;
  const auto add = [&](std::string_view name, const std::optional<double>& value) {
    if (value) look.annotations.push_back({name, *value});
  };
  add("% of roofline", look.percent_of_roofline);
  add("FLOP/s", point.executed_flop_per_s);
  add("DRAM bytes", point.dram_bytes);
  if (point.bound != Bound::unknown) look.annotations.push_back({"bound by", bound_name(point)});
  if (const auto path = point.measurement->point.axes.text(axis::kPath)) {
    look.annotations.push_back({"NVTX", *path});
  }
  return look;
}

LaunchLooks looks_of(const ReportModel& report) {
  LaunchLooks looks;
  for (const Measurement& measurement : report.run.measurements) {
    looks.push_back({.name = measurement.point.subject});
  }
  for (const ExperimentReport& experiment : report.experiments) {
    if (experiment.is_together()) continue;
    for (const RooflinePoint& point : experiment.analysis->points) {
      looks[static_cast<std::size_t>(point.measurement - report.run.measurements.data())] = look_of(point);
    }
  }
  return looks;
}

void write_streams(PerfettoEncoder& trace, Track device, const std::vector<TimelineLaunch>& launches,
                   const LaunchLooks& looks) {
  std::map<std::uint64_t, Slices> streams;
  for (const TimelineLaunch& launch : launches)
    streams.try_emplace(launch.stream, trace, device, fmt::format("stream {}", launch.stream));
  for (const TimelineLaunch& launch : launches) {
    const LaunchLook& look = looks[launch.measurement];
    streams.at(launch.stream).add(launch.start_ns, end_of(launch), look.name, look.annotations);
  }
  for (auto& [number, stream] : streams) stream.end();
}

void write_transfers(PerfettoEncoder& trace, Track device, const std::vector<TimelineTransfer>& transfers) {
  Slices slices(trace, device, "copies");
  for (const TimelineTransfer& transfer : transfers) {
    slices.add(transfer.start_ns, end_of(transfer), separated_name<' '>(transfer.kind));
  }
  slices.end();
}

void write_gaps(PerfettoEncoder& trace, Track device, const std::vector<SampleGap>& gaps) {
  Slices slices(trace, device, "samples missing");
  for (const SampleGap& gap : gaps) slices.add(gap.start_ns, gap.end_ns, "no samples");
  slices.end();
}

// ---- counters ----

struct PerfettoUnit {
  std::string_view name;
  double scale = 1;
};

PerfettoUnit unit_of(StripUnit unit) {
  constexpr std::array<PerfettoUnit, kEnumerators<StripUnit>.size()> kUnits = {
      {{"B/s"}, {"FLOP/s"}, {"%", 100}, {"Hz"}, {"W"}}};
  return kUnits.at(static_cast<std::size_t>(unit));
}

std::string strip_description(const Strip& strip) {
  const PerfettoUnit unit = unit_of(strip.unit);
  const std::string roof =
      strip.roof && !strip.ceiling.empty()
          ? fmt::format("Roof: {} ({}). ", format::amount(*strip.roof, unit.name), strip.ceiling)
          : std::string();
  return roof + "-1 where samples are missing.";
}

/// What was sampled, sample by sample.
void write_strip(PerfettoEncoder& trace, Track device, const DeviceTimeline& samples,
                 const std::vector<SampleGap>& gaps, const Strip& strip) {
  const PerfettoUnit unit = unit_of(strip.unit);
  const Track track = trace.add_counter(device, strip.title, unit.name, strip_description(strip));
  std::vector<const std::vector<double>*> columns;
  for (const std::string_view column : strip.columns) {
    columns.push_back(&samples.values.at(std::string(column)));
  }
  auto gap = gaps.begin();
  for (std::size_t i = 0; i < samples.start_ns.size(); ++i) {
    for (; gap != gaps.end() && gap->end_ns <= samples.start_ns[i]; ++gap) {
      trace.set_counter(track, gap->start_ns, kNotKnown);
    }
    if (samples.duration_ns[i] == 0) continue;
    double value = 0;
    for (const std::vector<double>* column : columns) value += (*column)[i];
    if (strip.unit == StripUnit::bytes_per_s) value /= static_cast<double>(samples.duration_ns[i]) * kNs;
    trace.set_counter(track, samples.start_ns[i], unit.scale * value);
  }
  trace.set_counter(track, end_of(samples.start_ns.back(), samples.duration_ns.back()), kNotKnown);
}

/// What the board drew, reading by reading.
void write_power(PerfettoEncoder& trace, Track device, const DeviceView& view) {
  const std::vector<PowerSpan> spans = power_spans(*view.timeline, view.start_ns);
  if (spans.empty()) return;
  const Track track = trace.add_counter(
      device, "Power", unit_of(StripUnit::watts).name,
      "Each reading covers the time since the previous one. -1 where readings are missing.");
  for (std::size_t i = 0; i < spans.size(); ++i) {
    trace.set_counter(track, spans[i].start_ns, spans[i].watts);
    const bool is_last = i + 1 == spans.size();
    if (is_last || spans[i + 1].start_ns > spans[i].end_ns) {
      trace.set_counter(track, spans[i].end_ns, kNotKnown);
    }
  }
}

/// A counter made of what is known about the launches that are running.
struct LaunchCounter {
  std::string_view name;
  std::string_view unit;
  std::string_view description;
  std::optional<double> (*of)(const LaunchLook&, const TimelineLaunch&);
  /// Of those that run at the same time.
  double (*together)(const std::multiset<double>&);
};

constexpr LaunchCounter kLaunchCounters[] = {
    {.name = "% of roofline",
     .unit = "%",
     .description =
         "For the running kernel, as in the tables; if several run at once, for the one closest to "
         "its roof. -1 where it is not known.",
     .of = [](const LaunchLook& look, const TimelineLaunch&) { return look.percent_of_roofline; },
     .together = [](const std::multiset<double>& values) { return *values.rbegin(); }},
    {.name = "FLOP/s",
     .unit = "FLOP/s",
     .description =
         "Counted operations of the kernels that run, spread over each launch. -1 where they are not "
         "known.",
     .of = [](const LaunchLook& look, const TimelineLaunch& launch) -> std::optional<double> {
       if (!look.flops) return std::nullopt;
       return *look.flops / (static_cast<double>(std::max<std::uint64_t>(launch.duration_ns, 1)) * kNs);
     },
     .together =
         [](const std::multiset<double>& values) {
           return std::accumulate(values.begin(), values.end(), 0.0);
         }},
};

/// A change at a time: a launch begins or ends.
struct LaunchEdge {
  std::uint64_t time_ns = 0;
  bool begins = false;
  std::optional<double> value;
};

std::vector<LaunchEdge> edges_of(const LaunchCounter& counter, const std::vector<TimelineLaunch>& launches,
                                 const LaunchLooks& looks) {
  std::vector<LaunchEdge> changes;
  for (const TimelineLaunch& launch : launches) {
    const std::optional<double> value = counter.of(looks[launch.measurement], launch);
    changes.push_back({launch.start_ns, true, value});
    changes.push_back({end_of(launch), false, value});
  }
  std::ranges::stable_sort(changes, {}, &LaunchEdge::time_ns);
  return changes;
}

/// 0 while no kernel runs, from the first sample or launch to the last one.
void write_launch_counter(PerfettoEncoder& trace, Track device, const DeviceView& view,
                          const LaunchLooks& looks, const LaunchCounter& counter) {
  const std::vector<LaunchEdge> changes = edges_of(counter, view.timeline->launches, looks);
  const auto is_known = [](const LaunchEdge& change) { return change.value.has_value(); };
  if (std::ranges::none_of(changes, is_known)) return;
  const Track track = trace.add_counter(device, counter.name, counter.unit, counter.description);
  std::optional<double> last;
  if (view.start_ns < changes.front().time_ns) {
    last = 0;
    trace.set_counter(track, view.start_ns, *last);
  }
  int running = 0;
  std::multiset<double> known;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const LaunchEdge& change = changes[i];
    running += change.begins ? 1 : -1;
    if (change.value && change.begins) known.insert(*change.value);
    if (change.value && !change.begins) known.erase(known.find(*change.value));
    if (i + 1 < changes.size() && changes[i + 1].time_ns == change.time_ns) continue;
    const double value = running == 0 ? 0 : known.empty() ? kNotKnown : counter.together(known);
    if (value == last) continue;
    trace.set_counter(track, change.time_ns, value);
    last = value;
  }
  trace.set_counter(track, std::max(view.end_ns, changes.back().time_ns), kNotKnown);
}

// ---- the whole ----

void write_device(PerfettoEncoder& trace, const Run& run, const DeviceView& view, const LaunchLooks& looks) {
  const DeviceTimeline& timeline = *view.timeline;
  const DeviceInfo& info = run.devices[timeline.device];
  const Track device = trace.add_group(fmt::format("GPU {}: {}", info.index, info.name));
  write_streams(trace, device, timeline.launches, looks);
  write_transfers(trace, device, timeline.transfers);
  for (const LaunchCounter& counter : kLaunchCounters)
    write_launch_counter(trace, device, view, looks, counter);
  const std::vector<SampleGap> gaps = sample_gaps(timeline);
  write_gaps(trace, device, gaps);
  for (const Strip& strip : view.strips) {
    if (!strip.columns.empty()) write_strip(trace, device, timeline, gaps, strip);
  }
  write_power(trace, device, view);
}

void write_ranges(PerfettoEncoder& trace, const Run& run, const Timeline& timeline) {
  std::map<int, std::vector<const TimelineRange*>> processes;
  for (const TimelineRange& range : timeline.ranges) processes[range.process].push_back(&range);
  const auto path_of = [&](const TimelineRange* range) -> std::string_view {
    return timeline.paths[range->path];
  };
  std::string program;
  if (run.application && !run.application->command_line.empty()) {
    program = std::filesystem::path(run.application->command_line.front()).filename().string();
  }
  for (auto& [process, ranges] : processes) {
    std::ranges::stable_sort(ranges, [&](const TimelineRange* a, const TimelineRange* b) {
      return std::tuple(a->start_ns, end_of(*b), path_of(a).size()) <
             std::tuple(b->start_ns, end_of(*a), path_of(b).size());
    });
    Slices slices(trace, trace.add_process(process, program), "NVTX");
    for (const TimelineRange* range : ranges)
      slices.add_range(range->start_ns, end_of(*range), path_of(range));
    slices.end();
  }
}

}  // namespace

std::string perfetto_trace(const ReportModel& report) {
  PerfettoEncoder trace;
  const LaunchLooks looks = looks_of(report);
  if (report.timeline == nullptr) return trace.take();
  for (const DeviceTimeline& device : report.timeline->devices) {
    const auto shown = std::ranges::find_if(report.experiments, [&](const ExperimentReport& one) {
      return one.timeline && one.timeline->timeline == &device;
    });
    if (shown != report.experiments.end()) write_device(trace, report.run, *shown->timeline, looks);
  }
  write_ranges(trace, report.run, *report.timeline);
  return trace.take();
}

}  // namespace rooflinectl
