// SPDX-License-Identifier: Apache-2.0
#include "runner/ranks/ranked_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <thread>
#include <utility>

#include "core/files/hash.h"
#include "core/files/this_host.h"
#include "core/serial/run_file.h"
#include "runner/measuring/worklist.h"
#include "runner/version.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// For collecting what the others have finished when the user stops: launchers kill ranks that have not ended
/// some seconds later.
constexpr auto kStopLimit = 5s;
constexpr auto kPause = 50ms;
constexpr const char* kNoNotice = "the process ended without notice";

message::Failure failure_of(const Error& error) {
  return {.kind = error.kind(), .cause = error.what(), .hint = error.hint()};
}

Error error_of(const message::Failure& failure) {
  return {failure.kind, failure.cause, failure.hint};
}

/// What all ranks have to have in common.
std::string hash_of(const MeasureRequest& request) {
  CollectRequest asked;
  asked.plan = request.plan;
  asked.counters = request.counters;
  asked.self_test = request.self_test;
  return sha256(encode(asked));
}

/// Throws Error(usage) that names the ranks that do not fit together.
void check_that_all_fit(const std::vector<RankHello>& hellos) {
  const RankHello& first = hellos.front();
  std::map<std::string, std::size_t> users;  // of a device, by its UUID
  for (std::size_t rank = 0; rank < hellos.size(); ++rank) {
    const RankHello& hello = hellos[rank];
    if (hello.program != first.program) {
      throw Error(ErrorKind::usage,
                  fmt::format("rank {} ({}) is rooflinectl {}, rank 0 ({}) is {}", rank, hello.host,
                              hello.program, first.host, first.program),
                  "install the same build on all hosts");
    }
    if (hello.request != first.request) {
      throw Error(ErrorKind::usage,
                  fmt::format("rank {} ({}) has a different plan or different options from rank 0 ({})", rank,
                              hello.host, first.host),
                  "start all ranks with the same plan and the same options");
    }
    if (!hello.device) continue;
    const auto [user, is_new] = users.emplace(hello.device->uuid, rank);
    if (is_new) continue;
    throw Error(ErrorKind::usage,
                fmt::format("ranks {} and {} ({}) are on the same GPU {} ({})", user->second, rank,
                            hello.host, hello.device->index, hello.device->uuid),
                "start one rank per GPU");
  }
}

/// Keeps only the points that need more than one GPU, or only the others.
void keep_points(Plan& plan, bool of_several_gpus) {
  for (Experiment& experiment : plan.experiments) {
    std::erase_if(experiment.points,
                  [&](const PointId& point) { return (gpus_of(point) > 1) != of_several_gpus; });
  }
  std::erase_if(plan.experiments, [](const Experiment& experiment) { return experiment.points.empty(); });
}

/// Gives the points over several GPUs the reason why they were not measured.
void skip_points_of_several_gpus(Run& run, const std::string& why) {
  for (const PointId& point : all_points(run.plan)) {
    if (gpus_of(point) < 2) continue;
    Measurement measurement;
    measurement.point = point;
    measurement.status = Status::skipped;
    measurement.cause = why;
    run.measurements.push_back(measurement);
  }
}

void sort_as_planned(Run& run) {
  const std::map<std::string, std::size_t> places = places_of(all_points(run.plan));
  const auto place = [&](const Measurement& measurement) {
    return std::pair(measurement.device, places.at(range_name(measurement.point)));
  };
  std::stable_sort(run.measurements.begin(), run.measurements.end(),
                   [&](const Measurement& a, const Measurement& b) { return place(a) < place(b); });
}

/// The run below `folder` that a rank left behind when it died; nothing if it had none yet.
std::optional<fs::path> folder_of_run_in(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().filename() == "run.json") return entry.path().parent_path();
  }
  return std::nullopt;
}

}  // namespace

/// A part of the work that all ranks begin together.
struct RankedRun::Step {
  std::string name;
  MeasureRequest request;
  bool is_together = false;  ///< all measure the same points; rank 0 has the results
};

RankedRun::RankedRun(MeasureRequest request, const LauncherRank& rank)
    : request_(std::move(request)),
      rank_(rank),
      meeting_(rank, request_.output / request_.plan.name, [this] { return is_stopped(); }) {}

MeasureResult RankedRun::measure(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer) {
  return rank_.is_first() ? lead(find_device, observer) : follow(find_device, observer);
}

MeasureResult RankedRun::lead(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer) {
  const RankHello own = hello(find_device);
  DeviceRuns runs(request_);
  runs.run().together = true;
  try {
    if (meeting_.invite(runs.folder(), own)) check_that_all_fit(meeting_.hellos());
  } catch (const Error&) {
    meeting_.wait_for_ends(kStopLimit);  // they see the same, unless the folder is gone
    runs.abandon();
    throw;
  }
  if (!is_stopped()) {
    measure_steps(observer);
    meeting_.end();
    collect(runs, observer);
  }
  if (stop_signal_) StopSignals::pass_on(*stop_signal_);
  return runs.finish();
}

MeasureResult RankedRun::follow(const std::function<DeviceInfo()>& find_device, MeasureObserver& observer) {
  MeasureResult result;
  if (meeting_.join(hello(find_device))) {
    check_that_all_fit(meeting_.hellos());
    measure_steps(observer);
    meeting_.end();
    if (error_) meeting_.wait_until_gone(kFirstRank);
  }
  result.stop_signal = stop_signal_;
  if (stop_signal_) return result;
  if (error_) throw *error_;
  if (meeting_.has_died(kFirstRank)) {
    throw Error(ErrorKind::measurement,
                fmt::format("rank 0 ({}) has died; what this rank has measured is in {}",
                            meeting_.hellos().front().host, folder_of(rank_.rank).string()));
  }
  return result;
}

RankHello RankedRun::hello(const std::function<DeviceInfo()>& find_device) {
  RankHello hello;
  hello.program = fmt::format("{} (commit {})", tool_version(), tool_commit());
  hello.request = hash_of(request_);
  hello.host = host_name();
  hello.boot_id = boot_id();
  try {
    device_ = find_device();
    hello.device = device_;
  } catch (const Error& error) {
    error_ = error;
    hello.failure = failure_of(error);
  }
  return hello;
}

// ---- what each rank does ----

std::vector<RankedRun::Step> RankedRun::steps() const {
  Step ceilings{.name = "ceilings", .request = request_};
  ceilings.request.plan.experiments.clear();
  ceilings.request.plan.primitives.clear();
  ceilings.request.self_test = false;
  Step points{.name = "points", .request = request_};
  points.request.plan.ceilings.clear();
  points.request.skip_ceilings = true;
  keep_points(points.request.plan, false);
  Step together{.name = "together", .request = points.request, .is_together = true};
  together.request.plan.experiments = request_.plan.experiments;
  together.request.plan.primitives.clear();
  together.request.self_test = false;
  keep_points(together.request.plan, true);
  if (together.request.plan.experiments.empty()) return {ceilings, points};
  return {ceilings, points, together};
}

void RankedRun::measure_steps(MeasureObserver& observer) {
  if (!device_ || !is_our_turn()) return;
  for (const Step& step : steps()) {
    if (step.is_together && why_not_together()) return;
    attempt(step, observer);
    if (error_ || is_stopped() || !have_all_come_through(step.name)) return;
  }
}

/// Waits for the ranks before this one on its host to have their ceilings.
bool RankedRun::is_our_turn() const {
  const std::vector<RankHello>& hellos = meeting_.hellos();
  for (int rank = 0; rank < rank_.rank; ++rank) {
    const RankHello& hello = hellos[static_cast<std::size_t>(rank)];
    const RankHello& own = hellos[static_cast<std::size_t>(rank_.rank)];
    const bool is_here = hello.boot_id == own.boot_id && hello.host == own.host;
    if (is_here && !meeting_.wait_for(rank, "ceilings")) return false;
  }
  return true;
}

bool RankedRun::have_all_come_through(const std::string& step) const {
  for (int rank = 0; rank < static_cast<int>(meeting_.hellos().size()); ++rank) {
    if (!meeting_.wait_for(rank, step)) return false;
  }
  return true;
}

/// Why the ranks, which have all completed the points, do not continue together: the same on each.
std::optional<std::string> RankedRun::why_not_together() const {
  for (int rank = 0; rank < static_cast<int>(meeting_.hellos().size()); ++rank) {
    const auto report = meeting_.step_of(rank, "points");
    const bool can_go_on = report && !report->failure && !report->stop_signal;
    if (!can_go_on) return fmt::format("needs all ranks: {} has ended", name_of(name(rank)));
  }
  return std::nullopt;
}

/// The first that has not completed the step, and will not.
std::optional<std::string> RankedRun::who_has_left(const std::string& step) const {
  for (int rank = 0; rank < static_cast<int>(meeting_.hellos().size()); ++rank) {
    if (rank == rank_.rank) continue;
    const bool has_ended = meeting_.has_ended(rank);  // asked first: it reports the step before it ends
    const auto report = meeting_.step_of(rank, step);
    const bool is_through = report && !report->failure && !report->stop_signal;
    if (!is_through && (report || has_ended)) return fmt::format("{} has ended", name_of(name(rank)));
  }
  return std::nullopt;
}

void RankedRun::attempt(const Step& step, MeasureObserver& observer) {
  MeasureRequest request = step.request;
  request.device = device_->uuid;
  request.output = folder_of(rank_.rank) / step.name;
  if (step.is_together) {
    request.rank_place = {.rank = rank_.rank,
                          .ranks = static_cast<int>(meeting_.hellos().size()),
                          .folder = fs::absolute(meeting_.message_folder())};
    request.obstacle = [this, &step] { return who_has_left(step.name); };
  }
  const DeviceAttempt attempt = attempt_on_device(request, observer, meeting_.folder(), one_at_a_time_);
  RankStep report;
  if (attempt.error) error_ = attempt.error;
  if (const auto& result = attempt.result) {
    if (result->stopped_by) error_ = result->stopped_by;
    report.stop_signal = result->stop_signal;
    report.losses = result->losses;
    if (!result->folder.empty()) report.folder = fs::relative(result->folder, meeting_.folder());
  }
  if (error_) report.failure = failure_of(*error_);
  meeting_.report(step.name, report);
}

// ---- what rank 0 does with it ----

void RankedRun::collect(DeviceRuns& runs, MeasureObserver& observer) {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (int rank = 0; rank < static_cast<int>(meeting_.hellos().size()); ++rank) {
    while (!meeting_.has_ended(rank)) {
      const auto now = std::chrono::steady_clock::now();
      if (is_stopped() && !deadline) deadline = now + kStopLimit;
      if (deadline && now > *deadline) break;
      std::this_thread::sleep_for(kPause);
    }
    collect_from(rank, runs, observer);
  }
  if (runs.run().devices.empty()) return;
  if (const auto why = why_not_together()) skip_points_of_several_gpus(runs.run(), *why);
  sort_as_planned(runs.run());
}

void RankedRun::collect_from(int rank, DeviceRuns& runs, MeasureObserver& observer) const {
  const RankHello& hello = meeting_.hellos()[static_cast<std::size_t>(rank)];
  if (hello.failure) return runs.lose(name_of(name(rank)), error_of(*hello.failure), observer);
  for (const Step& step : steps()) {
    const bool has_report = meeting_.step_of(rank, step.name).has_value();
    if (!has_report && !meeting_.has_died(rank)) continue;  // it came to its end before
    if (step.is_together && rank != kFirstRank) {
      collect_together(rank, step, runs, observer);
      continue;
    }
    runs.add({*hello.device, observer, name(rank)}, step.request, attempt_of(rank, step));
    if (!has_report) break;
  }
  std::error_code ignored;
  fs::remove(folder_of(rank), ignored);  // unless there is something left that could not be taken over
}

/// What they measured together is in the results of rank 0.
void RankedRun::collect_together(int rank, const Step& step, DeviceRuns& runs,
                                 MeasureObserver& observer) const {
  const DeviceAttempt attempt = attempt_of(rank, step);
  const std::optional<Error> error = attempt.result ? attempt.result->stopped_by : attempt.error;
  if (error) runs.lose(name_of(name(rank)), *error, observer);
  std::error_code ignored;
  fs::remove_all(attempt.folder, ignored);
}

DeviceAttempt RankedRun::attempt_of(int rank, const Step& step) const {
  DeviceAttempt attempt;
  attempt.folder = folder_of(rank) / step.name;
  const std::optional<RankStep> report = meeting_.step_of(rank, step.name);
  const std::optional<fs::path> folder = !report ? folder_of_run_in(attempt.folder)
                                         : report->folder.empty()
                                             ? std::nullopt
                                             : std::optional(meeting_.folder() / report->folder);
  std::optional<Error> error;
  if (!report) error = Error(ErrorKind::measurement, kNoNotice);
  if (report && report->failure) error = error_of(*report->failure);
  try {
    if (folder) {
      attempt.result = {read_run(*folder / "run.json"), *folder, {}, {}, error};
      if (has_several_hosts()) attempt.result->run.devices.front().host = name(rank).host;
    } else if (report && report->stop_signal) {
      attempt.result.emplace();
    }
  } catch (const Error& unreadable) {
    error = unreadable;
  }
  if (!attempt.result) attempt.error = error;
  if (attempt.result && report) {
    attempt.result->losses = report->losses;
    attempt.result->stop_signal = report->stop_signal;
  }
  return attempt;
}

bool RankedRun::has_several_hosts() const {
  const std::vector<RankHello>& hellos = meeting_.hellos();
  return std::any_of(hellos.begin(), hellos.end(),
                     [&](const RankHello& hello) { return hello.host != hellos.front().host; });
}

fs::path RankedRun::folder_of(int rank) const {
  return meeting_.folder() / fmt::format("rank-{}", rank);
}

RankOnHost RankedRun::name(int rank) const {
  return {rank, meeting_.hellos()[static_cast<std::size_t>(rank)].host};
}

bool RankedRun::is_stopped() {
  if (const auto signal = stop_signals_.take()) stop_signal_ = signal;
  return stop_signal_.has_value();
}

}  // namespace rooflinectl
