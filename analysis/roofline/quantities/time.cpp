// SPDX-License-Identifier: Apache-2.0
// Times and samples.
#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl::quantity {

namespace {

MaybeValue empty_launch_s(R run, P point) {
  if (!is_timed(*point.measurement)) return std::nullopt;
  // A program's trace has the time of the kernel itself, as a graph of kernels does, and not that of the
  // launch.
  if (is_observed(point)) return ceiling(run, point, ceiling_id::kGraphNode);
  return ceiling(
      run, point,
      point.measurement->time->launches_per_sample > 1 ? ceiling_id::kGraphNode : ceiling_id::kLaunch);
}

}  // namespace

const Quantity kTime =
    in_unit<Unit::seconds>("time", "median time of a launch", [](R, P p) { return time_s(p); });

const Quantity kEmptyLaunch = in_unit<Unit::seconds>(
    "time of an empty kernel",
    "ceiling `graph_node` if the point was timed in a CUDA graph, or by the trace of a program; else "
    "`launch`",
    empty_launch_s);

const Quantity kLaunchMultiple =
    in_unit<Unit::factor>("time relative to an empty kernel", "time / time of an empty kernel",
                          [](R run, P p) { return quotient(time_s(p), empty_launch_s(run, p)); });

const Quantity kLaunchShare =
    in_unit<Unit::ratio>("empty kernel's share of the time", "time of an empty kernel / time",
                         [](R run, P p) { return quotient(empty_launch_s(run, p), time_s(p)); });

const Quantity kLaunchesPerSample =
    in_unit<Unit::count>("launches per sample", "as timed; more than one in a CUDA graph", [](R, P p) {
      const auto& time = p.measurement->time;
      return time ? MaybeValue(time->launches_per_sample) : std::nullopt;
    });

const Quantity kThrottledSamples = in_unit<Unit::count>(
    "throttled samples", "samples slowed down by something other than the kernel", [](R, P p) {
      const auto& time = p.measurement->time;
      return time ? MaybeValue(time->throttled_samples) : std::nullopt;
    });

const Quantity kOverlappedShare = in_unit<Unit::ratio>(
    "share of the time beside other kernels",
    "of a profiled program's kernel, the time of its launches while another kernel ran too / their time",
    [](R, P p) -> MaybeValue {
      const auto& launches = p.measurement->launches;
      return launches ? quotient(launches->overlapped_s, launches->total_s) : std::nullopt;
    });

const Quantity kSamples = in_unit<Unit::count>("samples", "all samples of the time", [](R, P p) {
  const auto& time = p.measurement->time;
  return time ? MaybeValue(static_cast<double>(time->samples_s.size())) : std::nullopt;
});

}  // namespace rooflinectl::quantity
