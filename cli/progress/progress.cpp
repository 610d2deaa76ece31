// SPDX-License-Identifier: Apache-2.0
#include "cli/progress/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <variant>

#include "core/elapsed.h"
#include "core/stats/repeated_counters.h"
#include "core/stats/statistics.h"
#include "reports/tables/tables.h"
#include "reports/text/format.h"

namespace rooflinectl {

namespace {

/// The work of a primitive, and of one launch under the profiler, relative to timing a point.
constexpr double kPrimitiveWork = 0.05;
constexpr double kCountedRangeWork = 0.1;
/// No estimate before this fraction of the work is done.
constexpr double kEstimateFrom = 0.05;

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  return whole < 60 ? fmt::format("{} s", whole) : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

std::string result_text(const Measurement& measurement) {
  if (measurement.status != Status::ok) {
    return fmt::format("{}: {}", to_string(measurement.status), measurement.cause);
  }
  if (!measurement.time) return "not timed";
  const TimeResult& time = *measurement.time;
  return fmt::format("{} ±{}{}", format::duration(time.median_s), format::percent(relative_half_width(time)),
                     time.noisy ? ", noisy" : "");
}

void print_counters(const MeasureStart& start) {
  const CounterSession& session = start.run.counter_session;
  if (!start.wants_counters) {
    terminal::print("counters: off\n");
  } else if (session.available) {
    terminal::print("counters: {} {}\n", session.passes, session.passes == 1 ? "pass" : "passes");
  } else {
    terminal::print("counters: unavailable: {}\n", session.reason);
    if (!session.hint.empty()) terminal::print("  hint: {}\n", session.hint);
    terminal::print("  continuing without counters: bytes and operations will be declared, not counted\n");
  }
}

void print_header(const MeasureStart& start) {
  const DeviceInfo& device = start.run.device();
  const Plan& plan = start.run.plan;
  terminal::print("device: {} (GPU {}, {}, driver {})\n", device.name, device.index, device.uuid,
                  device.driver_version.empty() ? "unknown" : device.driver_version);
  const std::string primitives =
      plan.primitives.empty() ? ""
                              : fmt::format(", {}", format::counted(plan.primitives.size(), "primitive"));
  terminal::print("plan: {}, {}{} and {}\n", plan.name, format::counted(all_points(plan).size(), "point"),
                  primitives, format::counted(plan.ceilings.size(), "ceiling"));
  if (start.is_resumed) {
    terminal::print("resumed: {}{} to measure, {} to count\n",
                    format::counted(start.points_to_measure, "point"),
                    start.primitives_to_measure > 0
                        ? fmt::format(" and {}", format::counted(start.primitives_to_measure, "primitive"))
                        : "",
                    start.points_to_count);
  }
  print_counters(start);
  terminal::print("results: {}\n", start.folder.string());
  terminal::flush(stdout);
}

class Progress {
 public:
  Progress(ProgressDisplay& display, Verbosity verbosity, const std::string& device)
      : display_(display), verbosity_(verbosity), prefix_(device.empty() ? "" : device + ": ") {}

  void operator()(const MeasureEvent& event) {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(const MeasureStart& start) {
    const Run& run = start.run;
    const CounterSession& counters = run.counter_session;
    n_points_ = all_points(run.plan).size();
    points_measured_ = n_points_ - start.points_to_measure;
    points_to_count_ = start.points_with_counters;
    // Each of several devices starts anew.
    done_work_ = 0;
    started_ = Clock::now();
    total_work_ = static_cast<double>(run.plan.ceilings.size() + start.points_to_measure) +
                  kPrimitiveWork * static_cast<double>(run.plan.primitives.size()) +
                  kCountedRangeWork * counters.passes * kCountRepeats * static_cast<double>(points_to_count_);
    if (verbosity_ != Verbosity::quiet) {
      print_header(start);
    } else if (start.wants_counters && !counters.available) {
      show_line(fmt::format("counters: unavailable: {}", counters.reason));
    }
  }

  void show(const message::Progress& step) {
    if (step.phase == message::Phase::count) {
      if (!counting_ && shows_results()) {
        show_line(fmt::format("counting {}", format::counted(points_to_count_, "point")));
      }
      counting_ = true;
      done_work_ += kCountedRangeWork;
    }
    if (verbosity_ == Verbosity::quiet) return;
    display_.status(fmt::format("{}[{}/{}] {} {}{}", prefix_, points_measured_, n_points_,
                                activity(step.phase), step.what, time_left()));
  }

  void show(const SelfTest& self_test) {
    if (verbosity_ == Verbosity::quiet && self_test.passed()) return;
    show_line(fmt::format("self-test: {}", self_test_verdict(self_test)));
  }

  void show(const Ceiling& ceiling) {
    if (ceiling.source == CeilingSource::theoretical) return;
    done_work_ += 1;
    if (shows_results())
      show_line(fmt::format("ceiling {}: {}", ceiling.id, ceiling_value(ceiling, ceiling.value)));
  }

  void show(const PrimitiveResult& result) {
    done_work_ += kPrimitiveWork;
    if (!shows_results() && result.status == Status::ok) return;
    show_line(fmt::format("primitive {}: {}", result.info.id, primitive_text(result)));
  }

  void show(const Measurement& measurement) {
    ++points_measured_;
    done_work_ += 1;
    if (!shows_results() && measurement.status == Status::ok) return;
    show_line(fmt::format("[{}/{}] {}: {}", points_measured_, n_points_, range_name(measurement.point),
                          result_text(measurement)));
  }

  void show(const ReusedCeilings& reused) {
    show_line(fmt::format("reusing {}, measured {}; --fresh measures again",
                          format::counted(reused.ceilings, "ceiling"), format::utc(reused.measured_utc)));
  }

  void show(const CollectorLine& line) {
    if (verbosity_ == Verbosity::verbose) show_line(fmt::format("collector: {}", line.text));
  }

  void show(const MeasureWarning& warning) { show_line(warning.text); }
  void show(const MeasureEnd& /*end*/) { display_.clear(); }
  void show_line(const std::string& text) { display_.line(prefix_ + text); }

  std::string time_left() const {
    const double done = std::min(done_work_ / std::max(total_work_, 1.0), 1.0);
    if (done < kEstimateFrom) return {};
    const double elapsed_s = seconds_since(started_);
    return fmt::format(" · about {} left", minutes_and_seconds(elapsed_s * (1 - done) / done));
  }

  /// Whether results get a line of their own that stays.
  bool shows_results() const {
    if (verbosity_ == Verbosity::normal) return !display_.is_terminal();
    return verbosity_ == Verbosity::verbose;
  }

  ProgressDisplay& display_;
  Verbosity verbosity_;
  std::string prefix_;
  std::size_t n_points_ = 0;
  std::size_t points_to_count_ = 0;
  std::size_t points_measured_ = 0;
  bool counting_ = false;
  double total_work_ = 0;  // in units of one timed point
  double done_work_ = 0;
  Clock::time_point started_ = Clock::now();
};

}  // namespace

MeasureObserver progress_on(ProgressDisplay& display, Verbosity verbosity, const std::string& device) {
  return Progress(display, verbosity, device);
}

MeasureResult measure_with_progress(const MeasureRequest& request, Verbosity verbosity) {
  ProgressDisplay display(stderr);
  return measure(request, progress_on(display, verbosity));
}

int end_interrupted(const MeasureResult& result, const std::string& to_finish) {
  const std::string folder = result.folder.string();
  if (folder.empty()) {
    terminal::print(stderr, "interrupted before anything was measured\n");
  } else {
    terminal::print(
        stderr, "interrupted; the finished results are saved: rooflinectl report {}\n{}\n", folder,
        to_finish.empty() ? fmt::format("to finish: rooflinectl run --resume {}", folder) : to_finish);
  }
  return 128 + *result.stop_signal;
}

namespace {

using namespace std::chrono_literals;

constexpr auto kFirstLine = 10s;
constexpr auto kLeastBetweenLines = 1s;

class ProfileProgressLines {
 public:
  explicit ProfileProgressLines(Verbosity verbosity)
      : is_quiet_(verbosity == Verbosity::quiet), display_(std::make_shared<ProgressDisplay>(stderr)) {}

  void operator()(const ProfileEvent& event) {
    std::visit([this](const auto& one) { show(one); }, event);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(const ProfileProgress& progress) {
    if (is_quiet_ || progress.groups == 0) return;
    const auto since_last = Clock::now() - last_line_;
    const bool is_other_pass = progress.pass != pass_ && since_last > kLeastBetweenLines;
    if (!is_other_pass && since_last < until_next_line_) return;
    if (!is_other_pass) until_next_line_ *= 2;
    pass_ = progress.pass;
    last_line_ = Clock::now();
    // A program that runs again to be counted may not be traced.
    const std::string launches = progress.launches > 0 ? fmt::format("{} launches, ", progress.launches) : "";
    terminal::print(stderr, "rooflinectl: {}{}, {} counted; {}\n", launches,
                    format::counted(progress.groups, "launch group"), progress.counted,
                    pass_.empty() ? "tracing" : fmt::format("counting {}", pass_));
  }

  void show(const ProgramRunsAgain& again) {
    pass_.clear();
    if (is_quiet_) return;
    terminal::print(
        stderr,
        "rooflinectl: running the program again to complete the counters of {} ({} of GPU time); --once "
        "prevents this\n",
        format::counted(again.points, "launch group"), format::percent(again.share));
  }

  void show(const CeilingsBegin& begin) const {
    if (is_quiet_) return;
    terminal::print(stderr, "rooflinectl: measuring the ceilings of {}\n", begin.device.uuid);
  }

  /// What is worked on, in place, and what goes wrong.
  void show(const MeasureEvent& event) const {
    if (const auto* step = std::get_if<message::Progress>(&event); step != nullptr && !is_quiet_) {
      display_->status(fmt::format("{} {}", activity(step->phase), step->what));
    }
    if (const auto* warning = std::get_if<MeasureWarning>(&event)) display_->line(warning->text);
    if (std::holds_alternative<MeasureEnd>(event)) display_->clear();
  }

  void show(const ProfileWarning& warning) const {
    terminal::print(stderr, "rooflinectl: {}\n", warning.text);
  }

  bool is_quiet_;
  std::shared_ptr<ProgressDisplay> display_;  // for what the ceilings are measured with
  std::string pass_;
  Clock::time_point last_line_ = Clock::now();
  Clock::duration until_next_line_ = kFirstLine;
};

}  // namespace

ProfileObserver profile_progress(Verbosity verbosity) {
  return ProfileProgressLines(verbosity);
}

}  // namespace rooflinectl
