// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collector/ceilings/ceilings.h"
#include "collector/collect_context.h"
#include "collector/cupti/profiler.h"
#include "collector/device/instruments.h"
#include "collector/device/nvml.h"
#include "collector/points/several_gpus.h"
#include "collector/points/verification.h"
#include "collector/timing/timing.h"
#include "core/machine/link.h"
#include "core/model/agreement.h"
#include "core/model/run.h"
#include "core/program/collective.h"
#include "kernels/known_work.h"
#include "kernels/primitive.h"

namespace rooflinectl {

/// Verifies and times the points of a plan.
class TimingSteps {
 public:
  explicit TimingSteps(CollectContext& context) : context_(context), meter_(context.device.uuid) {}

  /// Verifies and times all points that the request neither skips nor wants only counted. Throws
  /// Error(measurement) if a kernel left the CUDA context unusable. Returns the points whose result is not
  /// worth counting.
  std::set<std::size_t> time_points();

 private:
  Measurement verify_and_time(std::size_t index, const Experiment& experiment);
  Measurement verify_and_time_team(std::size_t index, const Experiment& experiment);
  Measurement verify_and_time_with_ranks(std::size_t index, const Experiment& experiment);
  template <typename Point>
  Measurement verify_and_time_shared(Point& point, const LaunchPlan& plan, std::size_t index,
                                     const Experiment& experiment);
  template <typename Point>
  ResultCheck time(Point& point, const std::function<ResultCheck()>& check, TimedWork& work,
                   const Experiment& experiment, Measurement& measurement);
  void require_chip(int minimum_sm) const;

  CollectContext& context_;
  BoardEnergy meter_;
  std::optional<Teammates> teammates_;  // from the first point over several GPUs on
};

/// Counts the points of a plan, if counters can be had.
class CountingSteps {
 public:
  /// Opens the counters if the request wants them. Adds chip and CUPTI version to the context's device.
  explicit CountingSteps(CollectContext& context);

  /// How counters are collected so far.
  const CounterSession& session() const { return session_; }
  /// Null if there are none.
  Profiler* profiler() { return profiler_.get(); }
  /// Runs `step`, and adds its time to what counting took.
  void timed(const std::function<void()>& step);

  /// Counts all points that the request does not skip and that are not `without_counters`. Throws
  /// Error(measurement) if a launch failed: another process continues without the point last named.
  void count_points(const std::set<std::size_t>& without_counters);

 private:
  struct CountedPoint;

  void open();
  void count(std::span<const std::size_t> wanted);
  std::vector<Counters> gather(Profiler& profiler, const std::vector<CountedPoint*>& points);
  void count_again(std::vector<CountedPoint>& points, int times,
                   const std::function<bool(const CountedPoint&)>& is_wanted);
  void repeat_counting(std::vector<CountedPoint>& points);
  void count_tensor_operations(std::vector<CountedPoint>& points);

  CollectContext& context_;
  std::unique_ptr<Profiler> profiler_;
  std::unique_ptr<Profiler> tensor_profiler_;  // from the first point with tensor instructions on
  CounterSession session_;
};

/// Measures the ceilings of a plan, and has counters confirm them.
class CeilingSteps {
 public:
  explicit CeilingSteps(CollectContext& context) : context_(context) {}

  /// Measures those that are not known, and reports what they are in theory without counters.
  /// `counters`: whether unconfirmed ones are measured again. Throws Error(measurement) if a launch fails:
  /// that costs only this ceiling.
  void measure(const std::optional<PcieLink>& pcie, bool counters);

  /// Counts what the benchmarks of the ceilings do, and takes the chip's peaks with the counters. Then frees
  /// their memory.
  void confirm();

 private:
  bool is_in_plan(const std::string& ceiling) const;
  void measure_benchmark(const kernels::CeilingBenchmark& benchmark);
  std::vector<std::string> held_ceilings(bool counters);

  CollectContext& context_;
  std::optional<CeilingBench> bench_;  // from the first ceiling to their confirmation
  double launch_clock_hz_ = 0;         // SM clock at which empty kernels ran
};

/// Measures primitives; `docs/internals/method.md` (Primitives) describes how. Needs 2 GiB of device memory
/// for primitives of the whole device.
class PrimitiveBench {
 public:
  PrimitiveBench(const DeviceInfo& device, Timer& timer, const Stream& stream);

  /// The result; if it is wrong or could not be measured, with the cause.
  PrimitiveResult measure(const std::string& id);

 private:
  void measure(const kernels::LanePrimitive& primitive, PrimitiveResult& result);
  void measure(const kernels::DevicePrimitive& primitive, PrimitiveResult& result);

  const DeviceInfo& device_;
  Timer& timer_;
  const Stream& stream_;
};

/// What `primitive` leaves in one form, launched on `blocks` blocks for `trips` trips, compared with its
/// reference: empty if all is right, else the first wrong value.
std::string wrong_value(const kernels::LanePrimitive& primitive, kernels::Form form, int blocks, int trips,
                        const Stream& stream);

/// The same for a scan of `n` elements.
std::string wrong_value(const kernels::DevicePrimitive& primitive, std::uint64_t n, const Stream& stream);

/// Cycles of an SM per operation: on each SM those from the first start to the last stop over the operations
/// of its blocks, `operations_per_block` each; the median over the SMs.
double cycles_of(const std::vector<kernels::BlockInterval>& blocks, double operations_per_block);

/// Every primitive that is linked in, as the rest of the tool knows them, sorted by id.
std::vector<PrimitiveInfo> linked_primitives();

/// Counts every kernel of known work with `profiler`, a session of `basic_metrics` on `device`, which is
/// current. Takes 2 GiB of device memory, and gives them back. Throws Error if memory is short, a launch
/// fails or the profiler cannot be used.
SelfTest test_counters(const DeviceInfo& device, Profiler& profiler);

/// What `work` is known to do, beside what was counted for its launch, and for its launch without the known
/// instructions where it has one.
std::vector<Agreement> agreements(const kernels::KnownWork& work, const kernels::KnownWorkSite& site,
                                  const Counters& counted, const Counters& counted_without);

/// Warp instructions over all launches, counted by hardware in one pass (`ours`) and by instrumentation in
/// another (`reference`).
Agreement agreement_of_passes(const std::vector<Counters>& launches);

/// Measures how fast bytes go from each of these devices, named by their UUIDs, to each other one: by a copy
/// engine, by loads and by stores, one way and both ways at once. A pair that cannot do one of them has the
/// reason in its place. With `counters`, the transfers run once more while those of NVLink count.
///
/// Throws Error(environment) if there is no driver, no GPU, or too little memory; Error(usage) if there is no
/// such device.
std::vector<LinkBandwidth> measure_links(const std::vector<std::string>& uuids, bool counters);

/// Times NCCL's collectives over these devices, named by their UUIDs, in sizes up to 1 GiB, or what fits into
/// their memory. The result of each collective is verified first; one whose result is wrong is not timed, and
/// has the reason in its place. With `counters`, the largest size runs once more while those of NVLink count.
/// Without NCCL, the result is the reason alone.
///
/// Throws Error(environment) if there is no driver, no GPU, or too little memory; Error(usage) if there is no
/// such device; Error(measurement) if NCCL fails.
Collectives measure_collectives(const std::vector<std::string>& uuids, bool counters);

}  // namespace rooflinectl
