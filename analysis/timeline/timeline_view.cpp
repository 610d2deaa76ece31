// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/timeline_view.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "analysis/roofline/executed/executed_work.h"
#include "analysis/roofline/point.h"
#include "analysis/roofline/roof.h"
#include "core/counters/metrics.h"

namespace rooflinectl {

namespace {

/// What has accumulated by a given time: bytes, operations, seconds. Between two recorded times it grows
/// evenly.
class Cumulative {
 public:
  /// Adds `amount`, evenly from `start_ns` to `end_ns`. Calls come in the order of time; where one begins
  /// before the last one ended, its amount counts from there on.
  void add(std::uint64_t start_ns, std::uint64_t end_ns, double amount) {
    if (!times_ns_.empty()) start_ns = std::max(start_ns, times_ns_.back());
    if (end_ns <= start_ns) return;
    if (times_ns_.empty() || times_ns_.back() < start_ns) push(start_ns, 0);
    push(end_ns, amount);
  }

  double until(std::uint64_t time_ns) const {
    const auto after = std::upper_bound(times_ns_.begin(), times_ns_.end(), time_ns);
    if (after == times_ns_.begin()) return 0;
    if (after == times_ns_.end()) return sums_.back();
    const auto i = static_cast<std::size_t>(after - times_ns_.begin());
    const auto part = static_cast<double>(time_ns - times_ns_[i - 1]);
    return sums_[i - 1] +
           (sums_[i] - sums_[i - 1]) * part / static_cast<double>(times_ns_[i] - times_ns_[i - 1]);
  }

  double between(std::uint64_t start_ns, std::uint64_t end_ns) const {
    return until(end_ns) - until(start_ns);
  }

  double total() const { return sums_.empty() ? 0 : sums_.back(); }

 private:
  void push(std::uint64_t time_ns, double amount) {
    times_ns_.push_back(time_ns);
    sums_.push_back(total() + amount);
  }

  std::vector<std::uint64_t> times_ns_;
  std::vector<double> sums_;
};

/// What is known about a launch of a point.
struct LaunchWork {
  std::optional<double> flops;
  std::optional<double> dram_bytes;
  std::optional<ResourceUse> tensor;
  CeilingIds pipe_ceilings;  ///< of the operations that take longest; empty where there are none
};

using Works = std::unordered_map<std::size_t, LaunchWork>;

/// At the theoretical rate, which nothing exceeds; at the measured one where none is known.
std::optional<ResourceUse> tensor_at_peak(const Run& run, const Measurement& measurement) {
  for (const Ceilings& ceilings : {Ceilings::theoretical(run, measurement.device, sm_clock_hz(measurement)),
                                   Ceilings::measured(run, measurement.device)}) {
    const auto work = tensor_work(measurement, ceilings);
    if (work && work->use.time_s) return work->use;
  }
  return std::nullopt;
}

/// By the places of their points in `Run::measurements`.
Works works_of(const Run& run, const ExperimentAnalysis& experiment) {
  Works works;
  for (const RooflinePoint& point : experiment.points) {
    const ResourceUse* pipe = main_pipe(point.resources);
    works[static_cast<std::size_t>(point.measurement - run.measurements.data())] = {
        .flops = point.flops_executed,
        .dram_bytes = point.dram_bytes,
        .tensor = tensor_at_peak(run, *point.measurement),
        .pipe_ceilings = pipe != nullptr ? pipe->ceilings : CeilingIds()};
  }
  return works;
}

const LaunchWork& work_of(const Works& works, const TimelineLaunch& launch) {
  static const LaunchWork unknown;
  const auto found = works.find(launch.measurement);
  return found == works.end() ? unknown : found->second;
}

/// `amount`, spread evenly from one time to another.
struct Piece {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  double amount = 0;
};

/// Equally long parts of the window.
struct Bins {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t bin_ns = 0;

  std::size_t count() const { return static_cast<std::size_t>((end_ns - start_ns + bin_ns - 1) / bin_ns); }
  std::uint64_t begin_of(std::size_t i) const { return start_ns + i * bin_ns; }
  std::uint64_t end_of(std::size_t i) const { return std::min(begin_of(i) + bin_ns, end_ns); }
};

/// The highest rate in each part of the window.
void raise(std::vector<std::optional<StripBin>>& bins, const Bins& of, const Piece& piece) {
  if (piece.end_ns <= piece.start_ns || piece.end_ns <= of.start_ns || piece.start_ns >= of.end_ns) return;
  const double rate = piece.amount / (static_cast<double>(piece.end_ns - piece.start_ns) * kNs);
  const std::size_t first = (std::max(piece.start_ns, of.start_ns) - of.start_ns) / of.bin_ns;
  const std::size_t last = (std::min(piece.end_ns, of.end_ns) - 1 - of.start_ns) / of.bin_ns;
  for (std::size_t i = first; i <= last; ++i) {
    if (bins[i]) bins[i]->most = std::max(bins[i]->most, rate);
  }
}

/// Amounts over time, and the times for which they were seen.
class Series {
 public:
  void add(const Piece& piece) {
    sum_.add(piece.start_ns, piece.end_ns, piece.amount);
    pieces_.push_back(piece);
  }
  double between(std::uint64_t start_ns, std::uint64_t end_ns) const {
    return sum_.between(start_ns, end_ns);
  }
  double total() const { return sum_.total(); }

  /// `seen_s`: how much of the time is in it. Means are those of what was seen.
  std::vector<std::optional<StripBin>> bins(const Bins& of, const Cumulative& seen_s) const {
    std::vector<std::optional<StripBin>> bins(of.count());
    for (std::size_t i = 0; i < bins.size(); ++i) {
      const double here_s = seen_s.between(of.begin_of(i), of.end_of(i));
      // A sliver of a sample at the edge of a gap means little.
      if (here_s < 0.1 * kNs * static_cast<double>(of.end_of(i) - of.begin_of(i))) continue;
      const double mean = between(of.begin_of(i), of.end_of(i)) / here_s;
      bins[i] = StripBin{mean, mean};
    }
    for (const Piece& piece : pieces_) raise(bins, of, piece);
    return bins;
  }

 private:
  Cumulative sum_;
  std::vector<Piece> pieces_;
};

/// Columns of samples, added, as amounts: bytes as they are, shares and clocks multiplied by the time.
std::optional<Series> sampled_series(const DeviceTimeline& device,
                                     std::initializer_list<std::string_view> keys, bool are_bytes) {
  std::vector<double> sums(device.start_ns.size());
  for (const std::string_view key : keys) {
    const auto found = device.values.find(std::string(key));
    if (found == device.values.end()) return std::nullopt;
    std::ranges::transform(sums, found->second, sums.begin(), std::plus<>());
  }
  Series series;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double time_s = static_cast<double>(device.duration_ns[i]) * kNs;
    series.add(
        {device.start_ns[i], device.start_ns[i] + device.duration_ns[i], sums[i] * (are_bytes ? 1 : time_s)});
  }
  return series;
}

/// The operations of each launch over its time, those of concurrent launches together.
Series flop_series(const DeviceTimeline& device, const Works& works) {
  struct Ending {
    std::uint64_t end_ns;
    double rate;
    bool operator>(const Ending& other) const { return end_ns > other.end_ns; }
  };
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> running;
  Series series;
  std::uint64_t now_ns = 0;
  double rate = 0;  // per nanosecond
  const auto advance = [&](std::uint64_t to_ns) {
    if (to_ns > now_ns && rate > 0) series.add({now_ns, to_ns, rate * static_cast<double>(to_ns - now_ns)});
    now_ns = std::max(now_ns, to_ns);
  };
  const auto end_until = [&](std::uint64_t time_ns) {
    while (!running.empty() && running.top().end_ns <= time_ns) {
      advance(running.top().end_ns);
      rate -= running.top().rate;
      running.pop();
      // Adding and subtracting many rates leaves rounding errors.
      if (running.empty()) rate = 0;
    }
  };
  for (const TimelineLaunch& launch : device.launches) {
    const std::optional<double>& flops = work_of(works, launch).flops;
    if (!flops || *flops <= 0) continue;
    end_until(launch.start_ns);
    advance(launch.start_ns);
    const std::uint64_t duration_ns = std::max<std::uint64_t>(launch.duration_ns, 1);
    running.push({launch.start_ns + duration_ns, *flops / static_cast<double>(duration_ns)});
    rate += *flops / static_cast<double>(duration_ns);
  }
  end_until(UINT64_MAX);
  return series;
}

/// How much of a launch's or a transfer's time lies in the window, in seconds.
template <typename Timed>
double time_in(const Timed& timed, std::uint64_t start_ns, std::uint64_t end_ns) {
  const std::uint64_t from = std::max(timed.start_ns, start_ns);
  const std::uint64_t to = std::min(timed.start_ns + timed.duration_ns, end_ns);
  return to > from ? static_cast<double>(to - from) * kNs : 0;
}

/// DRAM bytes per second of a copy or a set of this kind on the device, from what the trace saw of all of
/// them.
std::optional<double> dram_rate(const Run& run, std::size_t device, TransferKind kind) {
  if (!run.application || kind == TransferKind::other) return std::nullopt;
  for (const TransferUse& use : run.application->transfers) {
    if (use.device != device || use.kind != kind || !(use.total_s > 0)) continue;
    const bool is_within = kind == TransferKind::device_to_device;  // reads and writes each byte
    return (is_within ? 2 : 1) * use.bytes / use.total_s;
  }
  return std::nullopt;
}

/// Whether the launch waited for others, as collectives do for a rank that is held to be counted: it moved
/// bytes for a small part of its time, which need not lie in the window.
bool is_held(const Run& run, const TimelineLaunch& launch) {
  constexpr double kHeld = 10;
  const Measurement& measurement = run.measurements[launch.measurement];
  return is_timed(measurement) &&
         static_cast<double>(launch.duration_ns) * kNs > kHeld * time_per_launch_s(measurement);
}

DramCheck dram_check(const Run& run, const DeviceTimeline& device, const Works& works, double sampled_bytes,
                     const Cumulative& seen_s) {
  DramCheck check = {.sampled_bytes = sampled_bytes};
  double known_s = 0;
  double unknown_s = 0;
  const auto seen = [&](const auto& timed) {
    return seen_s.between(timed.start_ns, timed.start_ns + timed.duration_ns);
  };
  for (const TimelineLaunch& launch : device.launches) {
    const double here_s = seen(launch);
    const auto bytes = is_held(run, launch) ? std::nullopt : work_of(works, launch).dram_bytes;
    (bytes ? known_s : unknown_s) += here_s;
    if (bytes && here_s > 0) {
      check.counted_bytes += *bytes * here_s / (static_cast<double>(launch.duration_ns) * kNs);
    }
  }
  std::map<TransferKind, std::optional<double>> rates;
  for (const TimelineTransfer& transfer : device.transfers) {
    const auto [rate, is_new] = rates.try_emplace(transfer.kind);
    if (is_new) rate->second = dram_rate(run, device.device, transfer.kind);
    const double here_s = seen(transfer);
    (rate->second ? known_s : unknown_s) += here_s;
    check.transfer_bytes += rate->second.value_or(0) * here_s;
  }
  check.unknown_share = portion_of(unknown_s, known_s + unknown_s);
  return check;
}

std::optional<TensorCheck> tensor_check(const DeviceTimeline& device, const Works& works, double active_s,
                                        const Cumulative& seen_s) {
  TensorCheck check = {.active_s = active_s};
  for (const TimelineLaunch& launch : device.launches) {
    const std::optional<ResourceUse>& work = work_of(works, launch).tensor;
    if (!work || launch.duration_ns == 0) continue;
    const double part = seen_s.between(launch.start_ns, launch.start_ns + launch.duration_ns) /
                        (static_cast<double>(launch.duration_ns) * kNs);
    check.needed_s += part * *work->time_s;
    check.operations += part * work->amount;
  }
  if (check.operations <= 0) return std::nullopt;
  return check;
}

// ---- strips ----

struct StripKind {
  std::string_view id;
  std::string_view title;
  std::string_view key;
  StripUnit unit;
  std::string_view ceiling = {};  ///< the id of its roof, if that is one
};

/// All strips of samples except that of DRAM together, in the order in which they are shown.
constexpr std::array kStripKinds = {
    StripKind{"dram_read", "DRAM read", sampled::kDramReadBytes, StripUnit::bytes_per_s, "dram_read"},
    StripKind{"dram_write", "DRAM write", sampled::kDramWriteBytes, StripUnit::bytes_per_s, "dram_write"},
    StripKind{"l2", "L2", sampled::kL2Bytes, StripUnit::bytes_per_s, "l2_read"},
    StripKind{"tensor", "Tensor Cores", sampled::kTensorActive, StripUnit::share},
    StripKind{"fp32", "FP32 pipe", sampled::kFp32Issued, StripUnit::share},
    StripKind{"fp64", "FP64 pipe", sampled::kFp64Active, StripUnit::share},
    StripKind{"sm", "SM active", sampled::kSmActive, StripUnit::share},
    StripKind{"warps", "Warps", sampled::kWarps, StripUnit::share},
    StripKind{"pcie_in", "PCIe in", sampled::kPcieReadBytes, StripUnit::bytes_per_s, "pcie_h2d"},
    StripKind{"pcie_out", "PCIe out", sampled::kPcieWriteBytes, StripUnit::bytes_per_s, "pcie_d2h"},
    StripKind{"nvlink_in", "NVLink in", sampled::kNvlinkReceivedBytes, StripUnit::bytes_per_s,
              kNvlinkCeiling},
    StripKind{"nvlink_out", "NVLink out", sampled::kNvlinkSentBytes, StripUnit::bytes_per_s, kNvlinkCeiling},
    StripKind{"clock", "SM clock", sampled::kSmClockHz, StripUnit::hertz},
};

void set_roof(Strip& strip, const Run& run, std::size_t device, std::string_view ceiling) {
  // What is measured for links is between two devices, not for one.
  const CeilingSource source =
      ceiling == kNvlinkCeiling ? CeilingSource::theoretical : CeilingSource::measured;
  const Ceiling* found = find_ceiling(run, ceiling, source, device);
  if (found == nullptr) return;
  strip.roof = found->value;
  strip.ceiling = found->id;
}

/// The ceiling under which most of the window's operations are done; empty where that is a mix, or none.
std::string main_compute_ceiling(const DeviceTimeline& device, const Works& works) {
  std::map<CeilingIds, double> flops;
  for (const TimelineLaunch& launch : device.launches) {
    const LaunchWork& work = work_of(works, launch);
    if (work.flops && !work.pipe_ceilings.empty()) flops[work.pipe_ceilings] += *work.flops;
  }
  const auto most = std::ranges::max_element(flops, {}, [](const auto& entry) { return entry.second; });
  return most == flops.end() || most->first.size() > 1 ? std::string() : most->first.front();
}

/// What the strips, the checks and the phases are made of.
struct Sampled {
  Cumulative seen_s;
  std::optional<Series> dram;
  std::optional<Series> tensor;
  Series flops;
};

Strip dram_strip(const Run& run, const DeviceTimeline& device, const Sampled& sampled, const Bins& bins) {
  Strip strip = {.id = "dram", .title = "DRAM", .unit = StripUnit::bytes_per_s};
  strip.columns = {sampled::kDramReadBytes, sampled::kDramWriteBytes};
  const auto total = [&](std::string_view key) {
    double sum = 0;
    for (const double bytes : device.values.at(std::string(key))) sum += bytes;
    return sum;
  };
  const Traffic traffic = {total(sampled::kDramReadBytes), total(sampled::kDramWriteBytes)};
  set_roof(strip, run, device.device, dram_ceiling_id(traffic));
  strip.bins = sampled.dram->bins(bins, sampled.seen_s);
  return strip;
}

/// Operations are known wherever there is a trace, sampled or not.
Strip flop_strip(const Run& run, const DeviceTimeline& device, const Works& works, const Sampled& sampled,
                 const Bins& bins) {
  Strip strip = {.id = "flops", .title = "FLOP/s", .unit = StripUnit::flop_per_s};
  set_roof(strip, run, device.device, main_compute_ceiling(device, works));
  Cumulative all_s;
  all_s.add(bins.start_ns, bins.end_ns, static_cast<double>(bins.end_ns - bins.start_ns) * kNs);
  strip.bins = sampled.flops.bins(bins, all_s);
  return strip;
}

Strip power_strip(const Run& run, const DeviceTimeline& device, const Bins& bins) {
  Series joules;
  Cumulative seen_s;
  for (const PowerSpan& span : power_spans(device, bins.start_ns)) {
    const double time_s = static_cast<double>(span.end_ns - span.start_ns) * kNs;
    joules.add({span.start_ns, span.end_ns, span.watts * time_s});
    seen_s.add(span.start_ns, span.end_ns, time_s);
  }
  Strip strip = {.id = "power", .title = "Power", .unit = StripUnit::watts};
  const auto& settings = run.devices[device.device].settings;
  if (settings) strip.roof = settings->power_limit_w;
  strip.bins = joules.bins(bins, seen_s);
  return strip;
}

std::vector<Strip> strips_of(const Run& run, const DeviceTimeline& device, const Works& works,
                             const Sampled& sampled, const Bins& bins) {
  std::vector<Strip> strips;
  if (sampled.dram) strips.push_back(dram_strip(run, device, sampled, bins));
  if (sampled.flops.total() > 0) strips.push_back(flop_strip(run, device, works, sampled, bins));
  for (const StripKind& kind : kStripKinds) {
    const auto series = sampled_series(device, {kind.key}, kind.unit == StripUnit::bytes_per_s);
    if (!series) continue;
    Strip strip = {.id = kind.id, .title = kind.title, .unit = kind.unit};
    strip.columns = {kind.key};
    const double nominal_hz = run.devices[device.device].sm_clock_hz;
    if (kind.unit == StripUnit::share) strip.roof = 1;
    if (kind.unit == StripUnit::hertz && nominal_hz > 0) strip.roof = nominal_hz;
    set_roof(strip, run, device.device, kind.ceiling);
    strip.bins = series->bins(bins, sampled.seen_s);
    strips.push_back(std::move(strip));
  }
  if (!device.power.empty()) strips.push_back(power_strip(run, device, bins));
  return strips;
}

// ---- phases ----

std::vector<Regime> regimes_of(const DeviceView& view, const Sampled& sampled) {
  // A shorter one at the end would look like a change.
  const auto begin_of = [&](std::size_t i) {
    return view.start_ns + (view.end_ns - view.start_ns) * i / kRegimeBins;
  };
  const auto roof_of = [&](std::string_view id) {
    const auto found = std::ranges::find(view.strips, id, &Strip::id);
    return found == view.strips.end() ? std::nullopt : found->roof;
  };
  std::vector<Regime> regimes;
  double most_flops = 0;
  for (std::size_t i = 0; i < kRegimeBins; ++i) {
    const std::uint64_t from = begin_of(i);
    const std::uint64_t to = begin_of(i + 1);
    if (to <= from) return {};
    const double seen_s = sampled.seen_s.between(from, to);
    Regime regime = {.flops = sampled.flops.between(from, to) / (static_cast<double>(to - from) * kNs)};
    if (sampled.dram)
      regime.dram = portion_of(sampled.dram->between(from, to), seen_s * roof_of("dram").value_or(0));
    if (sampled.tensor) regime.tensor = portion_of(sampled.tensor->between(from, to), seen_s);
    most_flops = std::max(most_flops, regime.flops);
    regimes.push_back(regime);
  }
  const double highest = roof_of("flops").value_or(most_flops);
  for (Regime& regime : regimes) regime.flops = portion_of(regime.flops, highest);
  return regimes;
}

/// Operations must be known for more than this share of the kernel time.
constexpr double kUnknown = 0.1;

void set_phases(DeviceView& view, const Run& run, const Timeline& timeline, const Works& works,
                const Sampled& sampled) {
  const DeviceTimeline& device = *view.timeline;
  PhaseSpans found = phases_by_ranges(run, timeline, device, view.start_ns, view.end_ns);
  if (found.spans.empty()) {
    found = phases_by_regimes(regimes_of(view, sampled), view.start_ns, view.end_ns);
  }
  view.phase_rule = found.rule;
  std::vector<double> kernel_s(found.spans.size());
  std::vector<double> unknown_s(found.spans.size());
  const auto end_of = [&](std::size_t i) {
    return i + 1 < found.spans.size() ? found.spans[i + 1].start_ns : view.end_ns;
  };
  for (const TimelineLaunch& launch : device.launches) {
    // The phases that the launch is in: from the one that began last before it.
    const auto after = std::ranges::upper_bound(found.spans, launch.start_ns, {}, &PhaseSpan::start_ns);
    std::size_t i =
        after == found.spans.begin() ? 0 : static_cast<std::size_t>(after - found.spans.begin()) - 1;
    for (; i < found.spans.size() && found.spans[i].start_ns < launch.start_ns + launch.duration_ns; ++i) {
      const double here_s = time_in(launch, found.spans[i].start_ns, end_of(i));
      kernel_s[i] += here_s;
      if (!work_of(works, launch).flops) unknown_s[i] += here_s;
    }
  }
  for (std::size_t i = 0; i < found.spans.size(); ++i) {
    const std::uint64_t from = found.spans[i].start_ns;
    const std::uint64_t to = end_of(i);
    if (to <= from) continue;
    Phase phase = {.name = std::move(found.spans[i].name), .start_ns = from, .duration_ns = to - from};
    const double seen_s = sampled.seen_s.between(from, to);
    if (sampled.dram && seen_s > 0) phase.dram_bytes_per_s = sampled.dram->between(from, to) / seen_s;
    if (kernel_s[i] == 0 || unknown_s[i] <= kUnknown * kernel_s[i]) {
      phase.flop_per_s = sampled.flops.between(from, to) / (static_cast<double>(to - from) * kNs);
    }
    if (phase.flop_per_s && phase.dram_bytes_per_s && *phase.flop_per_s > 0 && *phase.dram_bytes_per_s > 0) {
      phase.ai = *phase.flop_per_s / *phase.dram_bytes_per_s;
    }
    view.phases.push_back(std::move(phase));
  }
}

double missing_s(const DeviceTimeline& device) {
  double sum_s = 0;
  for (const SampleGap& gap : sample_gaps(device))
    sum_s += static_cast<double>(gap.end_ns - gap.start_ns) * kNs;
  return sum_s;
}

/// The first sample spans the time since the start and is dropped: up to two intervals do not count as
/// missing.
double not_kept_s(const DeviceTimeline& device) {
  const std::uint64_t first_ns = device.start_ns.front();
  if (first_ns <= device.began_ns + 2 * device.interval_ns) return 0;
  return static_cast<double>(first_ns - device.began_ns) * kNs;
}

}  // namespace

std::string_view strip_title(std::string_view key) {
  const auto kind = std::ranges::find(kStripKinds, key, &StripKind::key);
  return kind == kStripKinds.end() ? key : kind->title;
}

std::optional<double> Strip::mean() const {
  double sum = 0;
  std::size_t count = 0;
  for (const auto& bin : bins) {
    if (!bin) continue;
    sum += bin->mean;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

std::optional<double> Strip::peak() const {
  std::optional<double> peak;
  for (const auto& bin : bins) {
    if (bin) peak = std::max(peak.value_or(bin->mean), bin->mean);
  }
  return peak;
}

std::vector<SampleGap> sample_gaps(const DeviceTimeline& device) {
  std::vector<SampleGap> gaps;
  for (std::size_t i = 1; i < device.start_ns.size(); ++i) {
    const std::uint64_t end_ns = device.start_ns[i - 1] + device.duration_ns[i - 1];
    const std::uint64_t gap_ns = device.start_ns[i] > end_ns ? device.start_ns[i] - end_ns : 0;
    if (2 * gap_ns >= device.interval_ns && gap_ns > 0) gaps.push_back({end_ns, device.start_ns[i]});
  }
  return gaps;
}

std::vector<PowerSpan> power_spans(const DeviceTimeline& device, std::uint64_t start_ns) {
  constexpr std::uint64_t kLongest = 250'000'000;
  std::vector<PowerSpan> spans;
  std::uint64_t last_ns = start_ns;
  for (const TimelinePower& reading : device.power) {
    const std::uint64_t from_ns = std::max(last_ns, reading.at_ns - std::min(reading.at_ns, kLongest));
    last_ns = std::max(last_ns, reading.at_ns);
    if (reading.at_ns > from_ns) spans.push_back({from_ns, reading.at_ns, reading.watts});
  }
  return spans;
}

std::optional<DeviceView> device_view(const Run& run, const ExperimentAnalysis& experiment,
                                      const Timeline& timeline) {
  const auto device = std::ranges::find(timeline.devices, experiment.device, &DeviceTimeline::device);
  if (device == timeline.devices.end() || device->start_ns.empty()) return std::nullopt;
  DeviceView view = {.timeline = &*device,
                     .was_watched = experiment.points.empty(),
                     .start_ns = device->start_ns.front(),
                     .end_ns = device->start_ns.back() + device->duration_ns.back()};
  if (view.end_ns <= view.start_ns) return std::nullopt;
  const std::uint64_t shortest_ns = (view.end_ns - view.start_ns + kMostBins - 1) / kMostBins;
  view.bin_ns = std::max({shortest_ns, device->interval_ns, std::uint64_t{1}});

  const Works works = works_of(run, experiment);
  Sampled sampled;
  for (std::size_t i = 0; i < device->start_ns.size(); ++i) {
    sampled.seen_s.add(device->start_ns[i], device->start_ns[i] + device->duration_ns[i],
                       static_cast<double>(device->duration_ns[i]) * kNs);
  }
  sampled.dram = sampled_series(*device, {sampled::kDramReadBytes, sampled::kDramWriteBytes}, true);
  sampled.tensor = sampled_series(*device, {sampled::kTensorActive}, false);
  sampled.flops = flop_series(*device, works);

  view.strips = strips_of(run, *device, works, sampled, {view.start_ns, view.end_ns, view.bin_ns});
  view.missing_s = missing_s(*device);
  view.not_kept_s = not_kept_s(*device);
  for (const TimelineLaunch& launch : device->launches) {
    const double here_s = time_in(launch, view.start_ns, view.end_ns);
    view.kernel_s += here_s;
    if (!work_of(works, launch).flops) view.unknown_flops_s += here_s;
  }
  if (sampled.dram) view.dram = dram_check(run, *device, works, sampled.dram->total(), sampled.seen_s);
  if (sampled.tensor) view.tensor = tensor_check(*device, works, sampled.tensor->total(), sampled.seen_s);
  set_phases(view, run, timeline, works, sampled);
  return view;
}

}  // namespace rooflinectl
