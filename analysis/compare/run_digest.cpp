// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/run_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>
#include <utility>

#include "analysis/roofline/point.h"
#include "core/error.h"
#include "core/json/json.h"
#include "core/serial/field_reader.h"
#include "core/serial/field_writer.h"
#include "core/serial/fields/run_fields.h"
#include "core/serial/run_index.h"

// `own` has three fields with tabs between them: when the run began, as a JSON string; of each timed point
// the time and both ends of its interval, and of each point % of roofline, or `-`; the values of all
// counters.

namespace rooflinectl {

namespace digest {

/// A point without its numbers.
struct SharedPoint {
  PointId id;
  std::string label;
  std::size_t device = 0;
  std::optional<int> rank;
  std::optional<int> process;  ///< its number in the program, from 1
  bool is_observed = false;
  Status status = Status::ok;
  std::string cause;
  std::optional<LaunchMode> mode;     ///< nothing if the point is not timed
  std::vector<std::string> counters;  ///< the keys of those with a value
};

void fields(auto& f, serial::Is<SharedPoint> auto& point) {
  f("experiment", point.id.experiment);
  fields(f, point.id);
  f("label", point.label);
  f("device", point.device);
  f.optional("rank", point.rank);
  f.optional("process", point.process);
  f("is_observed", point.is_observed);
  f("status", point.status);
  f.optional("cause", point.cause);
  f.optional("mode", point.mode);
  f("counters", point.counters);
}

/// A run without what is its own.
struct SharedRun {
  std::string tool_version;
  std::string tool_commit;
  RunSource source = RunSource::measured;
  std::string host;
  std::vector<DeviceInfo> devices;
  bool together = false;
  std::string plan;
  bool has_counters = false;
  std::string no_counters;  ///< why not
  int processes = 0;
  std::vector<std::vector<SharedPoint>> experiments;
};

void fields(auto& f, serial::Is<SharedRun> auto& run) {
  f("tool_version", run.tool_version);
  f("tool_commit", run.tool_commit);
  f("source", run.source);
  f("host", run.host);
  f("devices", run.devices, serial::AtLeast{1});
  f("together", run.together);
  f("plan", run.plan);
  f("has_counters", run.has_counters);
  f("no_counters", run.no_counters);
  f("processes", run.processes);
  f("experiments", run.experiments);
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
  SharedPoint shared = {.id = measurement.point,
                        .label = point.label,
                        .device = measurement.device,
                        .rank = measurement.rank,
                        .process = {},
                        .is_observed = is_observed(measurement),
                        .status = measurement.status,
                        .cause = measurement.cause,
                        .mode = {},
                        .counters = {}};
  if (const auto number = process_number(run, measurement)) shared.process = static_cast<int>(*number);
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
    double number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    is_damaged_ |= error != std::errc() || end != field.data() + field.size();
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

Run run_of(const SharedRun& shared) {
  Run run;
  run.tool_version = shared.tool_version;
  run.tool_commit = shared.tool_commit;
  run.source = shared.source;
  run.host = shared.host;
  run.devices = shared.devices;
  run.together = shared.together;
  run.plan.name = shared.plan;
  run.counter_session.available = shared.has_counters;
  run.counter_session.reason = shared.no_counters;
  if (shared.processes > 0) {
    run.application.emplace();
    for (int id = 1; id <= shared.processes; ++id) run.application->processes.emplace_back().id = id;
  }
  return run;
}

Measurement measurement_of(const SharedPoint& shared) {
  Measurement measurement;
  measurement.point = shared.id;
  measurement.device = shared.device;
  measurement.rank = shared.rank;
  measurement.process = shared.process;
  measurement.status = shared.status;
  measurement.cause = shared.cause;
  if (shared.is_observed) measurement.launches.emplace();
  if (shared.mode) measurement.time.emplace().mode = shared.mode;
  return measurement;
}

}  // namespace

struct DigestReader::Shared {
  digest::SharedRun fields;
  Run run;                                ///< without measurements
  std::vector<Measurement> measurements;  ///< of all experiments
};

DigestReader::DigestReader() = default;
DigestReader::~DigestReader() = default;

RunDigest digest_of(const AnalysedRun& analysed) {
  const Run& run = analysed.run;
  SharedRun shared = {.tool_version = run.tool_version,
                      .tool_commit = run.tool_commit,
                      .source = run.source,
                      .host = run.host,
                      .devices = run.devices,
                      .together = run.together,
                      .plan = run.plan.name,
                      .has_counters = run.counter_session.available,
                      .no_counters = run.counter_session.reason,
                      .processes = 0,
                      .experiments = {}};
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

std::shared_ptr<const DigestReader::Shared> DigestReader::parsed(std::string_view text) {
  {
    const std::lock_guard lock(adding_);
    const auto known = known_.find(text);
    if (known != known_.end()) return known->second;
  }
  const serial::Json document = serial::parse_object(text, kDocument);
  auto shared = std::make_shared<Shared>();
  shared->fields = serial::read<SharedRun>(serial::Reader(document, kDocument));
  shared->run = run_of(shared->fields);
  for (std::vector<SharedPoint>& experiment : shared->fields.experiments) {
    for (SharedPoint& point : experiment) {
      if (point.device >= shared->run.devices.size()) throw Error(ErrorKind::usage, "no such device");
      shared->measurements.push_back(measurement_of(point));
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
    run.measurements = shared->measurements;
    Numbers numbers(take_field(own, kTab));
    Numbers counted(own);
    Analysis analysis;
    auto measurement = run.measurements.begin();
    for (const std::vector<SharedPoint>& points : shared->fields.experiments) {
      ExperimentAnalysis& experiment = analysis.experiments.emplace_back();
      for (const SharedPoint& of : points) {
        if (measurement->time) {
          TimeResult& time = *measurement->time;
          for (double* number : {&time.median_s, &time.ci_low_s, &time.ci_high_s}) *number = numbers.next();
        }
        for (const std::string& key : of.counters) {
          if (std::find(counters.begin(), counters.end(), key) == counters.end()) {
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
