// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <optional>
#include <set>

#include "collector/collect_context.h"
#include "collector/collector.h"
#include "collector/device/device.h"
#include "collector/device/nvml.h"
#include "collector/points/prepared_point.h"
#include "collector/steps/steps.h"
#include "collector/timing/timing.h"
#include "core/error.h"
#include "kernels/ceiling.h"
#include "kernels/variant.h"

namespace rooflinectl {

namespace {

using message::Phase;

/// One run through a request. The steps are in the order of `collect`.
class Collection {
 public:
  Collection(const CollectRequest& request, const CollectContext::Emit& emit)
      : context_(request, emit), skipped_(request.skip_points.begin(), request.skip_points.end()) {}

  void say_hello() {
    if (const auto state = device_state(context_.device.uuid)) {
      context_.device.settings = state->settings;
      pcie_ = state->pcie;
    }
    counting_.emplace(context_);
    emit(message::Hello{context_.device, linked_catalogue(), counting_->session()});
  }

  /// Whether the counters can be believed, before anything is counted that a report will show.
  void test_counters() {
    SelfTest self_test;
    self_test.reason = fmt::format("no counters: {}", counting_->session().reason);
    if (Profiler* const profiler = counting_->profiler()) {
      emit(message::Progress{Phase::self_test, std::nullopt, "the counters"});
      counting_->timed([&] { test_counters(*profiler, self_test); });
    }
    emit(message::SelfTested{self_test});
  }

  void measure_ceilings() {
    const bool counters = counting_->profiler() != nullptr;
    CeilingSteps ceilings(context_);
    ceilings.measure(pcie_, counters);
    if (counters) counting_->timed([&] { ceilings.confirm(); });
  }

  /// All begin their points together, when each has its ceilings.
  void meet_ranks() {
    const auto& place = context_.request.rank_place;
    if (!place || !place->obstacle.empty() || nccl::obstacle()) return;
    emit(message::Progress{Phase::meet, std::nullopt, ""});
    context_.ranks.emplace(context_.request, context_.device, context_.stream);
  }

  void measure_primitives() {
    PrimitiveBench bench(context_.device, context_.timer, context_.stream);
    for (const std::string& id : context_.request.plan.primitives) {
      emit(message::Progress{Phase::primitives, std::nullopt, id});
      const PrimitiveResult result = bench.measure(id);
      emit(message::PrimitiveMeasured{result});
      if (result.status == Status::failed && !context_is_usable()) {
        throw Error(ErrorKind::measurement, "the CUDA context is lost: " + result.cause);
      }
    }
  }

  void time_points() { without_counters_ = TimingSteps(context_).time_points(); }

  void count_points() { counting_->count_points(without_counters_); }

  void launch_points_once() {
    for (std::size_t point = 0; point < context_.points.size(); ++point) {
      if (skipped_.contains(point) || is_of_team(context_.points[point])) continue;
      emit(message::Progress{Phase::time, point, range_name(context_.points[point])});
      const auto prepared = context_.prepare(context_.points[point], 1, PreparedFor::counting);
      prepare_caches(context_, *prepared);
      launch_in_range(context_, *prepared);
    }
  }

  void launch_for_sanitizer() {
    for (std::size_t point = 0; point < context_.points.size(); ++point) {
      if (skipped_.contains(point) || !context_.file_kernels.has(context_.points[point])) continue;
      emit(message::Progress{Phase::time, point, range_name(context_.points[point])});
      context_.file_kernels.launch_apart(context_.points[point], context_.stream);
    }
  }

  void say_bye() { emit(message::Bye{counting_->session()}); }

 private:
  void emit(const Message& message) const { context_.emit(message); }

  void test_counters(Profiler& profiler, SelfTest& self_test) {
    try {
      self_test = rooflinectl::test_counters(context_.device, profiler);
    } catch (const Error& error) {
      if (!context_is_usable()) throw Error(ErrorKind::measurement, error.what(), error.hint());
      self_test.reason = error.what();
    }
  }

  CollectContext context_;
  std::set<std::size_t> skipped_;
  std::optional<PcieLink> pcie_;
  std::optional<CountingSteps> counting_;   // from the hello on
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
      if (!request.skip_ceilings) collection.measure_ceilings();
      collection.meet_ranks();
      collection.measure_primitives();
      // All points are timed before any of them is counted: an attached profiler may slow launches down.
      collection.time_points();
      collection.count_points();
      break;
    case CollectMode::once:
      collection.launch_points_once();
      break;
    case CollectMode::count:
      collection.count_points();
      break;
    case CollectMode::sanitize:
      collection.launch_for_sanitizer();
      break;
  }
  collection.say_bye();
}

namespace {

/// Room for most outputs. Taken before any other memory: atomic additions to one address take up to 7 %
/// longer or shorter (H200) depending on where in the device it lies; taken first, it lies at the same place
/// in every run.
constexpr std::size_t kOutputBytes = std::size_t{64} << 20;

}  // namespace

CollectContext::CollectContext(const CollectRequest& collect_request, const Emit& emit_message)
    : request(collect_request),
      emit(emit_message),
      points(all_points(collect_request.plan)),
      device(select_device(collect_request.device)),
      bench(kOutputBytes),
      timer(device, stream),
      file_kernels(request, device) {}

LaunchPlan CollectContext::plan_of(const PointId& point) const {
  return file_kernels.has(point) ? file_kernels.plan_of(point) : launch_plan(point, device);
}

std::unique_ptr<PreparedPoint> CollectContext::prepare(const PointId& point, int copies,
                                                       PreparedFor purpose) {
  if (file_kernels.has(point)) return file_kernels.prepare(point, bench, stream, copies, purpose);
  return std::make_unique<VariantPoint>(point, bench, stream, copies);
}

void CollectContext::place_inputs() {
  std::vector<std::size_t> bytes;
  for (const PointId& point : points) {
    if (file_kernels.has(point)) {
      bytes.push_back(file_kernels.input_bytes(point, plan_of(point).inputs));
    } else if (kernels::find_variant(point.subject) != nullptr && !is_of_team(point)) {
      bytes.push_back(variant_input_bytes(point, plan_of(point).inputs));
    }
  }
  rooflinectl::place_inputs(bytes, bench);
}

bool context_is_usable() {
  cudaGetLastError();
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool is_of_team(const PointId& point) {
  return point.axes.find(axis::kGpus) != nullptr;
}

void for_each_experiment(const Plan& plan,
                         const std::function<void(const Experiment&, std::size_t first_point)>& function) {
  std::size_t first_point = 0;
  for (const Experiment& experiment : plan.experiments) {
    function(experiment, first_point);
    first_point += experiment.points.size();
  }
}

void prepare_caches(CollectContext& context, PreparedPoint& point) {
  point.fill_inputs();
  if (point.cache() == CacheState::cold) {
    context.timer.cache_flush().enqueue(context.stream);
  } else {
    point.launch(0);
    if (point.changes_inputs()) point.fill_inputs();
  }
  context.stream.synchronize();
}

void launch_in_range(const CollectContext& context, PreparedPoint& point) {
  const NvtxRange range(range_name(point.id()));
  point.launch(0);
  context.stream.synchronize();
}

}  // namespace rooflinectl
