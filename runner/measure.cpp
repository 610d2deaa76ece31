// SPDX-License-Identifier: Apache-2.0
#include "runner/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/model/known_ceilings.h"
#include "core/serial/protocol.h"
#include "core/serial/run_file.h"
#include "runner/ceiling_cache.h"
#include "runner/collector_process.h"
#include "runner/device_lock.h"
#include "runner/recorder.h"
#include "runner/run_folder.h"
#include "runner/stop_signals.h"
#include "runner/worklist.h"

namespace rooflinectl {

namespace {

using namespace std::chrono_literals;
using Clock = CollectorProcess::Clock;
using message::Phase;
using Seconds = std::chrono::duration<double>;

constexpr int kMaxRestarts = 20;
constexpr Seconds kStartLimit = 120s;
constexpr Seconds kExitLimit = 5s;

/// How long a collector may be silent before it counts as hung: far longer than any step takes.
Seconds usual_silence_limit(Phase phase, const TimingTarget& timing) {
  if (phase == Phase::verify) return 300s;
  if (phase == Phase::time) return 60s + Seconds(10 * timing.time_limit_s);
  return 120s;
}

/// The environment variable ROOFLINECTL_SILENCE_LIMIT overrides it, in seconds: for slow tools like
/// compute-sanitizer.
std::optional<Seconds> silence_limit_from_environment() {
  const char* const text = std::getenv("ROOFLINECTL_SILENCE_LIMIT");
  if (text == nullptr) return std::nullopt;
  double seconds = 0;
  const char* const text_end = text + std::strlen(text);
  const auto [end, error] = std::from_chars(text, text_end, seconds);
  const bool valid = error == std::errc() && end == text_end && seconds > 0 && seconds < 1e6;
  if (valid) return Seconds(seconds);
  throw Error(ErrorKind::usage,
              fmt::format("ROOFLINECTL_SILENCE_LIMIT: '{}' is not a number of seconds", text));
}

/// The reason that all of the counters share for being unavailable; nothing if one was counted.
std::optional<std::string> why_nothing_was_counted(const Counters& counters) {
  if (counters.empty()) return std::nullopt;
  const std::string& reason = counters.begin()->second.reason();
  const bool shared = std::all_of(counters.begin(), counters.end(), [&](const auto& entry) {
    return !entry.second.available() && entry.second.reason() == reason;
  });
  return shared ? std::optional(reason) : std::nullopt;
}

/// One run of a plan, over as many collectors as it takes:
///   1. start a collector with the worklist; its hello opens the run's folder
///   2. progress names what it works on, results are recorded and taken off the worklist
///   3. if it dies, what it was working on is to blame: mark that, and continue with 1
///   4. mark what is left, write run.json
class Measuring {
 public:
  Measuring(const MeasureRequest& request, const std::vector<Run>& earlier_ceilings,
            MeasureObserver& observer)
      : request_(request),
        earlier_ceilings_(earlier_ceilings),
        observer_(observer),
        worklist_(request.plan, request.device, request.counters),
        recorder_(request.unfinished ? Recorder(*request.unfinished)
                                     : Recorder(request.plan, request.command_line)) {
    if (request.self_test) worklist_.want_self_test();
    if (request.unfinished) worklist_.take_over(request.unfinished->run);
  }

  MeasureResult run() {
    if (request_.unfinished && worklist_.finished()) {
      observer_.warned("nothing to resume: the run is complete");
      return {request_.unfinished->run, request_.unfinished->folder, {}, {}, {}};
    }
    Outcome outcome = run_collector();
    for (int restarts = 0; outcome == Outcome::lost && !worklist_.finished(); ++restarts) {
      if (restarts == kMaxRestarts) {
        stopped_by_ = Error(ErrorKind::measurement, fmt::format("the collector died {} times", restarts + 1),
                            fmt::format("collector log: {}", log_file().string()));
        break;
      }
      outcome = run_collector();
    }
    observer_.ended();
    if (!stop_signal_) mark_what_is_left();
    if (recorder_.is_open()) save_finally();
    return {as_written(recorder_.run()), recorder_.folder(), losses_, stop_signal_, stopped_by_};
  }

 private:
  /// How a collector ended.
  enum class Outcome {
    finished,  ///< it has done all that it was asked for
    lost,      ///< it crashed, hung or broke the protocol: another one can continue
    stopped,   ///< nothing more can or shall be measured
  };

  Outcome run_collector() {
    CollectRequest request = worklist_.request();
    request.known_ceilings = earlier_ceilings();
    CollectorProcess process(request_.collector, {}, encode(request));
    said_hello_ = false;
    said_bye_ = false;
    current_.reset();
    Clock::time_point deadline = silence_deadline();
    while (true) {
      const auto save_due = recorder_.save_due();
      const CollectorProcess::Event event =
          process.next(save_due ? std::min(deadline, *save_due) : deadline, stop_signals_.fd());
      if (save_due && Clock::now() >= *save_due) save();

      const bool silent = std::holds_alternative<CollectorProcess::TimedOut>(event);
      if (silent && Clock::now() < deadline) continue;  // woken up to save
      if (const auto outcome = handle_event(event)) {
        process.end();
        return *outcome;
      }
      if (std::holds_alternative<CollectorProcess::Line>(event)) deadline = silence_deadline();
    }
  }

  Seconds current_limit() const {
    if (said_bye_) return kExitLimit;
    if (!current_) return kStartLimit;
    return silence_limit_ ? *silence_limit_ : usual_silence_limit(current_->phase, timing_of(*current_));
  }

  Clock::time_point silence_deadline() const {
    return Clock::now() + std::chrono::ceil<Clock::duration>(current_limit());
  }

  TimingTarget timing_of(const message::Progress& step) const {
    if (!step.point) return {};
    const std::string& name = worklist_.points()[*step.point].experiment;
    const auto& experiments = request_.plan.experiments;
    return std::find_if(experiments.begin(), experiments.end(), [&](const auto& e) { return e.name == name; })
        ->timing;
  }

  std::filesystem::path log_file() const { return recorder_.folder() / "collector.log"; }

  // -- events: each gives the outcome if the collector came to its end with it --

  std::optional<Outcome> handle_event(const CollectorProcess::Event& event) {
    return std::visit([this](const auto& content) { return handle(content); }, event);
  }

  std::optional<Outcome> handle(const CollectorProcess::Line& line) {
    Message message;
    try {
      message = decode(line.text);
    } catch (const Error&) {
      log_.add(fmt::format("cannot parse: {}", line.text.substr(0, 200)));
      return lost("sent a line that cannot be parsed");
    }
    if (const char* const violation = protocol_violation(message)) return lost(violation);
    return std::visit([this](const auto& content) { return handle(content); }, message);
  }

  std::optional<Outcome> handle(const CollectorProcess::LogLine& line) {
    log_.add(line.text);
    observer_.logged(line.text);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const CollectorProcess::LineTooLong&) {
    return lost("sent a line that never ends");
  }

  std::optional<Outcome> handle(const CollectorProcess::Exited& exited) {
    return said_bye_ ? Outcome::finished : lost(describe_exit(exited.wait_status));
  }

  std::optional<Outcome> handle(const CollectorProcess::TimedOut&) {
    if (said_bye_) return Outcome::finished;
    return lost(fmt::format("hung (no output for {:g} s)", current_limit().count()));
  }

  std::optional<Outcome> handle(const CollectorProcess::StopRequested&) {
    stop_signal_ = stop_signals_.take().value_or(SIGTERM);
    return Outcome::stopped;
  }

  // -- messages: each gives the outcome if the collector came to its end with it --

  /// What is wrong with a message that is well formed; null if nothing is.
  const char* protocol_violation(const Message& message) const {
    const auto is_point = [this](std::size_t point) { return point < worklist_.points().size(); };
    if (const auto* step = std::get_if<message::Progress>(&message)) {
      const bool named = step->point && is_point(*step->point);
      const bool names_a_point =
          step->phase == Phase::verify || step->phase == Phase::time || step->phase == Phase::count;
      if (names_a_point && !named) return "reported progress on a point that is not in the plan";
    }
    if (const auto* primitive = std::get_if<message::PrimitiveMeasured>(&message)) {
      const auto& wanted = request_.plan.primitives;
      const bool is_wanted =
          std::find(wanted.begin(), wanted.end(), primitive->result.info.id) != wanted.end();
      if (!is_wanted) return "measured a primitive that is not in the plan";
    }
    if (const auto* timed = std::get_if<message::PointTimed>(&message)) {
      if (!is_point(timed->point) || timed->measurement.point != worklist_.points()[timed->point]) {
        return "measured a point that is not in the plan";
      }
    }
    if (const auto* counted = std::get_if<message::PointCounted>(&message)) {
      if (!recorder_.has_measurement(counted->point)) return "counted a point that was not measured";
    }
    if (const auto* known = std::get_if<message::CeilingsKnown>(&message)) {
      if (known->index >= earlier_ceilings_.size()) return "accepted ceilings that it was not sent";
    }
    if (std::holds_alternative<message::PointTraced>(message)) return "sent a trace instead of a measurement";
    const bool may_come_first =
        std::holds_alternative<message::Hello>(message) || std::holds_alternative<message::Failure>(message);
    return said_hello_ || may_come_first ? nullptr : "sent results before its hello";
  }

  std::optional<Outcome> handle(const message::Hello& hello) {
    said_hello_ = true;
    counts_ = hello.counter_session.available;
    const bool first = !recorder_.is_open();
    if (first) {
      open_folder(hello);
      log_.set_file(log_file());
    }
    recorder_.set_counter_session(hello.counter_session);
    if (first) {
      observer_.started({recorder_.run(), recorder_.folder(), request_.unfinished.has_value(),
                         request_.counters, worklist_.to_measure().size(), worklist_.to_count().size(),
                         worklist_.points_with_counters(), worklist_.primitives().size()});
      lock(hello.device);
    }
    return std::nullopt;
  }

  void lock(const DeviceInfo& device) {
    device_lock_ = DeviceLock(device.uuid);
    if (const auto& other = device_lock_.other()) {
      observer_.warned(fmt::format(
          "another rooflinectl ({}) is measuring on this GPU: the times of both runs are unreliable",
          *other));
    }
  }

  void open_folder(const message::Hello& hello) {
    if (!request_.unfinished) return recorder_.open(request_.output, hello);
    require_same_device(*request_.unfinished, hello.device);
    recorder_.reopen(request_.unfinished->folder, hello);
  }

  std::optional<Outcome> handle(const message::Progress& step) {
    if (step.point || step.phase == Phase::primitives) worklist_.ceilings_finished();
    current_ = step;
    observer_.began(step);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::SelfTested& tested) {
    add(tested.self_test);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::CeilingMeasured& measured) {
    const Ceiling& ceiling = measured.ceiling;
    recorder_.add(ceiling);
    if (!ceiling.confirmation) observer_.measured(ceiling);
    // Until it is confirmed it may have to be measured again: a new collector cannot count what the last one
    // ran.
    const bool is_complete = ceiling.confirmation || !counts_ || ceiling.kind == CeilingKind::latency;
    if (ceiling.source == CeilingSource::measured && is_complete) worklist_.ceiling_measured(ceiling.id);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::CeilingsKnown& known) {
    std::size_t used = 0;
    std::string measured_utc;
    for (const Ceiling& ceiling : earlier_ceilings_[known.index].ceilings) {
      if (find_ceiling(recorder_.run(), ceiling.id, ceiling.source, ceiling.device) != nullptr) continue;
      if (!is_wanted(ceiling) || (counts_ && !is_confirmed(ceiling))) continue;
      recorder_.add(ceiling);
      if (ceiling.source != CeilingSource::measured) continue;
      worklist_.ceiling_measured(ceiling.id);
      measured_utc = std::max(measured_utc, ceiling.measured_utc);
      ++used;
    }
    if (used > 0) observer_.reused_ceilings(used, measured_utc);
    return std::nullopt;
  }

  /// Whether the plan asks for it.
  bool is_wanted(const Ceiling& ceiling) const {
    const auto& wanted = request_.plan.ceilings;
    return std::find(wanted.begin(), wanted.end(), ceiling.id) != wanted.end();
  }

  std::vector<KnownCeilings> earlier_ceilings() const {
    std::vector<KnownCeilings> known;
    for (const Run& run : earlier_ceilings_) known.push_back(known_ceilings(run));
    return known;
  }

  std::optional<Outcome> handle(const message::PrimitiveMeasured& measured) {
    add(measured.result);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::PointTimed& timed) {
    add_measurement(timed.point, timed.measurement);
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::PointCounted& counted) {
    recorder_.add_counters(counted.point, counted.counted);
    if (const auto reason = why_nothing_was_counted(counted.counted.counters)) add_counter_loss(*reason);
    worklist_.point_finished(counted.point);
    current_.reset();
    return std::nullopt;
  }

  /// A violation of the protocol, which was found before.
  std::optional<Outcome> handle(const message::PointTraced&) { return std::nullopt; }

  std::optional<Outcome> handle(const message::Failure& failure) {
    if (failure.kind == ErrorKind::measurement) return lost(failure.cause);
    if (failure.kind != ErrorKind::environment) return stop(Error(failure.kind, failure.cause, failure.hint));
    return stop(CannotMeasure(failure.kind, failure.cause, failure.hint));
  }

  std::optional<Outcome> handle(const message::Bye& bye) {
    recorder_.set_counter_session(bye.counter_session);
    said_bye_ = true;
    return std::nullopt;
  }

  void add(const SelfTest& self_test) {
    recorder_.add(self_test);
    worklist_.self_test_finished();
    observer_.measured(self_test);
    current_.reset();
  }

  void add(const PrimitiveResult& result) {
    recorder_.add(result);
    worklist_.primitive_finished(result.info.id);
    observer_.measured(result);
    current_.reset();
  }

  void add_failed_primitive(const std::string& id, const std::string& cause) {
    PrimitiveResult result;
    result.info.id = id;
    for (const PrimitiveInfo& info : recorder_.run().catalogue.primitives) {
      if (info.id == id) result.info = info;
    }
    result.status = Status::failed;
    result.cause = cause;
    add(result);
  }

  void add_measurement(std::size_t point, const Measurement& measurement) {
    recorder_.add(point, measurement);
    worklist_.point_timed(point, measurement.status);
    observer_.measured(measurement);
    current_.reset();
  }

  // -- when things go wrong --

  /// No collector can continue. Thrown if there is no run yet that could record it.
  template <typename SomeError>
  Outcome stop(const SomeError& error) {
    if (!recorder_.is_open()) throw error;
    stopped_by_ = error;
    return Outcome::stopped;
  }

  /// The collector is gone or unusable; `cause` describes what it did.
  Outcome lost(const std::string& cause) {
    if (said_bye_) return Outcome::finished;
    if (!said_hello_) {
      const std::string& log = log_.last_line();
      return stop(Error(ErrorKind::environment,
                        fmt::format("rooflinectl-collector {} before measuring anything", cause),
                        log.empty() ? "" : fmt::format("last line of its log: {}", log)));
    }
    if (const auto step = std::exchange(current_, std::nullopt)) {
      give_up(*step, fmt::format("{} while {}", cause, activity(step->phase)));
    }
    return Outcome::lost;
  }

  /// Marks what the collector worked on when it died, so that the next one leaves it out.
  void give_up(const message::Progress& step, const std::string& cause) {
    if (step.phase == Phase::self_test) {
      SelfTest self_test;
      self_test.reason = cause;
      add(self_test);
    } else if (step.phase == Phase::confirm) {
      worklist_.ceilings_finished();
      add_loss(fmt::format("confirmation of the ceilings: {}", cause));
    } else if (step.phase == Phase::ceilings) {
      worklist_.give_up_ceiling(step.what);
      add_loss(fmt::format("ceiling {}: {}", step.what, cause));
    } else if (step.phase == Phase::primitives) {
      worklist_.ceilings_finished();
      add_failed_primitive(step.what, cause);
    } else if (worklist_.needs_result(*step.point)) {
      add_failure(*step.point, cause);
    } else if (worklist_.needs_counters(*step.point)) {
      recorder_.add_missing_counters(*step.point, cause);
      worklist_.point_finished(*step.point);
      add_loss(fmt::format("counters of {}: {}", range_name(worklist_.points()[*step.point]), cause));
    }
  }

  /// A reason that costs many points their counters is reported once.
  void add_counter_loss(const std::string& reason) {
    const std::string loss = fmt::format("counters: {}", reason);
    if (std::find(losses_.begin(), losses_.end(), loss) == losses_.end()) add_loss(loss);
  }

  void add_loss(const std::string& loss) {
    losses_.push_back(loss);
    observer_.warned(loss);
  }

  void add_failure(std::size_t point, const std::string& cause) {
    Measurement measurement;
    measurement.point = worklist_.points()[point];
    measurement.status = Status::failed;
    measurement.cause = cause;
    add_measurement(point, measurement);
  }

  /// Every point of the plan has a result in the end, be it the reason why it has none.
  void mark_what_is_left() {
    const std::string cause = stopped_by_ ? stopped_by_->what() : "the collector skipped it";
    for (const std::string& id : std::vector(worklist_.primitives())) {
      add_failed_primitive(id, fmt::format("not measured: {}", cause));
    }
    for (const std::size_t point : worklist_.to_measure()) {
      add_failure(point, fmt::format("not measured: {}", cause));
    }
    if (!recorder_.run().counter_session.available) return;
    for (const std::size_t point : worklist_.to_count()) {
      if (recorder_.has_counters(point)) continue;  // the reason why there are none, from an earlier attempt
      recorder_.add_missing_counters(point, fmt::format("not counted: {}", cause));
    }
  }

  // -- keeping results --

  /// A disk that is full now may have room later: measuring continues.
  void save() {
    try {
      recorder_.save();
      save_failed_ = false;
    } catch (const Error& error) {
      if (!save_failed_) observer_.warned(fmt::format("{}; measuring continues", error.what()));
      save_failed_ = true;
    }
  }

  void save_finally() {
    try {
      recorder_.save();
    } catch (const Error& error) {
      throw rescue_run(recorder_.run(), error);
    }
  }

  const MeasureRequest& request_;
  const std::vector<Run>& earlier_ceilings_;
  MeasureObserver& observer_;
  const std::optional<Seconds> silence_limit_ = silence_limit_from_environment();
  StopSignals stop_signals_;
  Worklist worklist_;
  Recorder recorder_;
  DeviceLock device_lock_;
  CollectorLog log_;

  bool said_hello_ = false;  // this collector
  bool counts_ = false;      // has counters
  bool said_bye_ = false;
  bool save_failed_ = false;
  std::optional<message::Progress> current_;  // what it works on

  std::vector<std::string> losses_;
  std::optional<int> stop_signal_;
  std::optional<Error> stopped_by_;
};

}  // namespace

std::string_view activity(Phase phase) {
  switch (phase) {
    case Phase::self_test:
      return "testing";
    case Phase::ceilings:
    case Phase::primitives:
      return "measuring";
    case Phase::confirm:
      return "confirming";
    case Phase::verify:
      return "verifying";
    case Phase::time:
      return "timing";
    case Phase::count:
      return "counting";
  }
  return "?";
}

std::size_t MeasureResult::bad_points() const {
  const auto is_bad = [](const Measurement& measurement) { return measurement.status != Status::ok; };
  return static_cast<std::size_t>(std::count_if(run.measurements.begin(), run.measurements.end(), is_bad));
}

std::size_t MeasureResult::bad_primitives() const {
  const auto is_bad = [](const PrimitiveResult& result) { return result.status != Status::ok; };
  return static_cast<std::size_t>(std::count_if(run.primitives.begin(), run.primitives.end(), is_bad));
}

bool MeasureResult::counters_are_suspect() const {
  return run.counter_session.available && run.self_test && !run.self_test->passed();
}

MeasureResult measure(const MeasureRequest& request, MeasureObserver& observer) {
  const CeilingCache cache =
      CeilingCache::of_user(request.collector, [&](const std::string& warning) { observer.warned(warning); });
  const std::vector<Run> earlier = request.fresh_ceilings ? std::vector<Run>{} : cache.load();
  MeasureResult result = Measuring(request, earlier, observer).run();
  if (!result.folder.empty()) cache.store(result.run);
  return result;
}

}  // namespace rooflinectl
