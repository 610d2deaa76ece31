// SPDX-License-Identifier: Apache-2.0
#include "collector/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "collector/ceilings/ceiling_bench.h"
#include "collector/ceilings/ceiling_metrics.h"
#include "collector/ceilings/theoretical_ceilings.h"
#include "collector/cupti/activity_trace.h"
#include "collector/cupti/profiler.h"
#include "collector/device/device.h"
#include "collector/device/instruments.h"
#include "collector/device/nvml.h"
#include "collector/points/kernel_resources.h"
#include "collector/points/prepared_point.h"
#include "collector/points/team_point.h"
#include "collector/points/verification.h"
#include "collector/primitives.h"
#include "collector/self_test.h"
#include "collector/timing/energy.h"
#include "collector/timing/nvtx.h"
#include "collector/timing/timing.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/stats/repeated_counters.h"
#include "kernels/ceiling.h"
#include "kernels/cuda_check.h"
#include "kernels/variant.h"

namespace rooflinectl {

namespace {

using message::Phase;
using Clock = std::chrono::steady_clock;

/// Setting up a counting pass takes some 0.2 s whatever is in it, so many points share one; but a point that
/// fails costs all of them their counters.
constexpr std::size_t kPointsCountedTogether = 64;

/// A launch that takes longer to be counted is counted once, unless its passes differ: instrumentation makes
/// some launches hundreds of times longer.
constexpr double kLongCountingSeconds = 0.1;

/// Room for most outputs. Taken before any other memory: atomic additions to one address take up to 7 %
/// longer or shorter (H200) depending on where in the device it lies; taken first, it lies at the same place
/// in every run.
constexpr std::size_t kOutputBytes = std::size_t{64} << 20;

/// Whether the CUDA context can still be used after an error.
bool context_is_usable() {
  cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

/// Every key of `metrics`, unavailable for the same reason.
Counters unavailable_counters(const std::vector<Metric>& metrics, const std::string& reason) {
  Counters counters;
  for (const Metric& metric : metrics) counters.emplace(metric.key, CounterValue::unavailable(reason));
  return counters;
}

/// A point while it is being counted.
struct CountedPoint {
  std::size_t index = 0;  ///< in the plan
  PreparedPoint point;
  std::vector<Counters> repetitions;
  Counters tensor_operations;  ///< where tensor instructions ran
  double seconds = 0;          ///< of all its launches while they were counted
};

/// One run through a request. The steps are in the order of `collect`.
class Collection {
 public:
  Collection(const CollectRequest& request, const std::function<void(const Message&)>& emit)
      : request_(request),
        emit_(emit),
        points_(all_points(request.plan)),
        skipped_(request.skip_points.begin(), request.skip_points.end()),
        only_counted_(request.count_only_points.begin(), request.count_only_points.end()),
        device_(select_device(request.device)),
        bench_(kOutputBytes),
        timer_(device_, stream_),
        meter_(device_.uuid) {}

  void say_hello() {
    if (const auto state = device_state(device_.uuid)) {
      device_.settings = state->settings;
      pcie_ = state->pcie;
    }
    if (request_.counters) open_counters();
    emit_(message::Hello{device_, linked_catalogue(), counters_});
  }

  /// Whether the counters can be believed, before anything is counted that a report will show.
  void test_counters() {
    SelfTest self_test;
    self_test.reason = fmt::format("no counters: {}", counters_.reason);
    if (profiler_) {
      emit_(message::Progress{Phase::self_test, std::nullopt, "the counters"});
      try {
        self_test = rooflinectl::test_counters(device_, *profiler_);
      } catch (const Error& error) {
        if (!context_is_usable()) throw Error(ErrorKind::measurement, error.what(), error.hint());
        self_test.reason = error.what();
      }
      counters_.collection_s += self_test.wall_s;
    }
    emit_(message::SelfTested{self_test});
  }

  void measure_ceilings() {
    emit_(message::CeilingMeasured{theoretical_dram(device_)});
    for (const Ceiling& ceiling : theoretical_pcie(pcie_.value_or(PcieLink{}))) {
      if (is_in_plan(ceiling.id)) emit_(message::CeilingMeasured{ceiling});
    }
    if (const auto nvlink = theoretical_nvlink(nvlinks(device_.uuid))) {
      emit_(message::CeilingMeasured{*nvlink});
    }
    // The cost of a launch is needed to tell launch-bound points, cheap to measure, and shows the clock.
    const auto is_launch = [](const kernels::CeilingBenchmark& benchmark) {
      return benchmark.operation == "launch";
    };
    for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
      if (is_launch(benchmark)) measure_ceiling(benchmark);
    }
    const std::vector<std::string> known = held_ceilings();
    for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
      const bool is_known = std::find(known.begin(), known.end(), benchmark.id) != known.end();
      if (!is_launch(benchmark) && is_in_plan(benchmark.id) && !is_known) measure_ceiling(benchmark);
    }
  }

  /// Counts what the ceilings' benchmarks do, and takes the chip's peaks with the counters. Then their memory
  /// goes back.
  void confirm_ceilings() {
    const std::optional<CeilingBench> bench = std::exchange(ceiling_bench_, std::nullopt);
    if (!bench || !profiler_ || bench->measured().empty()) return;
    const Clock::time_point start = Clock::now();
    emit_(message::Progress{Phase::confirm, std::nullopt, "the ceilings"});
    try {
      const auto& benchmarks = kernels::all_ceiling_benchmarks();
      const std::unique_ptr<Profiler> profiler = open_profiler(device_.index, ceiling_metrics(benchmarks));
      const std::vector<Counters> counters = profiler->count(bench->ranges());
      for (const Ceiling& ceiling : bench->confirmed(counters)) emit_(message::CeilingMeasured{ceiling});
      for (const Ceiling& ceiling : theoretical_ceilings(device_, benchmarks, counters.front())) {
        if (is_in_plan(ceiling.id)) emit_(message::CeilingMeasured{ceiling});
      }
    } catch (const Error& error) {
      if (!context_is_usable()) throw Error(ErrorKind::measurement, error.what(), error.hint());
      for (Ceiling ceiling : bench->measured()) {
        ceiling.confirmation = Confirmation{false, fmt::format("not counted: {}", error.what())};
        emit_(message::CeilingMeasured{ceiling});
      }
    }
    counters_.collection_s += seconds_since(start);
  }

  void measure_primitives() {
    PrimitiveBench bench(device_, timer_, stream_);
    for (const std::string& id : request_.plan.primitives) {
      emit_(message::Progress{Phase::primitives, std::nullopt, id});
      const PrimitiveResult result = bench.measure(id);
      emit_(message::PrimitiveMeasured{result});
      if (result.status == Status::failed && !context_is_usable()) {
        throw Error(ErrorKind::measurement, "the CUDA context is lost: " + result.cause);
      }
    }
  }

  void time_points() {
    place_inputs(points_, bench_, device_);
    for_each_experiment([&](const Experiment& experiment, std::size_t first_point) {
      for (std::size_t i = 0; i < experiment.points.size(); ++i) {
        const std::size_t point = first_point + i;
        if (skipped_.contains(point) || only_counted_.contains(point)) continue;
        const Measurement measurement = verify_and_time(point, experiment);
        if (measurement.status != Status::ok) without_counters_.insert(point);
        emit_(message::PointTimed{point, measurement});
        if (measurement.status == Status::failed && !context_is_usable()) {
          throw Error(ErrorKind::measurement, "the CUDA context is lost: " + measurement.cause);
        }
      }
    });
  }

  void count_points() {
    if (!profiler_) return;
    std::vector<std::size_t> wanted;
    for_each_experiment([&](const Experiment& experiment, std::size_t first_point) {
      if (experiment.counters == CounterSet::none) return;
      for (std::size_t point = first_point; point < first_point + experiment.points.size(); ++point) {
        // Counters are those of one GPU.
        const bool is_left_out = skipped_.contains(point) || without_counters_.contains(point);
        if (!is_left_out && !is_of_team(points_[point])) wanted.push_back(point);
      }
    });
    for (std::size_t first = 0; first < wanted.size(); first += kPointsCountedTogether) {
      count(std::span(wanted).subspan(first, std::min(kPointsCountedTogether, wanted.size() - first)));
    }
  }

  void launch_points_once() {
    for (std::size_t point = 0; point < points_.size(); ++point) {
      if (skipped_.contains(point) || is_of_team(points_[point])) continue;
      emit_(message::Progress{Phase::time, point, range_name(points_[point])});
      PreparedPoint prepared(points_[point], bench_, stream_, 1);
      prepare_caches(prepared);
      launch_in_range(prepared);
    }
  }

  void trace_points() {
    constexpr int kLaunches = 5;
    const std::unique_ptr<ActivityTrace> trace = open_activity_trace();
    for (std::size_t point = 0; point < points_.size(); ++point) {
      if (skipped_.contains(point) || is_of_team(points_[point])) continue;
      const std::string name = range_name(points_[point]);
      emit_(message::Progress{Phase::time, point, name});
      PreparedPoint prepared(points_[point], bench_, stream_, 1);
      for (int launch = 0; launch < kLaunches; ++launch) {
        prepare_caches(prepared);
        trace->discard();  // what the preparation did
        launch_in_range(prepared);
        emit_(message::PointTraced{point, {name, trace->take()}});
      }
    }
  }

  void say_bye() { emit_(message::Bye{counters_}); }

 private:
  template <typename Function>
  void for_each_experiment(Function function) {
    std::size_t first_point = 0;
    for (const Experiment& experiment : request_.plan.experiments) {
      function(experiment, first_point);
      first_point += experiment.points.size();
    }
  }

  bool is_in_plan(const std::string& ceiling) const {
    const auto& wanted = request_.plan.ceilings;
    return std::find(wanted.begin(), wanted.end(), ceiling) != wanted.end();
  }

  void measure_ceiling(const kernels::CeilingBenchmark& benchmark) {
    if (benchmark.minimum_sm > device_.compute_capability) {
      std::cerr << "rooflinectl-collector: ceiling " << benchmark.id << " needs a newer GPU\n";
      return;
    }
    emit_(message::Progress{Phase::ceilings, std::nullopt, benchmark.id});
    try {
      if (!ceiling_bench_) ceiling_bench_.emplace(device_, timer_, stream_);
      for (const Ceiling& ceiling : ceiling_bench_->measure(benchmark)) {
        if (ceiling.id == "launch") launch_clock_hz_ = ceiling.sm_clock_hz.value_or(0);
        emit_(message::CeilingMeasured{ceiling});
      }
    } catch (const Error& error) {
      // Costs only this ceiling: another process continues without it.
      throw Error(ErrorKind::measurement, error.what(), error.hint());
    }
  }

  /// The ids of the request's known ceilings that hold here.
  std::vector<std::string> held_ceilings() {
    for (std::size_t i = 0; i < request_.known_ceilings.size(); ++i) {
      const KnownCeilings& known = request_.known_ceilings[i];
      if (!hold(known, device_, launch_clock_hz_)) continue;
      emit_(message::CeilingsKnown{i});
      std::vector<std::string> ids = known.ids;
      if (profiler_) {
        std::erase_if(ids, [&](const std::string& id) {
          return std::find(known.unconfirmed_ids.begin(), known.unconfirmed_ids.end(), id) !=
                 known.unconfirmed_ids.end();
        });
      }
      return ids;
    }
    return {};
  }

  void open_counters() {
    const Clock::time_point start = Clock::now();
    try {
      profiler_ = open_profiler(device_.index, basic_metrics());
      device_.chip = profiler_->chip();
      device_.cupti_version = profiler_->version();
      counters_.available = true;
      counters_.passes = profiler_->passes();
      counters_.metrics = profiler_->metrics();
      counters_.host_setup_s = seconds_since(start);
    } catch (const Error& error) {
      counters_.available = false;
      counters_.reason = error.what();
      counters_.hint = error.hint();
    }
  }

  Measurement verify_and_time(std::size_t index, const Experiment& experiment) {
    const PointId& point = points_[index];
    Measurement measurement;
    measurement.point = point;
    try {
      emit_(message::Progress{Phase::verify, index, range_name(point)});
      if (is_of_team(point)) return verify_and_time_team(index, experiment);
      const LaunchPlan plan = launch_plan(point, device_);
      PreparedPoint prepared(point, bench_, stream_, plan.inputs);
      measurement.launch = kernels::launch_shape(prepared.variant(), prepared.problem());
      measurement.work = prepared.variant().work(prepared.problem());
      require_chip(prepared.variant());
      measurement.verification =
          verify(prepared.variant(), prepared.problem(), prepared.memory(), references_, stream_);
      if (!measurement.verification->passed) {
        measurement.status = Status::unverified;
        measurement.cause = measurement.verification->detail;
        return measurement;
      }
      if (!prepared.variant().waits_for_device) {
        measurement.resources = kernel_resources([&] { prepared.launch(0); }, stream_);
      }
      emit_(message::Progress{Phase::time, index, range_name(point)});
      TimedWork work = prepared.timed_work(plan);
      const ResultCheck last = time(prepared, work, experiment, measurement);
      if (!last.passed) return gone_wrong(std::move(measurement), last.mismatch);
      if (!experiment.energy) return measurement;
      measurement.energy =
          measure_energy([&] { return meter_.joules(); }, work, [&] { stream_.synchronize(); });
    } catch (const Error& error) {
      measurement.status = Status::failed;
      measurement.cause = error.what();
      cudaSetDevice(device_.index);  // where another one of several failed
    }
    return measurement;
  }

  /// Times `work`, which is that of `point`, and checks what the last launches left behind.
  template <typename Point>
  ResultCheck time(Point& point, TimedWork& work, const Experiment& experiment, Measurement& measurement) {
    ResultCheck last;
    work.finish = [&](const std::function<void()>& launch_again) {
      last = point.check_output(references_);
      if (!last.passed) return;
      // A result that is no longer written is right as long as an earlier launch's is still there.
      point.poison_output();
      launch_again();
      last = point.check_output(references_);
    };
    measurement.time = timer_.measure(work, experiment.timing);
    return last;
  }

  static bool is_of_team(const PointId& point) { return point.axes.find(axis::kGpus) != nullptr; }

  /// A point over several GPUs. Throws Error as what it launches.
  Measurement verify_and_time_team(std::size_t index, const Experiment& experiment) {
    Measurement measurement;
    measurement.point = points_[index];
    const PointId& id = measurement.point;
    const kernels::Variant* const variant = kernels::find_variant(id.subject);
    if (variant == nullptr || !variant->gathering) {
      throw Error(ErrorKind::usage, fmt::format("there is no variant '{}' over several GPUs", id.subject));
    }
    if (!teammates_) teammates_.emplace(device_);
    if (auto obstacle = teammates_->obstacle(gpus_of(id), *variant->gathering)) {
      measurement.status = Status::skipped;
      measurement.cause = std::move(*obstacle);
      return measurement;
    }
    require_chip(*variant);
    const LaunchPlan plan = launch_plan(share_of_one(id), device_);
    TeamPoint team(id, *teammates_, stream_, plan.inputs);
    measurement.launch = kernels::launch_shape(*variant, team.problem());
    measurement.work = variant->work(team.problem());
    measurement.work.link_bytes = variant->gathering->link_bytes(team.problem().dtype, team.problem().gpus);
    measurement.verification = team.verify(references_);
    if (!measurement.verification->passed) {
      measurement.status = Status::unverified;
      measurement.cause = measurement.verification->detail;
      return measurement;
    }
    emit_(message::Progress{Phase::time, index, range_name(id)});
    TimedWork work = team.timed_work(plan);
    const ResultCheck last = time(team, work, experiment, measurement);
    return last.passed ? measurement : gone_wrong(std::move(measurement), last.mismatch);
  }

  /// For a point that was right when it was verified, and whose last launches gave wrong results.
  static Measurement gone_wrong(Measurement measurement, const std::string& mismatch) {
    const std::size_t launches =
        measurement.time->samples_s.size() * static_cast<std::size_t>(measurement.time->launches_per_sample);
    measurement.status = Status::unverified;
    measurement.cause = fmt::format("right at first, wrong after {} timed launches: {}", launches, mismatch);
    measurement.verification->passed = false;
    measurement.verification->detail += "; " + measurement.cause;
    measurement.time.reset();
    return measurement;
  }

  void require_chip(const kernels::Variant& variant) const {
    if (variant.info.minimum_sm <= device_.compute_capability) return;
    throw Error(ErrorKind::environment,
                fmt::format("needs compute capability {}.{}, this GPU has {}.{}",
                            variant.info.minimum_sm / 10, variant.info.minimum_sm % 10,
                            device_.compute_capability / 10, device_.compute_capability % 10));
  }

  void count(std::span<const std::size_t> wanted) {
    const Clock::time_point start = Clock::now();
    std::vector<CountedPoint> points;
    points.reserve(wanted.size());
    const std::optional<std::string> refusal = attempt([&] {
      for (const std::size_t index : wanted)
        points.push_back({index, PreparedPoint(points_[index], bench_, stream_, 1), {}, {}, 0});
      count_again(points, 1, [](const CountedPoint&) { return true; });
    });
    if (refusal) {
      for (const std::size_t index : wanted)
        emit_(message::PointCounted{index, {.counters = unavailable_counters(basic_metrics(), *refusal)}});
    } else {
      repeat_counting(points);
      count_tensor_operations(points);
      for (const CountedPoint& point : points) {
        RepeatedCounters counted = repeated(point.repetitions);
        counted.counters.insert(point.tensor_operations.begin(), point.tensor_operations.end());
        emit_(message::PointCounted{point.index, counted});
      }
    }
    counters_.collection_s += seconds_since(start);
  }

  /// Returns why something could not be done with the profiler, if the profiler is to blame. If a launch
  /// failed, the point last named is to blame: this throws, and another process continues without that point.
  template <typename Function>
  std::optional<std::string> attempt(Function function) {
    try {
      function();
      return std::nullopt;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::measurement || !context_is_usable())
        throw Error(ErrorKind::measurement, error.what(), error.hint());
      return error.what();
    }
  }

  std::vector<Counters> gather(Profiler& profiler, const std::vector<CountedPoint*>& points) {
    std::vector<CountedRange> ranges;
    for (CountedPoint* counted : points) {
      ranges.push_back({[this, counted] {
                          const std::string name = range_name(counted->point.id());
                          emit_(message::Progress{Phase::count, counted->index, name});
                          prepare_caches(counted->point);
                        },
                        [this, counted] {
                          const Clock::time_point start = Clock::now();
                          launch_in_range(counted->point);
                          counted->seconds += seconds_since(start);
                        }});
    }
    return profiler.count(ranges);
  }

  /// Counts those of the points that are `wanted` some more times.
  template <typename Wanted>
  void count_again(std::vector<CountedPoint>& points, int times, Wanted wanted) {
    std::vector<CountedPoint*> chosen;
    for (CountedPoint& point : points) {
      if (wanted(point)) chosen.insert(chosen.end(), static_cast<std::size_t>(times), &point);
    }
    const std::vector<Counters> counters = gather(*profiler_, chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->repetitions.push_back(counters[i]);
  }

  void repeat_counting(std::vector<CountedPoint>& points) {
    // Where the profiler refuses, what was counted before stays.
    attempt([&] {
      count_again(points, kCountRepeats - 1, [](const CountedPoint& point) {
        return point.seconds <= kLongCountingSeconds ||
               difference_between_passes(point.repetitions.front()) > 0;
      });
    });
  }

  void count_tensor_operations(std::vector<CountedPoint>& points) {
    std::vector<CountedPoint*> chosen;
    for (CountedPoint& point : points) {
      if (tensor_instructions(point.repetitions.front()).value_or(0) > 0) chosen.push_back(&point);
    }
    if (chosen.empty()) return;
    const std::optional<std::string> refusal = attempt([&] {
      if (!tensor_profiler_) tensor_profiler_ = open_profiler(device_.index, tensor_metrics());
      const std::vector<Counters> counters = gather(*tensor_profiler_, chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->tensor_operations = counters[i];
      counters_.metrics.insert(tensor_profiler_->metrics().begin(), tensor_profiler_->metrics().end());
    });
    if (!refusal) return;
    for (CountedPoint* point : chosen)
      point->tensor_operations = unavailable_counters(tensor_metrics(), *refusal);
  }

  /// Fresh input, and the caches in the state that the point asks for.
  void prepare_caches(PreparedPoint& point) {
    point.fill_inputs();
    if (point.cache() == CacheState::cold) {
      timer_.cache_flush().enqueue(stream_);
    } else {
      point.launch(0);
      if (point.variant().info.destroys_input) point.fill_inputs();
    }
    stream_.synchronize();
  }

  void launch_in_range(PreparedPoint& point) {
    const NvtxRange range(range_name(point.id()));
    point.launch(0);
    stream_.synchronize();
  }

  const CollectRequest& request_;
  const std::function<void(const Message&)>& emit_;
  std::vector<PointId> points_;
  std::set<std::size_t> skipped_;
  std::set<std::size_t> only_counted_;
  DeviceInfo device_;
  std::optional<PcieLink> pcie_;
  Stream stream_;
  Workbench bench_;
  Timer timer_;
  BoardEnergy meter_;
  kernels::ReferenceSums references_;
  std::optional<Teammates> teammates_;         // from the first point over several GPUs on
  double launch_clock_hz_ = 0;                 // SM clock at which empty kernels ran
  std::optional<CeilingBench> ceiling_bench_;  // from the first ceiling to their confirmation
  std::unique_ptr<Profiler> profiler_;
  std::unique_ptr<Profiler> tensor_profiler_;  // from the first point with tensor instructions on
  CounterSession counters_;
  std::set<std::size_t> without_counters_;  // points whose result was not worth counting
};

}  // namespace

Catalogue linked_catalogue() {
  Catalogue catalogue;
  for (const kernels::Variant& variant : kernels::all_variants()) catalogue.variants.push_back(variant.info);
  for (const kernels::CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    catalogue.ceilings.push_back(benchmark.id);
  }
  catalogue.primitives = linked_primitives();
  return catalogue;
}

TestedDevice self_test(const std::string& selector) {
  TestedDevice tested;
  tested.device = select_device(selector);
  const std::unique_ptr<Profiler> profiler = open_profiler(tested.device.index, basic_metrics());
  tested.device.chip = profiler->chip();
  tested.device.cupti_version = profiler->version();
  tested.self_test = test_counters(tested.device, *profiler);
  return tested;
}

void collect(const CollectRequest& request, const std::function<void(const Message&)>& emit) {
  Collection collection(request, emit);
  collection.say_hello();
  switch (request.mode) {
    case CollectMode::measure:
      if (request.self_test) collection.test_counters();
      if (!request.skip_ceilings) {
        collection.measure_ceilings();
        collection.confirm_ceilings();
      }
      collection.measure_primitives();
      // All times of points before any of their counters: an attached profiler may slow launches down.
      collection.time_points();
      collection.count_points();
      break;
    case CollectMode::once:
      collection.launch_points_once();
      break;
    case CollectMode::count:
      collection.count_points();
      break;
    case CollectMode::trace:
      collection.trace_points();
      break;
  }
  collection.say_bye();
}

}  // namespace rooflinectl
