// SPDX-License-Identifier: Apache-2.0
#include "collector/timing_steps.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "collector/points/kernel_resources.h"
#include "collector/timing/energy.h"
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
  measurement.verification->passed = false;
  measurement.verification->detail += "; " + measurement.cause;
  measurement.time.reset();
  return measurement;
}

}  // namespace

std::set<std::size_t> TimingSteps::time_points() {
  const CollectRequest& request = context_.request;
  std::set<std::size_t> left_out(request.skip_points.begin(), request.skip_points.end());
  left_out.insert(request.count_only_points.begin(), request.count_only_points.end());
  std::set<std::size_t> without_counters;
  place_inputs(context_.points, context_.bench, context_.device);
  for_each_experiment(request.plan, [&](const Experiment& experiment, std::size_t first_point) {
    for (std::size_t i = 0; i < experiment.points.size(); ++i) {
      const std::size_t point = first_point + i;
      if (left_out.contains(point)) continue;
      const Measurement measurement = verify_and_time(point, experiment);
      if (measurement.status != Status::ok) without_counters.insert(point);
      context_.emit(message::PointTimed{point, measurement});
      if (measurement.status == Status::failed && !context_is_usable()) {
        throw Error(ErrorKind::measurement, "the CUDA context is lost: " + measurement.cause);
      }
    }
  });
  return without_counters;
}

/// Times `work`, which is that of `point`, and checks what the last launches left behind.
template <typename Point>
ResultCheck TimingSteps::time(Point& point, TimedWork& work, const Experiment& experiment,
                              Measurement& measurement) {
  ResultCheck last;
  work.finish = [&](const std::function<void()>& launch_again) {
    last = point.check_output(references_);
    if (!last.passed) return;
    // A result that is no longer written is right as long as an earlier launch's is still there.
    point.poison_output();
    launch_again();
    last = point.check_output(references_);
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
    const LaunchPlan plan = launch_plan(point, context_.device);
    PreparedPoint prepared(point, context_.bench, context_.stream, plan.inputs);
    measurement.launch = kernels::launch_shape(prepared.variant(), prepared.problem());
    measurement.work = prepared.variant().work(prepared.problem());
    require_chip(prepared.variant());
    measurement.verification =
        verify(prepared.variant(), prepared.problem(), prepared.memory(), references_, context_.stream);
    if (!measurement.verification->passed) {
      measurement.status = Status::unverified;
      measurement.cause = measurement.verification->detail;
      return measurement;
    }
    if (!prepared.variant().waits_for_device) {
      measurement.resources = kernel_resources([&] { prepared.launch(0); }, context_.stream);
    }
    context_.emit(message::Progress{Phase::time, index, range_name(point)});
    TimedWork work = prepared.timed_work(plan);
    const ResultCheck last = time(prepared, work, experiment, measurement);
    if (!last.passed) return gone_wrong(std::move(measurement), last.mismatch);
    if (!experiment.energy) return measurement;
    measurement.energy =
        measure_energy([&] { return meter_.joules(); }, work, [&] { context_.stream.synchronize(); });
  } catch (const Error& error) {
    measurement.status = Status::failed;
    measurement.cause = error.what();
    cudaSetDevice(context_.device.index);  // where another one of several failed
  }
  return measurement;
}

/// A point over several GPUs. Throws Error as what it launches.
Measurement TimingSteps::verify_and_time_team(std::size_t index, const Experiment& experiment) {
  Measurement measurement;
  measurement.point = context_.points[index];
  const PointId& id = measurement.point;
  const kernels::Variant* const variant = kernels::find_variant(id.subject);
  if (variant == nullptr || !variant->gathering) {
    throw Error(ErrorKind::usage, fmt::format("there is no variant '{}' over several GPUs", id.subject));
  }
  if (!teammates_) teammates_.emplace(context_.device);
  if (auto obstacle = teammates_->obstacle(gpus_of(id), *variant->gathering)) {
    measurement.status = Status::skipped;
    measurement.cause = std::move(*obstacle);
    return measurement;
  }
  require_chip(*variant);
  const LaunchPlan plan = launch_plan(share_of_one(id), context_.device);
  TeamPoint team(id, *teammates_, context_.stream, plan.inputs);
  measurement.launch = kernels::launch_shape(*variant, team.problem());
  measurement.work = variant->work(team.problem());
  measurement.work.link_bytes = variant->gathering->link_bytes(team.problem().dtype, team.problem().gpus);
  measurement.verification = team.verify(references_);
  if (!measurement.verification->passed) {
    measurement.status = Status::unverified;
    measurement.cause = measurement.verification->detail;
    return measurement;
  }
  context_.emit(message::Progress{Phase::time, index, range_name(id)});
  TimedWork work = team.timed_work(plan);
  const ResultCheck last = time(team, work, experiment, measurement);
  return last.passed ? measurement : gone_wrong(std::move(measurement), last.mismatch);
}

void TimingSteps::require_chip(const kernels::Variant& variant) const {
  if (variant.info.minimum_sm <= context_.device.compute_capability) return;
  throw Error(ErrorKind::environment,
              fmt::format("needs compute capability {}.{}, this GPU has {}.{}", variant.info.minimum_sm / 10,
                          variant.info.minimum_sm % 10, context_.device.compute_capability / 10,
                          context_.device.compute_capability % 10));
}

}  // namespace rooflinectl
