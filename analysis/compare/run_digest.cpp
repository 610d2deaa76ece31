// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/run_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "analysis/roofline/point.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/run_fields.h"
#include "core/serial/run_index.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

// `own` has three fields with tabs between them: when the run began, as a JSON string; of each timed point
// the time and both ends of its interval, and of each point % of roofline, or `-`; the values of all
// counters.

namespace rooflinectl {

namespace digest {

/// A point without its numbers.
struct SharedPoint {
  Measurement measurement;  ///< what is the same in all runs of the point
  std::string label;
  bool is_observed = false;
  std::optional<LaunchMode> mode;     ///< nothing if the point is not timed
  std::vector<std::string> counters;  ///< the keys of those with a value
};

void fields(auto& f, serial::Is<SharedPoint> auto& point) {
  auto& measurement = point.measurement;
  f("experiment", measurement.point.experiment);
  fields(f, measurement.point);
  f("label", point.label);
  f("device", measurement.device);
  f.optional("rank", measurement.rank);
  f.optional("process", measurement.process);  // its number in the program, from 1
  f("is_observed", point.is_observed);
  f("status", measurement.status);
  f.optional("cause", measurement.cause);
  f.optional("mode", point.mode);
  f("counters", point.counters);
  f.after_reading(point, [](SharedPoint& read) {
    if (read.is_observed) read.measurement.launches.emplace();
    if (read.mode) read.measurement.time.emplace().mode = read.mode;
  });
}

/// A run without what is its own.
struct SharedRun {
  Run run;  ///< without measurements
  int processes = 0;
  std::vector<std::vector<SharedPoint>> experiments;
};

void fields(auto& f, serial::Is<SharedRun> auto& shared) {
  auto& run = shared.run;
  f("tool_version", run.tool_version);
  f("tool_commit", run.tool_commit);
  f("source", run.source);
  f("host", run.host);
  f("devices", run.devices, serial::AtLeast{1});
  f("together", run.together);
  f("plan", run.plan.name);
  f("has_counters", run.counter_session.available);
  f("no_counters", run.counter_session.reason);
  f("processes", shared.processes);
  f("experiments", shared.experiments);
  f.after_reading(shared, [](SharedRun& read) {
    if (read.processes > 0) read.run.application.emplace();
    for (int id = 1; id <= read.processes; ++id) read.run.application->processes.emplace_back().id = id;
  });
}

}  // namespace digest

namespace {

using digest::SharedPoint;
using digest::SharedRun;

constexpr const char* kDocument = "digest";
constexpr char kTab = '\t';
constexpr char kSpace = ' ';
constexpr char kNoNumber = '-';

SharedPoint shared_point(const Run& run, const RooflinePoint& point) {
  const Measurement& measurement = *point.measurement;
  SharedPoint shared = {.measurement = {.point = measurement.point,
                                        .status = measurement.status,
                                        .cause = measurement.cause,
                                        .device = measurement.device,
                                        .rank = measurement.rank},
                        .label = point.label,
                        .is_observed = is_observed(measurement)};
  if (const auto number = process_number(run, measurement)) {
    shared.measurement.process = static_cast<int>(*number);
  }
  if (is_timed(measurement)) shared.mode = launch_mode(*measurement.time);
  for (const auto& [key, value] : measurement.counters) {
    if (value.available()) shared.counters.push_back(key);
  }
  return shared;
}

void add_numbers(const RooflinePoint& point, std::string& numbers, std::string& counters) {
  const auto end_of_numbers = std::back_inserter(numbers);
  if (is_timed(*point.measurement)) {
    const LaunchTime time = mean_launch(*point.measurement);
    fmt::format_to(end_of_numbers, "{} {} {} ", time.time_s, time.low_s, time.high_s);
  }
  if (point.fraction_of_roofline) {
    fmt::format_to(end_of_numbers, "{} ", *point.fraction_of_roofline);
  } else {
    numbers += {kNoNumber, kSpace};
  }
  for (const auto& [key, value] : point.measurement->counters) {
    if (value.available()) fmt::format_to(std::back_inserter(counters), "{} ", *value.value());
  }
}

/// Numbers with spaces between them.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}

  std::optional<double> next_if_there() {
    const std::string_view field = take_field(text_, kSpace);
    if (field.size() == 1 && field.front() == kNoNumber) return std::nullopt;
    const auto number = parse_number<double>(field);
    is_damaged_ |= !number.has_value();
    return number;
  }
  double next() {
    const auto number = next_if_there();
    is_damaged_ |= !number.has_value();
    return number.value_or(0);
  }
  void skip() { take_field(text_, kSpace); }

  bool is_damaged() const { return is_damaged_; }

 private:
  std::string_view text_;
  bool is_damaged_ = false;
};

}  // namespace

RunDigest digest_of(const AnalysedRun& analysed) {
  const Run& run = analysed.run;
  SharedRun shared;
  shared.run.tool_version = run.tool_version;
  shared.run.tool_commit = run.tool_commit;
  shared.run.source = run.source;
  shared.run.host = run.host;
  shared.run.devices = run.devices;
  shared.run.together = run.together;
  shared.run.plan.name = run.plan.name;
  shared.run.counter_session.available = run.counter_session.available;
  shared.run.counter_session.reason = run.counter_session.reason;
  if (run.application) shared.processes = static_cast<int>(run.application->processes.size());
  std::string numbers;
  std::string counters;
  for (const ExperimentAnalysis& experiment : analysed.analysis.experiments) {
    std::vector<SharedPoint>& points = shared.experiments.emplace_back();
    for (const RooflinePoint& point : experiment.points) {
      points.push_back(shared_point(run, point));
      add_numbers(point, numbers, counters);
    }
  }
  const std::string began = serial::to_text(serial::Json(run.started_utc));
  return {serial::to_text(serial::to_json(shared)), fmt::format("{}\t{}\t{}", began, numbers, counters)};
}

std::shared_ptr<const SharedRun> DigestReader::parsed(std::string_view text) {
  {
    const std::lock_guard lock(adding_);
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
  }
  const serial::Json document = serial::parse_object(text, kDocument);
  auto shared =
      std::make_shared<const SharedRun>(serial::read<SharedRun>(serial::Reader(document, kDocument)));
  for (const std::vector<SharedPoint>& experiment : shared->experiments) {
    for (const SharedPoint& point : experiment) {
      if (point.measurement.device >= shared->run.devices.size()) {
        throw Error(ErrorKind::usage, "no such device");
      }
    }
  }
  const std::lock_guard lock(adding_);
  return known_.emplace(text, std::move(shared)).first->second;
}

std::optional<AnalysedRun> DigestReader::read(std::string name, std::string_view shared_text,
                                              std::string_view own,
                                              const std::vector<std::string>& counters) {
  try {
    const auto shared = parsed(shared_text);
    Run run = shared->run;
    run.started_utc = serial::parsed(take_field(own, kTab), kDocument).get_ref<const std::string&>();
    for (const std::vector<SharedPoint>& points : shared->experiments) {
      for (const SharedPoint& point : points) run.measurements.push_back(point.measurement);
    }
    Numbers numbers(take_field(own, kTab));
    Numbers counted(own);
    Analysis analysis;
    auto measurement = run.measurements.begin();
    for (const std::vector<SharedPoint>& points : shared->experiments) {
      ExperimentAnalysis& experiment = analysis.experiments.emplace_back();
      for (const SharedPoint& of : points) {
        if (measurement->time) {
          TimeResult& time = *measurement->time;
          for (double* number : {&time.median_s, &time.ci_low_s, &time.ci_high_s}) *number = numbers.next();
        }
        for (const std::string& key : of.counters) {
          if (std::ranges::find(counters, key) == counters.end()) {
            if (!counters.empty()) counted.skip();
            continue;
          }
          measurement->counters.emplace(key, CounterValue::measured(counted.next()));
        }
        RooflinePoint& point = experiment.points.emplace_back();
        point.measurement = &*measurement++;
        point.label = of.label;
        point.fraction_of_roofline = numbers.next_if_there();
      }
    }
    if (numbers.is_damaged() || counted.is_damaged()) return std::nullopt;
    return AnalysedRun(std::move(name), std::move(run), std::move(analysis));
  } catch (const Error&) {
    return std::nullopt;
  } catch (const serial::Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace rooflinectl
