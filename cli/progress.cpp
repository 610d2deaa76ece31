// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/ceiling_table.h"
#include "reports/format.h"
#include "reports/primitive_table.h"

namespace rooflinectl {

namespace {

using message::Phase;

/// A primitive, and one launch under the profiler, against timing a point.
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
  if (!measurement.time) return "no time";
  const TimeResult& time = *measurement.time;
  const double half_width = (time.ci_high_s - time.ci_low_s) / 2 / time.median_s;
  return fmt::format("{} ±{}{}", format::duration(time.median_s), format::percent(half_width),
                     time.noisy ? ", noisy" : "");
}

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

Progress::Progress(const Plan& plan, std::size_t points_to_count, std::FILE* stream, Verbosity verbosity)
    : display_(stream),
      verbosity_(verbosity),
      n_points_(all_points(plan).size()),
      points_to_count_(points_to_count),
      total_work_(static_cast<double>(plan.ceilings.size() + n_points_) +
                  kPrimitiveWork * static_cast<double>(plan.primitives.size())) {}

void Progress::set_passes(int passes) {
  total_work_ += kCountedRangeWork * passes * kCountRepeats * static_cast<double>(points_to_count_);
}

void Progress::set_measured(std::size_t points) {
  points_measured_ = points;
  total_work_ -= static_cast<double>(points);
}

void Progress::begin(const message::Progress& step) {
  if (step.phase == Phase::count) {
    if (!counting_ && shows_results()) {
      display_.line(fmt::format("counting {}", format::counted(points_to_count_, "point")));
    }
    counting_ = true;
    done_work_ += kCountedRangeWork;
  }
  if (verbosity_ == Verbosity::quiet) return;
  display_.status(fmt::format("[{}/{}] {} {}{}", points_measured_, n_points_, activity(step.phase), step.what,
                              time_left()));
}

void Progress::measured(const Ceiling& ceiling) {
  if (ceiling.source == CeilingSource::theoretical) return;
  done_work_ += 1;
  if (shows_results())
    display_.line(fmt::format("ceiling {}: {}", ceiling.id, ceiling_value(ceiling, ceiling.value)));
}

void Progress::measured(const PrimitiveResult& result) {
  done_work_ += kPrimitiveWork;
  if (!shows_results() && result.status == Status::ok) return;
  display_.line(fmt::format("primitive {}: {}", result.info.id, primitive_text(result)));
}

void Progress::measured(const Measurement& measurement) {
  ++points_measured_;
  done_work_ += 1;
  if (!shows_results() && measurement.status == Status::ok) return;
  display_.line(fmt::format("[{}/{}] {}: {}", points_measured_, n_points_, range_name(measurement.point),
                            result_text(measurement)));
}

bool Progress::shows_results() const {
  if (verbosity_ == Verbosity::normal) return !display_.is_terminal();
  return verbosity_ == Verbosity::verbose;
}

std::string Progress::time_left() const {
  const double done = std::min(done_work_ / std::max(total_work_, 1.0), 1.0);
  if (done < kEstimateFrom) return {};
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - started_).count();
  return fmt::format(" · about {} left", minutes_and_seconds(elapsed_s * (1 - done) / done));
}

}  // namespace rooflinectl
