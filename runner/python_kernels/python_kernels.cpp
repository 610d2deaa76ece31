// SPDX-License-Identifier: Apache-2.0
#include "runner/python_kernels/python_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/json/json.h"
#include "core/plan/kernel_call.h"
#include "core/serial/run_file.h"
#include "core/stats/statistics.h"
#include "runner/built_in.h"
#include "runner/processes/processes.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using serial::Json;

// ---- what driver.py is asked for, and what it answers ----

/// A point whose function in Python is called.
struct PythonCall {
  PointId point;
  std::string range;  ///< the NVTX range around each timed call
  double time_limit_s = 0;
  /// By argument, where to store the results of the reference; empty where the kernel itself is called.
  std::map<std::string, std::string> stored;
  /// The folder with the results of references in C++ (`reference_file`).
  std::filesystem::path references;
};

/// What became of a call.
struct PythonAnswer {
  bool was_begun = false;
  bool has_ended = false;
  std::string cause;                         ///< why it failed; empty if it did not
  std::optional<Verification> verification;  ///< nothing if there is no reference
  int calls = 0;
  std::map<std::string, std::string> versions;  ///< as `Run::python_versions`
};

Json json_of_argument(const CallArgument& argument) {
  return {{"name", argument.name},
          {"kind", to_string(argument.kind)},
          {"type", to_string(argument.type)},
          {"count", argument.count},
          // As text: JSON rounds integers beyond 2^53.
          {"fill",
           {{"kind", to_string(argument.fill.kind)},
            {"value", fmt::format("{}", argument.fill.value)},
            {"seed", argument.fill.seed}}}};
}

Json json_of(const Axes& axes) {
  Json json = Json::object();
  for (const auto& [name, value] : axes) {
    std::visit([&, &key = name](const auto& of_axis) { json[key] = of_axis; }, value);
  }
  return json;
}

/// The function or the files that results are compared with.
Json reference_of(const Plan& plan, const FileKernel& kernel, const PythonCall& call) {
  const FileKernelReference& reference = kernel.reference;
  if (const FileKernel* const other = find_file_kernel(plan, reference.kernel)) {
    return {{"file", other->source}, {"function", other->function}, {"name", fmt::format("'{}'", other->id)}};
  }
  if (!reference.python.empty()) {
    return {{"file", reference.python},
            {"function", reference.function},
            {"name", fmt::format("'{}'", reference.function)}};
  }
  if (!reference.cpp.empty()) {
    Json files = Json::object();
    for (const FileKernelArgument& result : results_of(kernel)) {
      files[result.name] = (call.references / reference_file(call.point, result.name)).string();
    }
    return {{"files", std::move(files)},
            {"cause", (call.references / reference_cause_file(call.point)).string()},
            {"name", fmt::format("'{}'", reference.function)}};
  }
  return {{"files", reference.files}, {"name", "the stored results"}};
}

Json json_of(const Plan& plan, const PythonCall& call) {
  const FileKernel& kernel = *find_file_kernel(plan, call.point.subject);
  const KernelCall resolved = call_of(kernel, call.point.axes);
  Json relative = Json::object();
  for (const CallArgument& argument : resolved.arguments) {
    relative[argument.name] = kernel.reference.relative.value_or(usual_tolerance(argument.type));
  }
  Json json = {
      {"file", kernel.source},
      {"function", resolved.function},
      {"axes", json_of(call.point.axes)},
      {"arguments", serial::list_of(resolved.arguments, json_of_argument)},
      {"results", serial::list_of(results_of(kernel), [](const auto& result) { return result.name; })},
      {"reference", reference_of(plan, kernel, call)},
      {"tolerance", {{"relative", std::move(relative)}, {"absolute", kernel.reference.absolute}}},
      {"range", call.range},
      {"cold", cache_of(call.point) == CacheState::cold},
      {"time_limit_s", call.time_limit_s}};
  if (!call.stored.empty()) json["store"] = call.stored;
  return json;
}

fs::path answers_file(const fs::path& folder) {
  return folder / "answers.jsonl";
}

void take(const Json& line, PythonAnswer& answer) {
  if (!answer.was_begun) {
    answer.was_begun = true;
    return;
  }
  answer.has_ended = true;
  answer.cause = line.value("cause", "");
  answer.calls = line.value("calls", 0);
  answer.versions = line.value("versions", answer.versions);
  const std::string detail = line.value("detail", "");
  const bool passed = line.value("passed", true);
  if (passed && detail.empty()) return;
  answer.verification =
      Verification{.passed = passed, .worst_error_over_bound = line.value("worst", 0.0), .detail = detail};
}

/// Writes the driver and its request into `folder`: the calls, and what `request` says of all of them.
/// Returns the command that carries it out. Throws Error.
std::vector<std::string> write_python_calls(const fs::path& folder, const Plan& plan,
                                            const std::vector<PythonCall>& calls,
                                            Json request = Json::object()) {
  const fs::path driver = folder / "driver.py";
  const fs::path request_file = folder / "request.json";
  request["points"] = serial::list_of(calls, [&](const PythonCall& call) { return json_of(plan, call); });
  write_file(driver, embedded::driver());
  write_file(request_file, serial::to_text(request));
  return {"python3", driver.string(), request_file.string(), answers_file(folder).string()};
}

/// What the command wrote, one answer for each call.
std::vector<PythonAnswer> read_python_answers(const fs::path& folder, std::size_t calls) {
  std::vector<PythonAnswer> answers(calls);
  std::error_code error;
  if (!fs::is_regular_file(answers_file(folder), error)) return answers;
  std::istringstream lines(read_file(answers_file(folder)));
  for (std::string text; std::getline(lines, text);) {
    try {
      const Json line = serial::parse_object(text, "an answer of Python");
      const auto place = line.value("place", calls);
      if (place < calls) take(line, answers[place]);
    } catch (const std::exception&) {
      break;  // cut off when the process died
    }
  }
  return answers;
}

// ---- points ----

/// Importing PyTorch, compiling with Triton, and what counting adds.
constexpr std::chrono::duration<double> kStartLimit{300};
constexpr double kLimitOfPoint = 60;  // seconds
/// So long most passes take, each with the change to it; what is missing is counted in another run.
constexpr double kCountS = 5;
constexpr const char* kRangePrefix = "rooflinectl:";
constexpr int kSamples = 10;

/// Without digits: ranges that differ in numbers become one where they are many.
std::string range_of(std::size_t place) {
  constexpr std::size_t kLetters = 26;
  std::string name;
  do {
    name += static_cast<char>('a' + place % kLetters);
    place /= kLetters;
  } while (place > 0);
  return kRangePrefix + name;
}

const Experiment& experiment_of(const Plan& plan, const PointId& point) {
  return *std::ranges::find(plan.experiments, point.experiment, &Experiment::name);
}

Measurement failed(const PointId& point, const std::string& cause) {
  Measurement measurement;
  measurement.point = point;
  measurement.status = Status::failed;
  measurement.cause = cause;
  return measurement;
}

// ---- one point ----

using Groups = std::vector<const Measurement*>;

/// The launches in a range, and in those that the user's code opened within it.
Groups groups_in(const std::vector<Measurement>& measurements, const std::string& range) {
  Groups groups;
  for (const Measurement& group : measurements) {
    const auto path = group.point.axes.text("path");
    if (path && (*path == range || path->starts_with(range + "/"))) groups.push_back(&group);
  }
  return groups;
}

/// Of a call: what its kernels take together, each as often as it is launched.
TimeResult time_of_call(const Groups& groups, double calls) {
  TimeResult time;
  time.samples_s.assign(kSamples + 1, 0);
  for (const Measurement* group : groups) {
    const double launches = static_cast<double>(group->launches->count) / calls;
    time.median_s += launches * group->time->median_s;
    time.ci_low_s += launches * group->time->ci_low_s;
    time.ci_high_s += launches * group->time->ci_high_s;
    for (int i = 0; i <= kSamples; ++i) {
      time.samples_s[static_cast<std::size_t>(i)] +=
          launches * quantile(group->time->samples_s, static_cast<double>(i) / kSamples);
    }
  }
  time.sample_clocks_hz.assign(time.samples_s.size(), 0);
  return time;
}

/// The point that the launches of `answer.calls` calls are.
Measurement measured(const PointId& point, const PythonAnswer& answer, const Groups& groups) {
  if (groups.empty()) return failed(point, "the function launched no kernel");
  const bool are_timed = std::ranges::all_of(groups, [](const Measurement* group) {
    return group->time.has_value() && !group->time->samples_s.empty();
  });
  if (!are_timed) return failed(point, "a kernel that the function launches was not traced");
  const Measurement& first = *groups.front();
  Measurement measurement = first;
  measurement.point = point;
  measurement.verification = answer.verification;
  const bool is_one = groups.size() == 1 && first.launches->count == static_cast<std::uint64_t>(answer.calls);
  if (!is_one) {
    std::uint64_t launches = 0;
    for (const Measurement* group : groups) launches += group->launches->count;
    measurement.launch = {};
    measurement.resources.reset();
    measurement.time = time_of_call(groups, answer.calls);
    const std::string why =
        fmt::format("a call launches {:.3g} kernels: `rooflinectl profile` counts each by itself",
                    static_cast<double>(launches) / answer.calls);
    for (auto& [key, value] : measurement.counters) value = CounterValue::unavailable(why);
    measurement.counter_spread.clear();
    measurement.counter_repeats = 0;
  }
  if (measurement.resources) measurement.resources->has_half_arithmetic = first.launches->has_half_arithmetic;
  measurement.time->mode = LaunchMode::plain;
  measurement.launches.reset();
  measurement.process.reset();
  measurement.rank.reset();
  return measurement;
}

// ---- a kernel ----

/// The points of one kernel on one device, in a Python of their own.
struct PythonKernel {
  const Run& run;
  fs::path folder;
  fs::path references;
  std::size_t device = 0;
  bool counters = true;
};

ProfileRequest request_of(const PythonKernel& kernel, const std::vector<PythonCall>& calls) {
  ProfileRequest request;
  const DeviceInfo& device = kernel.run.devices[kernel.device];
  request.program.command = write_python_calls(kernel.folder, kernel.run.plan, calls,
                                               {{"l2_bytes", device.l2_bytes},
                                                {"memory_bytes", device.memory_bytes},
                                                {"count_s", kernel.counters ? kCountS : 0}});
  request.program.environment["CUDA_VISIBLE_DEVICES"] = device.uuid;
  request.program.output_is_error = true;
  request.rerun = Rerun::always;  // it reads no input
  request.settings.nvtx = std::string(kRangePrefix) + "*";
  if (!kernel.counters) request.settings.passes.clear();
  request.time_limit = kStartLimit + std::chrono::duration<double>(kLimitOfPoint) * calls.size();
  Run base = kernel.run;
  base.measurements.clear();
  request.extended = RunToExtend{std::move(base), kernel.folder, calls.front().point.experiment};
  return request;
}

std::string end_text(const GuestEnd& end) {
  if (end.timed_out) return "Python took too long and was ended";
  return fmt::format("Python ended with exit code {}", end.exit_code());
}

Measurement measurement_of(const PythonCall& call, const PythonAnswer& answer,
                           const ProfileResult& profiled) {
  if (!answer.was_begun) return failed(call.point, fmt::format("not measured: {}", end_text(profiled.end)));
  if (!answer.has_ended) return failed(call.point, end_text(profiled.end));
  if (!answer.cause.empty()) return failed(call.point, answer.cause);
  if (!answer.verification || answer.verification->passed) {
    const Groups groups = groups_in(profiled.run.measurements, call.range);
    // A process that dies takes its records with it.
    if (groups.empty() && profiled.end.exit_code() != 0) return failed(call.point, end_text(profiled.end));
    return measured(call.point, answer, groups);
  }
  Measurement measurement = failed(call.point, answer.verification->detail);
  measurement.status = Status::unverified;
  measurement.verification = answer.verification;
  return measurement;
}

/// Adds what it learns of counters and of versions.
std::vector<Measurement> measure(const PythonKernel& kernel, const std::vector<PointId>& points,
                                 const ProfileObserver& observer, CounterSession& session,
                                 std::map<std::string, std::string>& versions) {
  const Plan& plan = kernel.run.plan;
  std::vector<PythonCall> calls;
  for (const PointId& point : points) {
    calls.push_back({.point = point,
                     .range = range_of(calls.size()),
                     .time_limit_s = experiment_of(plan, point).timing.time_limit_s,
                     .stored = {},
                     .references = kernel.references});
  }
  std::vector<Measurement> measurements;
  try {
    const ProfileResult profiled = profile(request_of(kernel, calls), observer);
    const std::vector<PythonAnswer> answers = read_python_answers(kernel.folder, calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      measurements.push_back(measurement_of(calls[i], answers[i], profiled));
      for (const auto& [name, version] : answers[i].versions) versions[name] = version;
    }
    session = profiled.run.counter_session;
  } catch (const Error& error) {
    measurements.clear();
    for (const PointId& point : points) measurements.push_back(failed(point, error.what()));
  }
  for (Measurement& measurement : measurements) {
    measurement.device = kernel.device;
    measurement.work =
        call_of(*find_file_kernel(plan, measurement.point.subject), measurement.point.axes).work;
  }
  return measurements;
}

// ---- all of them ----

/// In the order of the plan, device by device.
void put_in_order(Run& run) {
  const std::vector<PointId> points = all_points(run.plan);
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) places.emplace(range_name(points[i]), i);
  const auto place_of = [&](const Measurement& measurement) {
    const auto place = places.find(range_name(measurement.point));
    return std::pair(measurement.device, place == places.end() ? points.size() : place->second);
  };
  std::ranges::stable_sort(run.measurements, [&](const Measurement& a, const Measurement& b) {
    return place_of(a) < place_of(b);
  });
}

}  // namespace

bool has_python_kernels(const Plan& plan) {
  return std::ranges::any_of(plan.kernels, is_python);
}

void measure_python_kernels(Run& run, const fs::path& folder, const fs::path& references, bool counters,
                            const ProfileObserver& observer) {
  const fs::path work_folder = make_folder(fs::absolute(folder) / "python");
  for (const std::size_t device : measured_devices(run)) {
    std::map<std::string, std::vector<PointId>> missing;  // by kernel
    for (const PointId& point : all_points(run.plan)) {
      const FileKernel* const kernel = find_file_kernel(run.plan, point.subject);
      if (kernel == nullptr || !is_python(*kernel)) continue;
      const auto same = [&](const Measurement& measurement) {
        return measurement.point == point && measurement.device == device;
      };
      const auto known = std::ranges::find_if(run.measurements, same);
      if (known != run.measurements.end() && known->status != Status::failed) continue;
      if (known != run.measurements.end()) run.measurements.erase(known);
      missing[point.subject].push_back(point);
    }
    for (const auto& [kernel, points] : missing) {
      const fs::path own = make_folder(work_folder / fmt::format("{}-{}", kernel, device));
      CounterSession session = run.counter_session;
      const std::vector<Measurement> measured =
          measure({run, own, references, device, counters}, points, observer, session, run.python_versions);
      run.measurements.insert(run.measurements.end(), measured.begin(), measured.end());
      run.counter_session = session;
    }
  }
  std::error_code ignored;
  fs::remove_all(work_folder, ignored);
  put_in_order(run);
  write_run(folder / "run.json", run);
}

namespace {

constexpr auto kReferencesLimit = std::chrono::minutes(10);

bool needs_reference(const FileKernel& kernel) {
  return !is_python(kernel) && !kernel.reference.python.empty();
}

}  // namespace

bool has_python_references(const Plan& plan) {
  return std::ranges::any_of(plan.kernels, needs_reference);
}

void compute_references(const Plan& plan, const std::filesystem::path& folder) {
  std::vector<PythonCall> calls;
  std::set<std::string> known;
  for (const PointId& point : all_points(plan)) {
    const FileKernel* const kernel = find_file_kernel(plan, point.subject);
    if (kernel == nullptr || !needs_reference(*kernel)) continue;
    PythonCall call{.point = point, .range = {}, .stored = {}, .references = {}};
    for (const FileKernelArgument& result : results_of(*kernel)) {
      call.stored[result.name] = (folder / reference_file(point, result.name)).string();
    }
    // Cold and warm are the same.
    if (!call.stored.empty() && known.insert(call.stored.begin()->second).second)
      calls.push_back(std::move(call));
  }
  if (calls.empty()) return;
  std::vector<std::string> command = write_python_calls(folder, plan, calls);
  const FinishedProgram finished = run_program("/usr/bin/env", command, kReferencesLimit);
  const std::vector<PythonAnswer> answers = read_python_answers(folder, calls.size());
  if (!answers.front().was_begun) {
    throw Error(ErrorKind::environment, fmt::format("python3 did not start: {}", finished.last_log_line),
                "references in Python need python3 with NumPy on the PATH");
  }
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const PythonAnswer& answer = answers[i];
    if (!answer.was_begun || (answer.has_ended && answer.cause.empty())) continue;
    const std::string cause =
        answer.has_ended ? answer.cause : fmt::format("python3 ended: {}", finished.last_log_line);
    // What is wrong for one point is wrong for the others.
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  }
  if (!causes.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}", fmt::join(causes, "\n")), "nothing was measured");
  }
}

}  // namespace rooflinectl
