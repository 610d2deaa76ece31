// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "collector/steps/steps.h"
#include "core/elapsed.h"
#include "core/error.h"
#include "core/stats/repeated_counters.h"

namespace rooflinectl {

using message::Phase;
using Clock = std::chrono::steady_clock;

/// A point while it is being counted.
struct CountingSteps::CountedPoint {
  std::size_t index = 0;  ///< in the plan
  std::unique_ptr<PreparedPoint> point;
  std::vector<Counters> repetitions;
  Counters tensor_operations;  ///< where tensor instructions ran
  double seconds = 0;          ///< of all its launches while they were counted
};

namespace {

/// Setting up a counting pass takes about 0.2 s whatever is in it, so many points share one; but a point that
/// fails costs all of them their counters.
constexpr std::size_t kPointsCountedTogether = 64;

/// A launch that takes longer to be counted is counted once, unless its passes differ: instrumentation makes
/// some launches hundreds of times longer.
constexpr double kLongCountingSeconds = 0.1;

/// Every key of `metrics`, unavailable for the same reason.
Counters unavailable_counters(const std::vector<Metric>& metrics, const std::string& reason) {
  Counters counters;
  for (const Metric& metric : metrics) counters.emplace(metric.key, CounterValue::unavailable(reason));
  return counters;
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

}  // namespace

CountingSteps::CountingSteps(CollectContext& context) : context_(context) {
  if (context.request.counters) open();
}

void CountingSteps::timed(const std::function<void()>& step) {
  const Clock::time_point start = Clock::now();
  step();
  session_.collection_s += seconds_since(start);
}

void CountingSteps::open() {
  const Clock::time_point start = Clock::now();
  try {
    profiler_ = open_profiler(context_.device.index, basic_metrics());
    context_.device.chip = profiler_->chip();
    context_.device.cupti_version = profiler_->version();
    session_.available = true;
    session_.passes = profiler_->passes();
    session_.metrics = profiler_->metrics();
    session_.host_setup_s = seconds_since(start);
  } catch (const Error& error) {
    session_.available = false;
    session_.reason = error.what();
    session_.hint = error.hint();
  }
}

void CountingSteps::count_points(const std::set<std::size_t>& without_counters) {
  if (!profiler_) return;
  std::set<std::size_t> left_out = without_counters;
  left_out.insert(context_.request.skip_points.begin(), context_.request.skip_points.end());
  std::vector<std::size_t> wanted;
  for_each_experiment(context_.request.plan, [&](const Experiment& experiment, std::size_t first_point) {
    if (experiment.counters == CounterSet::none) return;
    for (std::size_t point = first_point; point < first_point + experiment.points.size(); ++point) {
      // Counters are those of one GPU.
      if (!left_out.contains(point) && !is_of_team(context_.points[point])) wanted.push_back(point);
    }
  });
  for (std::size_t first = 0; first < wanted.size(); first += kPointsCountedTogether) {
    const std::size_t points = std::min(kPointsCountedTogether, wanted.size() - first);
    timed([&] { count(std::span(wanted).subspan(first, points)); });
  }
}

void CountingSteps::count(std::span<const std::size_t> wanted) {
  std::vector<CountedPoint> points;
  points.reserve(wanted.size());
  const std::optional<std::string> refusal = attempt([&] {
    for (const std::size_t index : wanted)
      points.push_back(
          {index, context_.prepare(context_.points[index], 1, PreparedFor::counting), {}, {}, 0});
    count_again(points, 1, [](const CountedPoint&) { return true; });
  });
  if (refusal) {
    for (const std::size_t index : wanted)
      context_.emit(
          message::PointCounted{index, {.counters = unavailable_counters(basic_metrics(), *refusal)}});
  } else {
    repeat_counting(points);
    count_tensor_operations(points);
    for (const CountedPoint& point : points) {
      RepeatedCounters counted = repeated(point.repetitions);
      counted.counters.insert(point.tensor_operations.begin(), point.tensor_operations.end());
      context_.emit(message::PointCounted{point.index, counted});
    }
  }
}

std::vector<Counters> CountingSteps::gather(Profiler& profiler, const std::vector<CountedPoint*>& points) {
  std::vector<CountedRange> ranges;
  for (CountedPoint* counted : points) {
    ranges.push_back({[this, counted] {
                        const std::string name = range_name(counted->point->id());
                        context_.emit(message::Progress{Phase::count, counted->index, name});
                        prepare_caches(context_, *counted->point);
                      },
                      [this, counted] {
                        const Clock::time_point start = Clock::now();
                        launch_in_range(context_, *counted->point);
                        counted->seconds += seconds_since(start);
                      }});
  }
  return profiler.count(ranges);
}

/// Counts those of the points that `is_wanted` some more times.
void CountingSteps::count_again(std::vector<CountedPoint>& points, int times,
                                const std::function<bool(const CountedPoint&)>& is_wanted) {
  std::vector<CountedPoint*> chosen;
  for (CountedPoint& point : points) {
    if (is_wanted(point)) chosen.insert(chosen.end(), static_cast<std::size_t>(times), &point);
  }
  const std::vector<Counters> counters = gather(*profiler_, chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->repetitions.push_back(counters[i]);
}

void CountingSteps::repeat_counting(std::vector<CountedPoint>& points) {
  // Where the profiler refuses, what was counted before stays.
  attempt([&] {
    count_again(points, kCountRepeats - 1, [](const CountedPoint& point) {
      return point.seconds <= kLongCountingSeconds ||
             difference_between_passes(point.repetitions.front()) > 0;
    });
  });
}

void CountingSteps::count_tensor_operations(std::vector<CountedPoint>& points) {
  std::vector<CountedPoint*> chosen;
  for (CountedPoint& point : points) {
    if (tensor_instructions(point.repetitions.front()).value_or(0) > 0) chosen.push_back(&point);
  }
  if (chosen.empty()) return;
  const std::optional<std::string> refusal = attempt([&] {
    if (!tensor_profiler_) tensor_profiler_ = open_profiler(context_.device.index, tensor_metrics());
    const std::vector<Counters> counters = gather(*tensor_profiler_, chosen);
    for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i]->tensor_operations = counters[i];
    session_.metrics.insert(tensor_profiler_->metrics().begin(), tensor_profiler_->metrics().end());
  });
  if (!refusal) return;
  for (CountedPoint* point : chosen)
    point->tensor_operations = unavailable_counters(tensor_metrics(), *refusal);
}

}  // namespace rooflinectl
