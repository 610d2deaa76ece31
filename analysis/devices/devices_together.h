// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "core/model/run.h"

/// What was measured between devices: their links, and collectives over them.
namespace rooflinectl {

/// Bytes per second that a device must send, or receive, to finish in that time, whatever the number of
/// devices: comparable with the bandwidth of its links. The array's bytes over the time, times 2 (n - 1) / n
/// for an all-reduce, (n - 1) / n for all-gather and reduce-scatter, and 1 for broadcast and send/receive.
/// Source: NVIDIA, nccl-tests, doc/PERFORMANCE.md, "Bus bandwidth".
double bus_bytes_per_s(Collective collective, const CollectiveTime& time, std::size_t n_devices);

/// The array's bytes over the time (the same source, "Algorithm bandwidth").
double algorithm_bytes_per_s(const CollectiveTime& time);

/// How long an array of this many bytes takes, according to what was measured: between two sizes by linear
/// interpolation in the bytes, below the smallest as long as that one, beyond the largest at its bandwidth.
/// Nothing where the collective was not timed.
std::optional<double> interpolated_time_s(const CollectiveTimes& times, double bytes);

/// Bytes that all devices together have to send in one collective of an array of this many bytes, if no
/// switch does the additions for them (the same source: transfers per element).
double bytes_to_send(Collective collective, double bytes, std::size_t n_devices);

/// The size at which the bus bandwidth is highest; null where the collective was not timed.
const CollectiveTime* fastest(const CollectiveTimes& times, std::size_t n_devices);

/// Bytes counted on NVLink over those that had to be sent for the largest size; nothing where they were not
/// counted.
std::optional<double> sent_ratio(const CollectiveTimes& times, std::size_t n_devices);

/// How far counted bytes may be from known ones.
inline constexpr double kLinkByteTolerance = 0.02;

/// Bytes counted on NVLink over those that were moved: what was sent or what was received, whichever is
/// further from 1. Nothing where neither was counted.
std::optional<double> counted_ratio(const LinkBandwidth& link);

/// Bytes per second that the NVLinks between the two devices of `link` carry in theory: those of the device
/// with fewer links, for both ways at once times 2. Nothing where one of them has none: then bytes go over
/// PCIe.
std::optional<double> theoretical_bytes_per_s(const Run& run, const LinkBandwidth& link);

/// Its measured bytes per second over the theoretical ones; nothing where either is missing.
std::optional<double> share_of_theoretical(const Run& run, const LinkBandwidth& link);

/// What a device can send to others in one direction; nothing where that is unknown.
struct LinkRoof {
  /// Of all NVLinks of the device that has the fewest.
  std::optional<double> theoretical_bytes_per_s;
  /// The measured ceiling `nvlink`, a copy: of the slowest device.
  std::optional<double> copy_bytes_per_s;
  /// From one device to another, one way, by whatever is fastest: that of the slowest pair.
  std::optional<double> measured_bytes_per_s;
};
LinkRoof link_roof(const Run& run);

// The kernels of a program on several GPUs as one set of points: the roofline of all ranks
// (docs/scaling.md).

/// What a program's kernels did on all GPUs of which a run has measurements, as a run of its own, with one
/// measurement for each kernel, shape and NVTX path. It is on the first of these GPUs that has measured
/// ceilings. Launches, total times and copies are sums over the GPUs; a measurement's time, with its
/// interval, and its counters are means over the GPUs that have them, weighted by launches. Ceilings and
/// devices keep their places; what compares ranks is left out.
struct DevicesTogether {
  Run run;               ///< its experiment has the name of the program, `_together` added
  std::string title;     ///< `train, ranks 0–7 together: 8 × NVIDIA H200`
  std::size_t gpus = 0;  ///< at least two
  bool is_part = false;  ///< whether the run has further GPUs, with times only
};

/// Nothing where the program's kernels ran on fewer than two GPUs, or on different models, whose roofs
/// differ.
std::optional<DevicesTogether> devices_together(const Run& run);

/// The only experiment of `together`, which must outlive the result.
ExperimentAnalysis analyse(const DevicesTogether& together);

// How much the devices of a run differ from each other where they did the same.

/// A device that stands out by less is not an outlier: boards of one model differ by this much
/// (`docs/internals/method.md`).
inline constexpr double kOddFraction = 0.03;

/// A point that was timed on several devices of one model.
struct PointSpread {
  std::string label;
  std::vector<const RooflinePoint*> points;  ///< one for each device, the fastest first
  double median_s = 0;
  double relative_spread = 0;  ///< (slowest − fastest) / median
  /// What each device is compared with: the median of all devices or, of two, the faster one.
  double usual_s = 0;
  /// Those whose time is off `usual_s` by more than both their interval and `kOddFraction`, the farthest
  /// first.
  std::vector<const RooflinePoint*> outliers;

  /// The time of one of `points` over `usual_s`, less 1: positive where it is slower.
  double off_usual(const RooflinePoint& point) const;
};

/// The points of an experiment on the devices of one model.
struct ModelSpread {
  std::string experiment;
  std::string title;
  std::string model;
  std::vector<PointSpread> points;  ///< those with the widest spread first
};

/// One for each experiment and model with a point that was timed on several devices of that model.
std::vector<ModelSpread> device_spread(const Run& run, const Analysis& analysis);

/// How often a device stands out.
struct OutlyingDevice {
  std::size_t device = 0;    ///< its place in `Run::devices`
  std::size_t outliers = 0;  ///< points at which it stands out
  std::size_t points = 0;    ///< that it was compared at
  /// Time over the usual one, less 1, at the point where it is farthest off.
  double worst = 0;
};

/// The devices that stand out at any point, those that do so most often first.
std::vector<OutlyingDevice> outlying_devices(const std::vector<ModelSpread>& spreads);

// How the time of points over several GPUs changes with their number.

/// strong: the same elements on more GPUs. weak: as many elements on each of more GPUs.
enum class ScalingKind { strong, weak };

/// A number of GPUs on a curve.
struct ScalingStep {
  int gpus = 1;
  const RooflinePoint* point = nullptr;
  double time_s = 0;
  double bytes_per_s = 0;  ///< declared bytes of all GPUs over the time
  /// The elements per second over those of one GPU.
  double speedup = 1;
  double efficiency = 1;  ///< speedup / gpus
  /// What the work of one GPU needs at least at the measured ceilings, for its arithmetic and for its bytes
  /// in memory. They overlap. Nothing where a ceiling was not measured.
  std::optional<double> compute_s;
  std::optional<double> memory_s;
  /// What comes after them at least, where there are several GPUs: one message across NVLink (half of the
  /// round trip of a load from another GPU's memory), and the declared bytes at its bandwidth. Nothing where
  /// these were not measured.
  std::optional<double> link_s;
  /// The speed-up if only the links limited it: each GPU does its share as fast as one GPU does all, and
  /// only `link_s` is added.
  std::optional<double> reachable_speedup;
  /// What one GPU takes for its share alone: a point of the same variant over one GPU, in the run. Nothing
  /// where there is none.
  std::optional<double> share_s;
  /// What is added to it: starting all GPUs, the links, waiting for the slowest. Nothing without `share_s`;
  /// not below 0.
  std::optional<double> gathering_s;

  /// The longer of `compute_s` and `memory_s`.
  std::optional<double> roof_s() const {
    if (!memory_s) return compute_s;
    return std::max(*memory_s, compute_s.value_or(0));
  }
};

/// One variant with everything fixed except the number of GPUs and, with it, of elements.
struct ScalingCurve {
  std::string label;               ///< `multi best 2^28`
  std::uint64_t size = 0;          ///< elements of all GPUs, or of each
  std::vector<ScalingStep> steps;  ///< one GPU first, then by their number
};

struct Scaling {
  ScalingKind kind = ScalingKind::strong;
  std::vector<ScalingCurve> curves;  ///< by variant in the order of the plan, then by size
  /// Why there is no `link_s`; empty where there is.
  std::string link_missing;
};

/// The curves of an experiment: those of one kind that have one GPU and at least one other number of them.
/// strong where points of one size have several numbers of GPUs; else weak. Nothing where there are none.
std::optional<Scaling> scaling(const Run& run, const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
