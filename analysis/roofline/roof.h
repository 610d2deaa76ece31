// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analysis/analysis.h"

namespace rooflinectl {

/// Bytes that cross the DRAM interface.
struct Traffic {
  double read_bytes = 0;
  double written_bytes = 0;
  bool is_mix_known = true;  ///< whether the two were told apart

  double bytes() const { return read_bytes + written_bytes; }
};

/// As it was counted. If only the sum is known, half of it is taken for each direction, which are not
/// `is_mix_known`. Nothing where it was not counted.
std::optional<Traffic> counted_traffic(const Counters& counters);

/// Bytes that the shared memory of an SM passes on in one cycle.
inline constexpr double kSharedWavefrontBytes = 128;

/// What shared memory passes on: its bytes, or what its wavefronts could have carried, since bank conflicts
/// keep it busy too: those of all accesses or, in older runs, of loads and stores. Nothing where its bytes
/// were not counted.
std::optional<double> shared_traffic(const Counters& counters);

/// The rate that a resource of the device allows.
struct Limit {
  CeilingIds ceilings;         ///< that allow it
  double per_s = 0;            ///< bytes or operations per second
  double relative_spread = 0;  ///< of the ceiling; the larger one of a mix
};

/// The id of the measured DRAM ceiling that `traffic` needs at least: `dram_read` where writes are less than
/// 5 % of the bytes, `dram_write` where they are more than 95 %, else `dram_copy`.
std::string_view dram_ceiling_id(const Traffic& traffic);

/// The bandwidth that the measured ceilings of the device at this place in `run.devices` allow for `traffic`:
/// linear in the share of writes (below 1 % none) between two of them, of which the nearer one comes first.
/// Those whose line is highest: bytes of which 25 % are written could be read to one half and copied to the
/// other, so that a mix below the line from `dram_read` to `dram_copy` shows what its benchmark lacks, not
/// DRAM. Without a mix on one side, it is the nearest one, if `dram_ceiling_id` would do. Of traffic whose
/// mix is unknown, it is the highest of all: no mix is faster.
std::optional<Limit> dram_limit(const Run& run, std::size_t device, const Traffic& traffic);

/// The id of the measured ceiling of a cache level: its read bandwidth.
std::string_view cache_ceiling_id(MemoryLevel level);

/// The ids of the bandwidth at which bytes of another GPU arrive, and of the time that loading one takes.
inline constexpr std::string_view kNvlinkCeiling = "nvlink";
inline constexpr std::string_view kNvlinkLatency = "nvlink_latency";

/// Whether the bytes that the point receives over NVLink take next to nothing of its time, whatever the
/// links: then their ceiling need not be known.
bool is_negligible_on_nvlink(const Measurement& measurement);

/// The ceilings of one device of a run, from one source.
class Ceilings {
 public:
  static Ceilings measured(const Run& run, std::size_t device) {
    return {run, CeilingSource::measured, device, std::nullopt};
  }
  /// Those that points are compared with (`roof_source`), at the clock of a point as below.
  static Ceilings roofs(const Run& run, std::size_t device, std::optional<double> sm_clock_hz) {
    return roof_source(run, device) == CeilingSource::measured ? measured(run, device)
                                                               : theoretical(run, device, sm_clock_hz);
  }
  /// Theoretical compute ceilings are scaled to `sm_clock_hz` where that is known.
  static Ceilings theoretical(const Run& run, std::size_t device, std::optional<double> sm_clock_hz) {
    return {run, CeilingSource::theoretical, device, sm_clock_hz};
  }

  /// Whether they differ by the direction of traffic.
  bool are_measured() const { return source_ == CeilingSource::measured; }

  /// The DRAM bandwidth for `traffic`, as `dram_limit` has it; the theoretical one is the same in both
  /// directions. Nothing if the ceiling is missing.
  std::optional<Limit> memory(const Traffic& traffic) const;

  /// The bandwidth of L2 for bytes that the SMs request, of which `written` are written: reads at the rate of
  /// `l2_read`, writes at that of `l2_write`, which only measured ceilings have. Nothing if the ceiling of
  /// reads is missing.
  std::optional<Limit> l2(double bytes, double written) const;

  /// Warp instructions per second that the schedulers can issue: four per SM and cycle, at the clock of the
  /// point or, for measured ceilings, at the highest of the device. Nothing where that is not known.
  std::optional<Limit> issue_slots() const;

  /// The same for the pipes of integers (ALU) and of special functions (XU): 64 and 16 results per clock
  /// cycle and SM, over 32 lanes. Source: CUDA C++ Best Practices Guide 13.4, 12.1.1 "Throughput of Native
  /// Arithmetic Instructions": shifts and logic (the 128 integer additions of 12.0 are not all in this pipe),
  /// reciprocals and logarithms. Twice the special functions on 10.3: NVIDIA, "Making Softmax More Efficient
  /// with NVIDIA Blackwell Ultra".
  std::optional<Limit> alu() const;
  std::optional<Limit> xu() const;

  /// The id of the ceiling that `memory` needs, and the ids of those for `compute` that are missing.
  std::string_view memory_id(const Traffic& traffic) const;
  std::string missing_for(const Operations& operations, Dtype precision) const;

  /// The ceiling with this id. Nothing if it is missing.
  std::optional<Limit> find(std::string_view id) const;

  /// The id of the ceiling of such products. Nothing if there is none, as in older runs.
  std::optional<std::string> tensor_id(const TensorProducts& products) const;

  /// The SM clock at which the ceiling with this id holds. Nothing if either is not known.
  std::optional<double> clock_hz(std::string_view id) const;

  /// The bandwidth of a level other than DRAM. Nothing if the ceiling is missing.
  std::optional<Limit> cache(MemoryLevel level) const { return find(cache_ceiling_id(level)); }

  /// The rate of `operations` in `precision` when multiply-adds run at the FMA rate and all others at the ADD
  /// rate: flops / (fma_flops / fma_rate + (flops − fma_flops) / add_rate). Nothing if there are no
  /// operations or a ceiling that they need is missing.
  std::optional<Limit> compute(const Operations& operations, Dtype precision) const;

  /// The same for operations of several types, whose pipes work at the same time: the one that takes longest
  /// limits the rate of all of them.
  std::optional<Limit> compute(const Work& work) const;
  std::string missing_for(const Work& work) const;

 private:
  Ceilings(const Run& run, CeilingSource source, std::size_t device, std::optional<double> sm_clock_hz)
      : run_(run), source_(source), device_(device), sm_clock_hz_(sm_clock_hz) {}

  std::optional<Limit> per_sm_and_cycle(double instructions) const;
  double clock_factor(const Ceiling& ceiling) const;

  const Run& run_;
  CeilingSource source_;
  std::size_t device_;
  std::optional<double> sm_clock_hz_;
};

/// The bytes that crossed the DRAM interface in one launch: as counted, else those that must.
Traffic dram_traffic(const Run& run, const Measurement& measurement);

/// A roof, or why there is none.
struct RoofOrReason {
  std::optional<Roof> roof;
  std::string reason;  ///< empty if there is a roof over all of the work
};

/// The roof over the declared work of `measurement` under the ceilings of the levels that serve it, and of
/// NVLink where other GPUs send it bytes: what takes longest, since all of it could happen at once.
RoofOrReason roof_over(const Run& run, const Measurement& measurement, const Ceilings& ceilings);

}  // namespace rooflinectl
