// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <memory>

#include "collector/points/prepared_point.h"
#include "collector/points/several_gpus.h"
#include "collector/steps/steps.h"
#include "collector/timing/timing.h"
#include "core/error.h"
#include "kernels/variant.h"

namespace rooflinectl {

using message::Phase;

namespace {

/// For a point that was right when it was verified, and whose last launches gave wrong results.
Measurement gone_wrong(Measurement measurement, const std::string& mismatch) {
  const std::size_t launches =
      measurement.time->samples_s.size() * static_cast<std::size_t>(measurement.time->launches_per_sample);
  measurement.status = Status::unverified;
  measurement.cause = fmt::format("right at first, wrong after {} timed launches: {}", launches, mismatch);
  if (!measurement.verification) measurement.verification.emplace();
  Verification& verification = *measurement.verification;
  verification.passed = false;
  if (!verification.detail.empty()) verification.detail += "; ";
  verification.detail += measurement.cause;
  measurement.time.reset();
  return measurement;
}

/// Throws Error(usage) if the variant is not one over several GPUs.
const kernels::Variant& variant_over_gpus(const PointId& id) {
  const kernels::Variant* const variant = kernels::find_variant(id.subject);
  if (variant != nullptr && variant->gathering) return *variant;
  throw Error(ErrorKind::usage, fmt::format("there is no variant '{}' over several GPUs", id.subject));
}

}  // namespace

std::set<std::size_t> TimingSteps::time_points() {
  const CollectRequest& request = context_.request;
  std::set<std::size_t> left_out(request.skip_points.begin(), request.skip_points.end());
  left_out.insert(request.count_only_points.begin(), request.count_only_points.end());
  std::set<std::size_t> without_counters;
  context_.place_inputs();
  for_each_experiment(request.plan, [&](const Experiment& experiment, std::size_t first_point) {
    for (std::size_t i = 0; i < experiment.points.size(); ++i) {
      const std::size_t point = first_point + i;
      if (left_out.contains(point)) continue;
      const bool is_shared = context_.request.rank_place && gpus_of(context_.points[point]) > 1;
      const Measurement measurement =
          is_shared ? verify_and_time_with_ranks(point, experiment) : verify_and_time(point, experiment);
      if (measurement.status != Status::ok) without_counters.insert(point);
      context_.emit(message::PointTimed{point, measurement});
      if (measurement.status == Status::failed && !context_is_usable()) {
        throw Error(ErrorKind::measurement, "the CUDA context is lost: " + measurement.cause);
      }
    }
  });
  return without_counters;
}

/// Times `work`, which is that of `point`, and checks with `check` what the last launches left behind.
template <typename Point>
ResultCheck TimingSteps::time(Point& point, const std::function<ResultCheck()>& check, TimedWork& work,
                              const Experiment& experiment, Measurement& measurement) {
  ResultCheck last;
  work.finish = [&](const std::function<void()>& launch_again) {
    last = check();
    if (!last.passed) return;
    // A result that is no longer written would seem right as long as that of an earlier launch is still
    // there.
    point.poison_output();
    launch_again();
    last = check();
  };
  measurement.time = context_.timer.measure(work, experiment.timing);
  return last;
}

Measurement TimingSteps::verify_and_time(std::size_t index, const Experiment& experiment) {
  const PointId& point = context_.points[index];
  Measurement measurement;
  measurement.point = point;
  try {
    context_.emit(message::Progress{Phase::verify, index, range_name(point)});
    if (is_of_team(point)) return verify_and_time_team(index, experiment);
    const LaunchPlan plan = context_.plan_of(point);
    const std::unique_ptr<PreparedPoint> prepared = context_.prepare(point, plan.inputs, PreparedFor::timing);
    measurement.launch = prepared->shape();
    measurement.work = prepared->work();
    require_chip(prepared->minimum_sm());
    measurement.verification = prepared->verify();
    if (measurement.verification && !measurement.verification->passed) {
      measurement.status = Status::unverified;
      measurement.cause = measurement.verification->detail;
      return measurement;
    }
    measurement.resources = prepared->resources();
    context_.emit(message::Progress{Phase::time, index, range_name(point)});
    TimedWork work = prepared->timed_work(plan);
    const ResultCheck last = time(
        *prepared, [&] { return prepared->check_output(); }, work, experiment, measurement);
    if (!last.passed) return gone_wrong(std::move(measurement), last.mismatch);
    if (!experiment.energy) return measurement;
    measurement.energy =
        measure_energy([&] { return meter_.joules(); }, work, [&] { context_.stream.synchronize(); });
  } catch (const Error& error) {
    measurement.status = Status::failed;
    measurement.cause = error.what();
    cudaSetDevice(context_.device.index);  // of several, the one that failed may be current
  }
  return measurement;
}

/// A point over several GPUs. Throws Error as what it launches.
Measurement TimingSteps::verify_and_time_team(std::size_t index, const Experiment& experiment) {
  const PointId& id = context_.points[index];
  Measurement measurement;
  measurement.point = id;
  const kernels::Variant& variant = variant_over_gpus(id);
  if (!teammates_) teammates_.emplace(context_.device);
  if (auto obstacle = teammates_->obstacle(gpus_of(id), *variant.gathering)) {
    measurement.status = Status::skipped;
    measurement.cause = std::move(*obstacle);
    return measurement;
  }
  require_chip(variant.info.minimum_sm);
  const LaunchPlan plan = launch_plan(share_of_one(id), context_.device);
  TeamPoint team(id, *teammates_, context_.stream, plan.inputs);
  return verify_and_time_shared(team, plan, index, experiment);
}

/// A point over several GPUs, of which this process has one. What goes wrong after the ranks have prepared it
/// is thrown: they are no longer at the same step.
Measurement TimingSteps::verify_and_time_with_ranks(std::size_t index, const Experiment& experiment) {
  const PointId& id = context_.points[index];
  Measurement measurement;
  measurement.point = id;
  context_.emit(message::Progress{Phase::verify, index, range_name(id)});
  const kernels::Variant& variant = variant_over_gpus(id);
  const auto skip = [&](std::string why) {
    measurement.status = Status::skipped;
    measurement.cause = std::move(why);
    return measurement;
  };
  if (!context_.ranks) {
    const std::string& obstacle = context_.request.rank_place->obstacle;
    return skip(obstacle.empty() ? nccl::obstacle().value_or("") : obstacle);
  }
  if (auto obstacle = context_.ranks->obstacle(gpus_of(id), *variant.gathering)) return skip(*obstacle);
  RankCommunicator* const communicator = context_.ranks->communicator(gpus_of(id));
  if (communicator == nullptr) return skip("other ranks measure it");
  const LaunchPlan plan = launch_plan(share_of_one(id), context_.device);
  std::optional<RankPoint> point;
  try {
    require_chip(variant.info.minimum_sm);
    point.emplace(id, context_.ranks->rank(), context_.device, context_.stream, plan.inputs);
  } catch (const Error& error) {
    measurement.cause = error.what();
  }
  if (const auto rank = communicator->first_wrong(!point)) {
    measurement.status = Status::failed;
    if (point) measurement.cause = fmt::format("rank {} cannot measure it", *rank);
    return measurement;
  }
  point->connect(*communicator);
  return verify_and_time_shared(*point, plan, index, experiment);
}

/// `point` is a `TeamPoint` or a `RankPoint`.
template <typename Point>
Measurement TimingSteps::verify_and_time_shared(Point& point, const LaunchPlan& plan, std::size_t index,
                                                const Experiment& experiment) {
  const kernels::Variant& variant = point.variant();
  Measurement measurement;
  measurement.point = context_.points[index];
  measurement.launch = kernels::launch_shape(variant, point.problem());
  measurement.work = variant.work(point.problem());
  measurement.work.link_bytes = variant.gathering->link_bytes(point.problem().dtype, point.problem().gpus);
  kernels::ReferenceSums& references = context_.bench.references;
  measurement.verification = point.verify(references);
  if (!measurement.verification->passed) {
    measurement.status = Status::unverified;
    measurement.cause = measurement.verification->detail;
    return measurement;
  }
  context_.emit(message::Progress{Phase::time, index, range_name(measurement.point)});
  TimedWork work = point.timed_work(plan);
  const ResultCheck last = time(
      point, [&] { return point.check_output(references); }, work, experiment, measurement);
  return last.passed ? measurement : gone_wrong(std::move(measurement), last.mismatch);
}

void TimingSteps::require_chip(int minimum_sm) const {
  const int sm = context_.device.compute_capability;
  if (minimum_sm <= sm) return;
  throw Error(ErrorKind::environment, fmt::format("needs compute capability {}.{}, this GPU has {}.{}",
                                                  minimum_sm / 10, minimum_sm % 10, sm / 10, sm % 10));
}

}  // namespace rooflinectl
