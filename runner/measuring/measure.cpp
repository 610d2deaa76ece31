// SPDX-License-Identifier: Apache-2.0
#include "runner/measuring/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <type_traits>
#include <utility>

#include "core/serial/protocol.h"
#include "core/serial/run_file.h"
#include "runner/machine/catalogue.h"
#include "runner/machine/machine.h"
#include "runner/measuring/collector_log.h"
#include "runner/measuring/device_ceilings.h"
#include "runner/measuring/results.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

using Clock = CollectorProcess::Clock;
using message::Phase;
using Seconds = std::chrono::duration<double>;

constexpr int kMaxRestarts = 20;
constexpr std::chrono::milliseconds kTurnPause{50};

/// One run of a plan, over as many collectors as it takes:
///   1. start a collector with the worklist; its hello opens the run's folder
///   2. progress names what it works on, results are recorded and taken off the worklist
///   3. if it dies, what it was working on is to blame: mark that, and continue with 1
///   4. mark what is left, write run.json
class Measuring {
 public:
  Measuring(const MeasureRequest& request, const std::vector<Run>& earlier_ceilings,
            const MeasureObserver& observer)
      : request_(request), observer_(observer), results_(request, earlier_ceilings, observer) {}

  MeasureResult run() {
    if (request_.unfinished && results_.finished()) {
      observer_(MeasureWarning{"nothing to resume: the run is complete"});
      return {request_.unfinished->run, request_.unfinished->folder, {}, {}, {}};
    }
    if (request_.rank && !request_.skip_ceilings && !wait_for_turn()) {
      return {results_.run(), {}, {}, stop_signal_, {}};
    }
    Outcome outcome = run_collector();
    for (int restarts = 0; outcome == Outcome::lost && !results_.finished(); ++restarts) {
      if (restarts == kMaxRestarts) {
        stopped_by_ = Error(ErrorKind::measurement, fmt::format("the collector died {} times", restarts + 1),
                            fmt::format("collector log: {}", log_file().string()));
        break;
      }
      outcome = run_collector();
    }
    observer_(MeasureEnd{});
    if (!stop_signal_)
      results_.mark_what_is_left(stopped_by_ ? stopped_by_->what() : "the collector skipped it");
    if (results_.is_open()) results_.save_finally();
    return {as_written(results_.run()), results_.folder(), results_.losses(), stop_signal_, stopped_by_};
  }

 private:
  /// How a collector ended.
  enum class Outcome {
    finished,  ///< it has done all that it was asked for
    lost,      ///< it crashed, hung or broke the protocol: another one can continue
    stopped,   ///< nothing more can or should be measured
  };

  /// The ranks on a host measure their ceilings one after the other: these are what a GPU delivers alone.
  /// False if the user stopped it.
  bool wait_for_turn() {
    while (true) {
      turn_ = DeviceLock("ceilings");
      if (!turn_.other()) return true;
      if ((stop_signal_ = stop_signals_.take())) return false;
      std::this_thread::sleep_for(kTurnPause);
    }
  }

  Outcome run_collector() {
    CollectorProcess process(request_.collector, {}, encode(results_.request()));
    said_hello_ = false;
    said_bye_ = false;
    current_.reset();
    Clock::time_point deadline = silence_deadline();
    while (true) {
      const auto save_due = results_.save_due();
      const CollectorProcess::Event event =
          process.next(save_due ? std::min(deadline, *save_due) : deadline, stop_signals_.fd());
      if (save_due && Clock::now() >= *save_due) results_.save();

      const bool silent = std::holds_alternative<CollectorProcess::TimedOut>(event);
      if (silent && Clock::now() < deadline) continue;  // woken up to save
      const auto outcome = std::visit([this](const auto& content) { return handle(content); }, event);
      if (outcome) {
        process.end();
        return *outcome;
      }
      if (std::holds_alternative<CollectorProcess::Line>(event)) deadline = silence_deadline();
    }
  }

  Seconds current_limit() const {
    if (said_bye_) return kExitLimit;
    if (!current_) return kStartLimit;
    return silence_limit_ ? *silence_limit_
                          : usual_silence_limit(current_->phase, results_.timing_of(*current_));
  }

  Clock::time_point silence_deadline() const {
    return Clock::now() + std::chrono::ceil<Clock::duration>(current_limit());
  }

  std::filesystem::path log_file() const { return results_.folder() / "collector.log"; }

  // -- events: each returns the outcome if it ended the collector --

  std::optional<Outcome> handle(const CollectorProcess::Line& line) {
    Message message;
    try {
      message = decode(line.text);
    } catch (const Error&) {
      log_.add(fmt::format("cannot parse: {}", line.text.substr(0, 200)));
      return lost("sent a line that cannot be parsed");
    }
    const bool may_come_first =
        std::holds_alternative<message::Hello>(message) || std::holds_alternative<message::Failure>(message);
    if (!said_hello_ && !may_come_first) return lost("sent results before its hello");
    if (const char* const violation = results_.violation_of(message)) return lost(violation);
    return std::visit([this](const auto& content) { return handle(content); }, message);
  }

  std::optional<Outcome> handle(const CollectorProcess::LogLine& line) {
    log_.add(line.text);
    observer_(CollectorLine{line.text});
    return std::nullopt;
  }

  std::optional<Outcome> handle(const CollectorProcess::LineTooLong&) {
    return lost("sent an unterminated line");
  }

  std::optional<Outcome> handle(const CollectorProcess::Exited& exited) {
    return said_bye_ ? Outcome::finished : lost(describe_exit(exited.wait_status));
  }

  std::optional<Outcome> handle(const CollectorProcess::TimedOut&) {
    if (said_bye_) return Outcome::finished;
    return lost(fmt::format("hung (no output for {:g} s)", current_limit().count()));
  }

  std::optional<Outcome> handle(const CollectorProcess::StopRequested&) {
    stop_signal_ = stop_signals_.take();
    if (!stop_signal_) return std::nullopt;  // another device's thread took it, and will pass it on
    return Outcome::stopped;
  }

  // -- messages: each returns the outcome if it ended the collector --

  std::optional<Outcome> handle(const message::Hello& hello) {
    said_hello_ = true;
    const bool first = !results_.is_open();
    if (first) lock(hello.device);
    results_.add(hello);
    if (first) log_.set_file(log_file());
    return std::nullopt;
  }

  void lock(const DeviceInfo& device) {
    device_lock_ = DeviceLock(device.uuid);
    if (const auto& other = device_lock_.other()) {
      if (request_.rank) {
        throw Error(ErrorKind::usage,
                    fmt::format("GPU {} ({}) is measured by {} already", device.index, device.uuid, *other),
                    "start one rank per GPU");
      }
      observer_(MeasureWarning{fmt::format(
          "another rooflinectl ({}) is measuring on this GPU: the times of both runs are unreliable",
          *other)});
    }
  }

  std::optional<Outcome> handle(const message::Progress& step) {
    current_ = step;
    const bool is_of_ceilings =
        step.phase == Phase::self_test || step.phase == Phase::ceilings || step.phase == Phase::confirm;
    if (!is_of_ceilings) turn_ = {};
    results_.add(step);
    return std::nullopt;
  }

  /// A result ends what the collector worked on; but several ceilings belong to one step.
  template <typename Result>
  std::optional<Outcome> handle(const Result& result) {
    using namespace message;
    results_.add(result);
    if (!std::is_same_v<Result, CeilingMeasured> && !std::is_same_v<Result, CeilingsKnown>) current_.reset();
    return std::nullopt;
  }

  std::optional<Outcome> handle(const message::Failure& failure) {
    if (failure.kind == ErrorKind::measurement) return lost(failure.cause);
    if (failure.kind != ErrorKind::environment) return stop(Error(failure.kind, failure.cause, failure.hint));
    return stop(CannotMeasure(failure.kind, failure.cause, failure.hint));
  }

  std::optional<Outcome> handle(const message::Bye& bye) {
    results_.add(bye);
    said_bye_ = true;
    return std::nullopt;
  }

  // -- when things go wrong --

  /// No collector can continue. Thrown if there is no run yet that could record it.
  template <typename SomeError>
  Outcome stop(const SomeError& error) {
    if (!results_.is_open()) throw error;
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
    std::string what = cause;
    if (const auto step = std::exchange(current_, std::nullopt)) {
      what = fmt::format("{} while {}", cause, activity(step->phase));
      results_.give_up(*step, what);
    }
    results_.leave_ranks(what);
    return Outcome::lost;
  }

  const MeasureRequest& request_;
  const MeasureObserver& observer_;
  const std::optional<Seconds> silence_limit_ = silence_limit_from_environment();
  StopSignals stop_signals_;
  Results results_;
  DeviceLock turn_;  // among the ranks on this host, until the ceilings are measured
  DeviceLock device_lock_;
  CollectorLog log_;

  bool said_hello_ = false;  // this collector
  bool said_bye_ = false;
  std::optional<message::Progress> current_;  // what it works on

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
    case Phase::meet:
      return "waiting for the other ranks";
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
  const auto is_bad = [](const Measurement& measurement) {
    return measurement.status != Status::ok && measurement.status != Status::skipped;
  };
  return static_cast<std::size_t>(std::ranges::count_if(run.measurements, is_bad));
}

std::size_t MeasureResult::bad_primitives() const {
  const auto is_bad = [](const PrimitiveResult& result) { return result.status != Status::ok; };
  return static_cast<std::size_t>(std::ranges::count_if(run.primitives, is_bad));
}

bool MeasureResult::counters_are_suspect() const {
  return run.counter_session.available && run.self_test && !run.self_test->passed();
}

MeasureResult measure(const MeasureRequest& request, const MeasureObserver& observer) {
  const CeilingCache cache = CeilingCache::of_user(
      request.collector, [&](const std::string& warning) { observer(MeasureWarning{warning}); });
  const std::vector<Run> earlier = request.fresh_ceilings ? std::vector<Run>{} : cache.load();
  MeasureResult result = Measuring(request, earlier, observer).run();
  if (!result.folder.empty() && !request.skip_ceilings) cache.store(result.run);
  return result;
}

}  // namespace rooflinectl
