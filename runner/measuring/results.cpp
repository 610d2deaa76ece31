// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/elapsed.h"
#include "core/machine/environment.h"
#include "core/model/known_ceilings.h"
#include "core/serial/run_file.h"
#include "runner/built_in.h"
#include "runner/machine/machine.h"

namespace rooflinectl {

using message::Phase;
using namespace std::chrono_literals;

namespace {

/// The reason that all of the counters share for being unavailable; nothing if one was counted.
std::optional<std::string> why_nothing_was_counted(const Counters& counters) {
  if (counters.empty()) return std::nullopt;
  const std::string& reason = counters.begin()->second.reason();
  const bool shared = std::ranges::all_of(counters, [&](const auto& entry) {
    return !entry.second.available() && entry.second.reason() == reason;
  });
  return shared ? std::optional(reason) : std::nullopt;
}

}  // namespace

Run new_run(Plan plan, std::vector<std::string> command_line, std::vector<CompiledKernel> compiled_kernels,
            std::chrono::system_clock::time_point time) {
  Run run;
  run.tool_version = tool_version();
  run.tool_commit = tool_commit();
  run.started_utc = utc_time(time);
  run.host = host_name();
  run.environment = host_environment();
  run.command_line = std::move(command_line);
  run.plan = std::move(plan);
  run.compiled_kernels = std::move(compiled_kernels);
  return run;
}

Results::Results(const MeasureRequest& request, const std::vector<Run>& earlier_ceilings,
                 const MeasureObserver& observer)
    : request_(request),
      earlier_ceilings_(earlier_ceilings),
      observer_(observer),
      worklist_(request.plan, request.device, request.counters),
      run_(request.unfinished
               ? request.unfinished->run
               : new_run(request.plan, request.command_line, request.compiled_kernels, started_utc_)),
      earlier_wall_s_(run_.wall_s) {
  if (request.rank && request.rank->address.empty()) {
    ranks_obstacle_ =
        "needs NCCL_COMM_ID=HOST:PORT, a free port on the host of rank 0, in the environment of all ranks";
  }
  if (request.self_test) worklist_.want_self_test();
  if (request.skip_ceilings) worklist_.ceilings_finished();
  if (!request.unfinished) return;
  worklist_.take_over(run_);
  rank_ = rank_of(request.unfinished->folder);
  const std::map<std::string, std::size_t> places = places_of(worklist_.points());
  for (const Measurement& measurement : run_.measurements) {
    if (measurement.rank) rank_ = measurement.rank;
    const auto place = places.find(range_name(measurement.point));
    if (place != places.end()) measurements_[place->second] = measurement;
  }
}

CollectRequest Results::request() const {
  CollectRequest request = worklist_.request();
  request.compiled_kernels = request_.compiled_kernels;
  request.references = request_.references.string();
  if (const auto& rank = request_.rank) {
    request.rank_place = {rank->rank, rank->ranks.value(), rank->address, ranks_obstacle_};
  }
  for (const Run& run : earlier_ceilings_) request.known_ceilings.push_back(known_ceilings(run));
  return request;
}

const char* Results::violation_of(const Message& message) const {
  const auto is_point = [this](std::size_t point) { return point < worklist_.points().size(); };
  if (const auto* step = std::get_if<message::Progress>(&message)) {
    const bool named = step->point && is_point(*step->point);
    const bool names_a_point =
        step->phase == Phase::verify || step->phase == Phase::time || step->phase == Phase::count;
    if (names_a_point && !named) return "reported progress on a point that is not in the plan";
  }
  if (const auto* primitive = std::get_if<message::PrimitiveMeasured>(&message)) {
    const auto& wanted = request_.plan.primitives;
    const bool is_wanted = std::ranges::find(wanted, primitive->result.info.id) != wanted.end();
    if (!is_wanted) return "measured a primitive that is not in the plan";
  }
  if (const auto* timed = std::get_if<message::PointTimed>(&message)) {
    if (!is_point(timed->point) || timed->measurement.point != worklist_.points()[timed->point]) {
      return "measured a point that is not in the plan";
    }
  }
  if (const auto* counted = std::get_if<message::PointCounted>(&message)) {
    if (!measurements_.contains(counted->point)) return "counted a point that was not measured";
  }
  if (const auto* known = std::get_if<message::CeilingsKnown>(&message)) {
    if (known->index >= earlier_ceilings_.size()) return "accepted ceilings that it was not sent";
  }
  return nullptr;
}

TimingTarget Results::timing_of(const message::Progress& step) const {
  if (!step.point) return {};
  const std::string& name = worklist_.points()[*step.point].experiment;
  const auto& experiments = request_.plan.experiments;
  return std::ranges::find_if(experiments, [&](const auto& e) { return e.name == name; })->timing;
}

// ---- messages ----

void Results::add(const message::Hello& hello) {
  counts_ = hello.counter_session.available;
  const bool first = !is_open();
  if (first) open(hello);
  set_counter_session(hello.counter_session);
  if (!first) return;
  observer_(MeasureStart{run(), folder(), request_.unfinished.has_value(), request_.counters,
                         worklist_.to_measure().size(), worklist_.to_count().size(),
                         worklist_.points_with_counters(), worklist_.primitives().size()});
}

void Results::open(const message::Hello& hello) {
  if (request_.unfinished) {
    require_same_device(*request_.unfinished, hello.device);
    lock_ = FolderLock(request_.unfinished->folder);
    folder_ = request_.unfinished->folder;
    run_.resumed_utc.push_back(utc_time(started_utc_));
  } else {
    if (request_.rank) rank_ = request_.rank->rank;
    folder_ = create_run_folder(request_.output, run_.plan.name, started_utc_, request_.rank);
    lock_ = FolderLock(folder_);
    run_.catalogue = hello.catalogue;
  }
  run_.devices[0] = hello.device;
  write();
}

void Results::set_counter_session(const CounterSession& session) {
  // A collector that was started again may have no counters: what was counted before stays.
  if (session.available || !run_.counter_session.available) {
    const std::map<std::string, std::string> earlier = run_.counter_session.metrics;
    run_.counter_session = session;
    // Those of tensor operations are known only to a collector that counted some.
    run_.counter_session.metrics.insert(earlier.begin(), earlier.end());
  }
  has_news_ = true;
}

void Results::add(const message::Progress& step) {
  if (step.point || step.phase == Phase::primitives || step.phase == Phase::meet)
    worklist_.ceilings_finished();
  observer_(step);
}

void Results::add(const message::SelfTested& tested) {
  run_.self_test = tested.self_test;
  has_news_ = true;
  worklist_.self_test_finished();
  observer_(tested.self_test);
}

void Results::add(const message::CeilingMeasured& measured) {
  const Ceiling& ceiling = measured.ceiling;
  keep(ceiling);
  if (!ceiling.confirmation) observer_(ceiling);
  // Until it is confirmed it may have to be measured again: a new collector cannot count what the last one
  // ran.
  const bool is_complete = !counts_ || is_confirmed(ceiling);
  if (ceiling.source == CeilingSource::measured && is_complete) worklist_.ceiling_measured(ceiling.id);
}

void Results::add(const message::CeilingsKnown& known) {
  std::size_t used = 0;
  std::string measured_utc;
  for (const Ceiling& ceiling : earlier_ceilings_[known.index].ceilings) {
    if (is_known(run_, ceiling)) continue;
    if (!is_wanted(ceiling) || (counts_ && !is_confirmed(ceiling))) continue;
    keep(ceiling);
    if (ceiling.source != CeilingSource::measured) continue;
    worklist_.ceiling_measured(ceiling.id);
    measured_utc = std::max(measured_utc, ceiling.measured_utc);
    ++used;
  }
  if (used > 0) observer_(ReusedCeilings{used, measured_utc});
}

/// Replaces a ceiling of the same id, source and device. A measured one without a time was measured now.
void Results::keep(Ceiling ceiling) {
  const auto same = std::ranges::find_if(run_.ceilings, [&](const Ceiling& other) {
    return other.id == ceiling.id && other.source == ceiling.source && other.device == ceiling.device;
  });
  const bool is_confirmation = same != run_.ceilings.end() && ceiling.confirmation && !same->confirmation;
  if (ceiling.source == CeilingSource::measured && ceiling.measured_utc.empty()) {
    ceiling.measured_utc = is_confirmation ? same->measured_utc : utc_time(std::chrono::system_clock::now());
  }
  if (same != run_.ceilings.end()) {
    *same = std::move(ceiling);
  } else {
    run_.ceilings.push_back(std::move(ceiling));
  }
  has_news_ = true;
}

/// Whether the plan asks for the ceiling, or for the one that it is measured with.
bool Results::is_wanted(const Ceiling& ceiling) const {
  const auto& wanted = request_.plan.ceilings;
  std::string_view id = ceiling.id;
  if (id.ends_with(ceiling_id::kSustained)) id.remove_suffix(ceiling_id::kSustained.size());
  return std::ranges::find(wanted, id) != wanted.end();
}

/// In place of a result of the same primitive; they stay in the order of the plan.
void Results::add(const message::PrimitiveMeasured& measured) {
  const PrimitiveResult& result = measured.result;
  const auto place = [&](const PrimitiveResult& other) {
    return std::ranges::find(run_.plan.primitives, other.info.id) - run_.plan.primitives.begin();
  };
  std::erase_if(run_.primitives,
                [&](const PrimitiveResult& other) { return other.info.id == result.info.id; });
  const auto after =
      std::ranges::find_if(run_.primitives, [&](const auto& other) { return place(other) > place(result); });
  run_.primitives.insert(after, result);
  has_news_ = true;
  worklist_.primitive_finished(result.info.id);
  observer_(result);
}

void Results::add(const message::PointTimed& timed) {
  measurements_[timed.point] = timed.measurement;
  measurements_[timed.point].rank = rank_;
  has_news_ = true;
  worklist_.point_timed(timed.point, timed.measurement.status);
  observer_(timed.measurement);
}

void Results::add(const message::PointCounted& counted) {
  add_counters(counted.point, counted.counted);
  if (const auto reason = why_nothing_was_counted(counted.counted.counters)) {
    const std::string loss = fmt::format("counters: {}", *reason);
    // A reason that costs many points their counters is reported once.
    if (std::ranges::find(losses_, loss) == losses_.end()) add_loss(loss);
  }
  worklist_.point_finished(counted.point);
}

void Results::add(const message::Bye& bye) {
  set_counter_session(bye.counter_session);
}

void Results::add_counters(std::size_t point, const RepeatedCounters& counted) {
  Measurement& measurement = measurements_.at(point);
  measurement.counters = counted.counters;
  measurement.counter_repeats = counted.repeats;
  measurement.counter_spread = counted.spread;
  has_news_ = true;
}

/// Makes every counter of a point unavailable.
void Results::add_missing_counters(std::size_t point, const std::string& reason) {
  Counters counters;
  for (const auto& [key, metric] : run_.counter_session.metrics) {
    counters.emplace(key, CounterValue::unavailable(reason));
  }
  add_counters(point, {.counters = counters});
}

// ---- when things go wrong ----

void Results::add_failed_primitive(const std::string& id, const std::string& cause) {
  PrimitiveResult result;
  result.info.id = id;
  for (const PrimitiveInfo& info : run_.catalogue.primitives) {
    if (info.id == id) result.info = info;
  }
  result.status = Status::failed;
  result.cause = cause;
  add(message::PrimitiveMeasured{result});
}

void Results::leave_ranks(const std::string& cause) {
  const auto& places = worklist_.to_measure();
  const bool is_needed =
      std::ranges::any_of(places, [&](std::size_t point) { return gpus_of(worklist_.points()[point]) > 1; });
  if (!request_.rank || !ranks_obstacle_.empty() || !is_needed) return;
  ranks_obstacle_ = fmt::format("needs all ranks: the collector of rank {} {}", request_.rank->rank, cause);
  add_loss(fmt::format("points over several GPUs: {}", ranks_obstacle_));
}

void Results::give_up(const message::Progress& step, const std::string& cause) {
  if (step.phase == Phase::self_test) {
    add(message::SelfTested{{.reason = cause}});
  } else if (step.phase == Phase::confirm) {
    worklist_.ceilings_finished();
    add_loss(fmt::format("confirmation of the ceilings: {}", cause));
  } else if (step.phase == Phase::ceilings) {
    worklist_.give_up_ceiling(step.what);
    add_loss(fmt::format("ceiling {}: {}", step.what, cause));
  } else if (step.phase == Phase::primitives) {
    worklist_.ceilings_finished();
    add_failed_primitive(step.what, cause);
  } else if (step.phase == Phase::meet) {
    worklist_.ceilings_finished();
  } else if (worklist_.needs_result(*step.point)) {
    add_failure(*step.point, cause);
  } else if (worklist_.needs_counters(*step.point)) {
    add_missing_counters(*step.point, cause);
    worklist_.point_finished(*step.point);
    add_loss(fmt::format("counters of {}: {}", range_name(worklist_.points()[*step.point]), cause));
  }
}

void Results::add_loss(const std::string& loss) {
  losses_.push_back(loss);
  observer_(MeasureWarning{loss});
}

void Results::add_failure(std::size_t point, const std::string& cause) {
  message::PointTimed timed{point, {}};
  timed.measurement.point = worklist_.points()[point];
  timed.measurement.status = Status::failed;
  timed.measurement.cause = cause;
  add(timed);
}

void Results::mark_what_is_left(const std::string& cause) {
  for (const std::string& id : std::vector(worklist_.primitives())) {
    add_failed_primitive(id, fmt::format("not measured: {}", cause));
  }
  for (const std::size_t point : worklist_.to_measure()) {
    add_failure(point, fmt::format("not measured: {}", cause));
  }
  if (!run_.counter_session.available) return;
  for (const std::size_t point : worklist_.to_count()) {
    // The reason why there are none, from an earlier attempt.
    if (!measurements_.at(point).counters.empty()) continue;
    add_missing_counters(point, fmt::format("not counted: {}", cause));
  }
}

// ---- keeping results ----

std::optional<Results::Clock::time_point> Results::save_due() const {
  return has_news_ && is_open() ? std::optional(next_save_) : std::nullopt;
}

void Results::write() {
  const Clock::time_point begin = Clock::now();
  next_save_ = begin + 1s;
  run_.wall_s = earlier_wall_s_ + seconds_since(started_);
  run_.measurements.clear();
  for (const auto& [point, measurement] : measurements_) run_.measurements.push_back(measurement);
  write_run(run_file(folder_), run_);
  has_news_ = false;
  next_save_ += 10 * (Clock::now() - begin);
}

void Results::save() {
  try {
    write();
    save_failed_ = false;
  } catch (const Error& error) {
    if (!save_failed_) observer_(MeasureWarning{fmt::format("{}; measuring continues", error.what())});
    save_failed_ = true;
  }
}

void Results::save_finally() {
  try {
    write();
  } catch (const Error& error) {
    throw rescue_run(run_, error);
  }
}

}  // namespace rooflinectl
