// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "core/program/timeline.h"
#include "core/stats/statistics.h"

/// What the samples of a device mean: rates against their roofs over time, the phases of the program, and
/// whether the samples agree with what was counted (docs/internals/method.md, “Over time”).
namespace rooflinectl {

/// A nanosecond, in seconds.
inline constexpr double kNs = 1e-9;

enum class StripUnit { bytes_per_s, flop_per_s, share, hertz, watts };

/// The part of a strip that falls into a part of the window.
struct StripBin {
  double mean = 0;
  double most = 0;  ///< of the samples in it; of FLOP/s, of any moment
};

/// One quantity over time.
struct Strip {
  std::string_view id;
  std::string_view title;
  StripUnit unit = StripUnit::share;
  std::optional<double> roof;  ///< nothing where the ceiling is missing, or there is none
  std::string ceiling;         ///< its id; empty for shares and clocks
  /// The keys of the sampled values of which it is the sum; empty for FLOP/s, which is not sampled.
  std::vector<std::string_view> columns;
  /// Nothing where there is no sample. All parts but the last are `DeviceView::bin_ns` long.
  std::vector<std::optional<StripBin>> bins;

  /// Of the means of the parts with samples; nothing without any.
  std::optional<double> mean() const;
  /// The largest of these means.
  std::optional<double> peak() const;
  /// `mean` over `roof`; nothing where either is missing.
  std::optional<double> mean_of_roof() const {
    const auto reached = mean();
    return reached && roof ? std::optional(*reached / *roof) : std::nullopt;
  }
};

/// A part of the window in which the program does one thing.
struct Phase {
  std::string name;  ///< the path of its NVTX range; `no range`; `phase 3` of a change of regime
  std::uint64_t start_ns = 0;
  std::uint64_t duration_ns = 0;
  std::optional<double> dram_bytes_per_s;  ///< nothing where DRAM was not sampled in it
  /// Nothing where the operations of more than 10 % of its kernel time are not known.
  std::optional<double> flop_per_s;
  std::optional<double> ai;  ///< FLOP per sampled DRAM byte

  std::uint64_t end_ns() const { return start_ns + duration_ns; }
};

/// Where phases begin and end.
enum class PhaseRule {
  none,      ///< nothing changes, or nothing is known
  ranges,    ///< NVTX ranges of the launches
  passages,  ///< passages of the host through NVTX ranges
  regimes,   ///< changes of what is used
};

/// Bytes that crossed the DRAM interface while the device was sampled, as sampled and as counted.
struct DramCheck {
  double sampled_bytes = 0;
  double counted_bytes = 0;   ///< for the launches that ran meanwhile: the means of their points
  double transfer_bytes = 0;  ///< of copies and sets, at the mean rate of their kind over the run
  /// The share of the time of kernels, copies and sets for which no bytes are known.
  double unknown_share = 0;

  /// Nothing where nothing is expected.
  std::optional<double> ratio() const {
    const double expected = counted_bytes + transfer_bytes;
    if (expected <= 0) return std::nullopt;
    return sampled_bytes / expected;
  }
};

/// Tensor Cores must have worked for as long as the operations that were counted need at their theoretical
/// rate, else at the measured one.
struct TensorCheck {
  double active_s = 0;    ///< as sampled: share of the time × time
  double needed_s = 0;    ///< at least, by the counted operations
  double operations = 0;  ///< counted

  bool holds() const {
    constexpr double kTolerance = 0.02;
    return active_s >= needed_s * (1 - kTolerance);
  }
};

/// The samples of one device as reports show them.
struct DeviceView {
  const DeviceTimeline* timeline = nullptr;
  bool was_watched = false;    ///< nothing is known about what ran
  std::uint64_t start_ns = 0;  ///< of the first sample
  std::uint64_t end_ns = 0;    ///< of the last one
  std::uint64_t bin_ns = 0;
  std::vector<Strip> strips;
  double missing_s = 0;           ///< between samples
  double not_kept_s = 0;          ///< since sampling began, before the first sample: older ones were dropped
  double kernel_s = 0;            ///< sum of the times of launches in the window
  double unknown_flops_s = 0;     ///< of that, for points whose operations are unknown
  std::optional<DramCheck> dram;  ///< nothing where DRAM was not sampled
  std::optional<TensorCheck> tensor;  ///< nothing where the pipe was not sampled, or nothing used it
  PhaseRule phase_rule = PhaseRule::none;
  std::vector<Phase> phases;  ///< they follow each other and fill the window; none, or several

  double duration_s() const { return static_cast<double>(end_ns - start_ns) * kNs; }
  /// Of the window, and of the time since sampling began.
  double missing_share() const { return portion_of(missing_s, duration_s()); }
  double not_kept_share() const { return portion_of(not_kept_s, not_kept_s + duration_s()); }
};

/// A reading of the board's power stands for the time since the one before, at most for a quarter of a
/// second: they come every 20 to 100 ms.
struct PowerSpan {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  double watts = 0;
};

/// Those of a device in the order of time, the first one since `start_ns`.
std::vector<PowerSpan> power_spans(const DeviceTimeline& device, std::uint64_t start_ns);

/// The title of the strip of a sampled value (`sampled_metrics`); the key itself where there is no strip.
std::string_view strip_title(std::string_view key);

/// The most parts that a strip has.
inline constexpr std::size_t kMostBins = 2000;

/// A time between two samples about which nothing is known.
struct SampleGap {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Those of `device`, by their starts. Samples begin when the device takes them, up to half an interval
/// apart: that does not count as a gap.
std::vector<SampleGap> sample_gaps(const DeviceTimeline& device);

/// The samples of `experiment`'s device. Nothing where it has none. The result points into `timeline`.
std::optional<DeviceView> device_view(const Run& run, const ExperimentAnalysis& experiment,
                                      const Timeline& timeline);

/// A part of the window, without what was used in it.
struct PhaseSpan {
  std::string name;
  std::uint64_t start_ns = 0;
};

struct PhaseSpans {
  PhaseRule rule = PhaseRule::none;
  std::vector<PhaseSpan> spans;  ///< each up to the next one
};

/// What a part of the window uses, as shares.
struct Regime {
  double dram = 0;    ///< of the bandwidth
  double tensor = 0;  ///< of the Tensor Cores' time
  double flops = 0;   ///< of the compute ceiling; of the window's highest rate where there is none
};

/// The window's phases by NVTX ranges, of the process that launched most in it.
///
/// The host runs ahead of the device, so the ranges are those of the launches, by when these ran: launches
/// that follow each other with the same outermost names of their paths are one phase. The depth, which is the
/// number of names compared, is the smallest that gives 5 to 200 phases or, if none does, the one that gives
/// most of them without exceeding 200. What lasts less than a 1000th of the window, for example a kernel of
/// another stream, does not separate two phases; a depth at which more than a 50th of the window is that
/// short gives no phases.
///
/// Launches that follow each other in the same range cannot be told apart by it. Where all of them are in one
/// range, the host's passages separate them, at the depth that the same rule chooses; their times are those
/// of the host.
PhaseSpans phases_by_ranges(const Run& run, const Timeline& timeline, const DeviceTimeline& device,
                            std::uint64_t start_ns, std::uint64_t end_ns);

/// The same by changes of what is used: `regimes` has equally long parts of the window, which are joined to
/// their neighbours, the most alike first, until all neighbours differ by 15 points or more in one of the
/// shares.
PhaseSpans phases_by_regimes(const std::vector<Regime>& regimes, std::uint64_t start_ns,
                             std::uint64_t end_ns);

/// Into how many parts a window is divided to find changes.
inline constexpr std::size_t kRegimeBins = 200;

}  // namespace rooflinectl
