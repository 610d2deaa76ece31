// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/profile.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "core/elapsed.h"
#include "core/machine/ranks.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "core/serial/program/program_files.h"
#include "core/serial/run_file.h"
#include "core/text/names.h"
#include "runner/machine/catalogue.h"
#include "runner/machine/machine.h"
#include "runner/measuring/device_ceilings.h"
#include "runner/measuring/results.h"
#include "runner/profiling/points/merge.h"
#include "runner/runs/run_folder.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// A program that takes longer is not run again unasked.
constexpr double kLongestRepeatedS = 60;
constexpr const char* kKilledProblem =
    "rooflinectl was killed while the program ran: its exit code, and how long it took, are unknown";
/// A kernel that is launched once is counted in one pass a run.
constexpr int kMostRuns = 1 + static_cast<int>(kPasses.size());

bool reads_a_pipe() {
  struct stat input {};
  return fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

/// A folder that nobody else can read: names of kernels and NVTX ranges are the user's.
fs::path make_private_folder(const fs::path& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0) {
    throw Error(ErrorKind::environment,
                fmt::format("{} cannot be created: {}", path.string(), std::strerror(errno)),
                "choose another folder with --output");
  }
  return path;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// One profiled program:
///   1. run it with the library, which writes a file of records per process
///   2. merge the files; where points are incomplete and it may be run again, continue with 1
///   3. measure the ceilings of the devices that it used
///   4. write run.json, and remove the records
class Profiling {
 public:
  Profiling(const ProfileRequest& request, const ProfileObserver& observer)
      : request_(request), observer_(observer), head_(new_run(plan_of(request), request.command_line)) {
    const LaunchFilter checks_the_expression(request.settings.kernel, request.settings.nvtx);
  }

  ProfileResult run() {
    const auto begin = std::chrono::steady_clock::now();
    if (request_.was_run) {
      take_records();
    } else {
      profiling_variables(request_, {});  // throws before anything is written
      if (const auto check = counter_users_check()) {
        warn(fmt::format("{}; {}", check->detail, check->fix));
      }
      make_folder();
      run_program();
    }
    result_.end = end_;
    merge();
    // A plan's run has more than the program's points.
    if (!used_cuda() && (!request_.extended || request_.was_run)) return nothing();
    run_again_where_incomplete();

    result_.run = request_.extended ? request_.extended->run : head_;
    Run& run = result_.run;
    if (!request_.extended) run.devices.clear();
    add_application(run);
    add_points(run);
    describe_counting(run);
    describe_failure();
    describe_what_is_incomplete();
    run.wall_s += seconds_since(begin);
    if (run.devices.empty()) run.devices.resize(1);
    write(run);
    return std::move(result_);
  }

 private:
  void warn(const std::string& text) const { observer_(ProfileWarning{text}); }

  static Plan plan_of(const ProfileRequest& request) {
    Plan plan;
    plan.name = program_name(request.program.command);
    Experiment& experiment = plan.experiments.emplace_back();
    experiment.name = plan.name;
    experiment.title = command_text(request.program.command);
    return plan;
  }

  // -- the program --

  void make_folder() {
    if (request_.extended) {
      result_.folder = fs::absolute(request_.extended->folder);
      return;
    }
    result_.folder = fs::absolute(
        create_run_folder(request_.output, head_.plan.name, std::chrono::system_clock::now(), rank_));
    lock_ = FolderLock(result_.folder);
  }

  fs::path records() const { return records_folder(result_.folder, runs_ + 1); }

  /// Of all runs of the program before rooflinectl was killed.
  void take_records() {
    result_.folder = fs::absolute(request_.extended->folder);
    lock_ = FolderLock(result_.folder);
    for (; fs::exists(records()); ++runs_) profiled_.files.push_back(files_in(records()));
  }

  /// For whoever has to finish the run if we are killed.
  void keep_head_of(const fs::path& folder) const {
    if (request_.extended) return;  // a plan's run is resumed as a whole
    Run head = head_;
    head.application.emplace();
    describe_program(*head.application);
    keep_head(folder, head, request_.settings);
  }

  void run_program(const std::optional<ProfileSettings>& settings = {}) {
    ProfileRequest request = request_;
    if (settings) request.settings = *settings;
    GuestProgram program = request_.program;
    const fs::path folder = make_private_folder(records());
    for (const auto& [name, value] : profiling_variables(request, folder)) program.environment[name] = value;
    RecordWatch watch(folder);
    try {
      if (runs_ == 0) keep_head_of(folder);
      end_ = run_guest(program, request_.time_limit, [&] { observer_(watch.update()); });
    } catch (const Error&) {
      if (runs_ == 0) remove_folder();
      throw;
    }
    ++runs_;
    profiled_.files.push_back(files_in(folder));
  }

  /// Each process that initialises CUDA writes a file.
  bool used_cuda() const { return !profiled_.files.front().empty(); }

  /// Leaves no run behind. What rooflinectl left when it was killed stays as it is.
  ProfileResult nothing() {
    describe_failure();
    if (!request_.was_run) remove_folder();
    result_.folder.clear();
    return std::move(result_);
  }

  /// Nothing was run, or nothing came of it: nothing is left behind.
  void remove_folder() const {
    std::error_code ignored;
    fs::remove_all(records(), ignored);
    if (!request_.extended) remove_run_folder(result_.folder);
  }

  void merge() {
    profiled_.experiment = request_.extended ? request_.extended->experiment : head_.plan.name;
    profiled_.settings = request_.settings;
    profile_ = merge_profiles(profiled_);
    incomplete_ = incomplete_points(profile_);
  }

  bool may_run_again() const {
    if (request_.rerun == Rerun::never || end_.interrupted || end_.timed_out) return false;
    if (request_.rerun == Rerun::always) return true;
    if (rank_ && rank_->has_others()) return false;
    return end_.exit_code() == 0 && end_.wall_s < kLongestRepeatedS && !reads_a_pipe();
  }

  static double share_of(const std::vector<IncompletePoint>& points) {
    double share = 0;
    for (const IncompletePoint& point : points) share += point.share;
    return share;
  }

  std::vector<IncompletePoint> completable() const {
    std::vector<IncompletePoint> points = incomplete_;
    std::erase_if(points, [&](const IncompletePoint& point) { return given_up_.contains(point.place); });
    return points;
  }

  void run_again_where_incomplete() {
    while (runs_ < kMostRuns && may_run_again()) {
      std::vector<IncompletePoint> points = completable();
      if (points.empty()) return;
      points = points_of_next_run(points);
      observer_(ProgramRunsAgain{points.size(), share_of(points)});
      // Files are read from where the first run began.
      if (input_place_ >= 0) lseek(STDIN_FILENO, input_place_, SEEK_SET);
      try {
        run_program(settings_for(points, profile_, request_.settings));
      } catch (const Error& error) {
        warn(fmt::format("the program cannot be run again: {}", error.what()));
        return;
      }
      merge();
      for (const IncompletePoint& point : points) {
        if (profile_.details[point.place].missing == point.missing) given_up_.insert(point.place);
      }
    }
  }

  // -- what is known about the machine --

  void add_application(Run& run) const {
    run.application = profile_.application;
    describe_program(*run.application);
    run.application->runs = runs_;
    if (request_.was_run) {
      run.application->problems.push_back({.cause = kKilledProblem, .hint = {}});
    } else {
      run.application->exit_code = result_.end.exit_code();
      run.application->wall_s = result_.end.wall_s;
    }
  }

  void describe_program(Application& application) const {
    application.command_line = request_.program.command;
    application.folder =
        fs::absolute(request_.program.folder.value_or(fs::path("."))).lexically_normal().string();
  }

  void add_points(Run& run) {
    const std::vector<DeviceInfo> present = present_devices(run);
    std::vector<std::size_t> places;  // of the program's devices in the run
    for (const DeviceInfo& device : profile_.devices) places.push_back(place_in(run, device, present));
    for (DeviceUse& use : run.application->devices) use.device = places[use.device];
    for (TransferUse& use : run.application->transfers) use.device = places[use.device];
    for (ProgramProcess& process : run.application->processes) {
      for (std::size_t& device : process.devices) device = places[device];
    }
    std::set<std::size_t> used;
    const std::size_t first = run.measurements.size();
    for (Measurement measurement : profile_.measurements) {
      measurement.device = places[measurement.device];
      used.insert(measurement.device);
      run.measurements.push_back(std::move(measurement));
    }
    result_.timeline = profile_.timeline;
    if (result_.timeline) find_places(*result_.timeline, places, first);
    if (run.measurements.empty() && !request_.extended) run.plan.experiments.clear();
    for (const std::size_t place : used) {
      name_other_programs(run, run.devices[place].uuid);
      add_ceilings(run, place);
    }
    if (!run.collectives && !run.application->collectives.empty()) {
      run.collectives = known_collectives(run.devices, [&](const std::string& text) { warn(text); });
    }
  }

  static void find_places(Timeline& timeline, const std::vector<std::size_t>& devices,
                          std::size_t first_measurement) {
    for (DeviceTimeline& device : timeline.devices) {
      device.device = devices[device.device];
      for (TimelineLaunch& launch : device.launches) launch.measurement += first_measurement;
    }
  }

  /// The GPU's counters do not tell programs apart.
  static void name_other_programs(Run& run, const std::string& uuid) {
    try {
      for (const Check& check : load_checks(uuid)) {
        if (check.subject != kOtherProgramsCheck || check.status == CheckStatus::ok) continue;
        run.application->problems.push_back(
            {.cause = fmt::format(
                 "other programs are running on GPU {}: {}; DRAM and L2 bytes may include their traffic",
                 uuid, check.detail),
             .hint = check.fix});
      }
    } catch (const Error&) {
      return;  // whoever measures the ceilings reports why
    }
  }

  static std::size_t place_in(Run& run, const DeviceInfo& device, const std::vector<DeviceInfo>& present) {
    const auto is_same = [&](const DeviceInfo& other) { return other.uuid == device.uuid; };
    const auto known = std::ranges::find_if(run.devices, is_same);
    if (known != run.devices.end()) return static_cast<std::size_t>(known - run.devices.begin());
    const auto found = std::ranges::find_if(present, is_same);
    run.devices.push_back(found == present.end() ? device : *found);
    if (run.devices.back().name.empty()) run.devices.back().name = "unknown GPU";
    return run.devices.size() - 1;
  }

  void describe_counting(Run& run) const {
    CounterSession& session = run.counter_session;
    session.passes = std::max(session.passes, profile_.passes);
    session.available = session.available || profile_.passes > 0;
    if (session.available) return;
    session.reason = "no launch was counted";
    for (const ApplicationProblem& problem : profile_.application.problems) {
      if (problem.cause.find(record::kNotCounted) == std::string::npos) continue;
      session.reason = problem.cause;
      session.hint = problem.hint;
      break;
    }
  }

  /// The GPUs of this machine, as far as the collector can list them.
  std::vector<DeviceInfo> present_devices(Run& run) const {
    if (profile_.devices.empty()) return {};
    try {
      return load_devices();
    } catch (const Error& error) {
      run.application->problems.push_back(
          {.cause = fmt::format("only the UUIDs of the GPUs are known: {}", error.what()),
           .hint = error.hint()});
      return {};
    }
  }

  void add_ceilings(Run& run, std::size_t place) {
    if (has_ceilings(run, place)) return;
    try {
      measure_ceilings_of(run, place);
    } catch (const Error& error) {
      run.application->problems.push_back(
          {.cause = fmt::format("the ceilings of GPU {} are {}: {}", run.devices[place].uuid,
                                has_ceilings(run, place) ? "incomplete" : "unknown", error.what()),
           .hint = error.hint()});
    }
  }

  static bool has_ceilings(const Run& run, std::size_t place) {
    return std::ranges::any_of(run.ceilings, [&](const Ceiling& ceiling) { return ceiling.device == place; });
  }

  /// Throws Error where they are missing.
  void measure_ceilings_of(Run& run, std::size_t place) {
    if (end_.interrupted) throw Error(ErrorKind::environment, "they were not measured after an interruption");
    observer_(CeilingsBegin{run.devices[place]});
    MeasureRequest request;
    request.collector = require_collector();
    request.plan.name = "ceilings";
    request.plan.ceilings = request_.extended ? run.plan.ceilings : load_catalogue().ceilings;
    request.output = result_.folder;
    request.command_line = run.command_line;
    const MeasureResult measured =
        measure_ceilings_into(run, place, request, [&](const MeasureEvent& event) { observer_(event); });
    if (measured.stopped_by) throw *measured.stopped_by;
    if (measured.folder.empty()) throw Error(ErrorKind::environment, "measuring them was interrupted");
    for (const std::string& loss : measured.losses) warn(loss);
  }

  void describe_what_is_incomplete() {
    // A rank that is run again alone waits for the others, and a time limit ends each run.
    if (end_.timed_out || (rank_ && rank_->has_others())) return;
    const std::vector<IncompletePoint> points = completable();
    result_.incomplete_points = points.size();
    result_.incomplete_share = share_of(points);
  }

  void describe_failure() {
    const auto fail = [&](const std::string& cause, const std::string& hint) {
      result_.failure = Error(ErrorKind::measurement, cause, hint);
    };
    if (end_.timed_out) {
      fail(fmt::format("the program was ended after {:g} s", request_.time_limit->count()),
           "--timeout sets the limit");
    } else if (!used_cuda()) {
      fail("no process of the program used CUDA",
           "the library is loaded through environment variables, which ssh, sudo, docker and srun --export "
           "drop: put `rooflinectl profile --` after them");
    } else if (profile_.application.launches == 0) {
      const auto& problems = profile_.application.problems;
      const auto unseen = std::ranges::find_if(problems, [](const ApplicationProblem& problem) {
        return problem.cause.starts_with(record::kNothingSeen);
      });
      if (unseen == problems.end())
        fail("no kernel was launched", "");
      else
        fail(unseen->cause, unseen->hint);
    } else if (profile_.measurements.empty()) {
      fail("no launch is selected",
           "--kernel is matched with symbols, such as _Z3addPf, and --nvtx with names of ranges");
    }
  }

  // -- the end --

  void write(const Run& run) {
    try {
      write_run(result_.folder / "run.json", run);
      if (result_.timeline) write_timeline(result_.folder / "run.json", *result_.timeline);
    } catch (const Error& error) {
      result_.failure = rescued(run, error);
      result_.folder.clear();
      return;
    }
    std::error_code ignored;
    for (int number = 1; number <= runs_; ++number) {
      fs::remove_all(records_folder(result_.folder, number), ignored);
    }
    result_.run = as_written(run);
    result_.timeline = read_timeline(result_.folder / "run.json", result_.run);
  }

  static Error rescued(const Run& run, const Error& why) {
    try {
      return rescue_run(run, why);
    } catch (const Error& error) {
      return error;
    }
  }

  const ProfileRequest& request_;
  const ProfileObserver& observer_;
  const Run head_;
  const off_t input_place_ = lseek(STDIN_FILENO, 0, SEEK_CUR);  // of our standard input
  const std::optional<LauncherRank> rank_ = launcher_rank();    // ours, if we run below a launcher
  FolderLock lock_;
  int runs_ = 0;
  GuestEnd end_;  // of the last run
  ProfiledRuns profiled_;
  MergedProfile profile_;
  std::vector<IncompletePoint> incomplete_;
  std::set<std::size_t> given_up_;  // what a run for them did not count, the next one will not either
  ProfileResult result_;
};

}  // namespace

std::string program_name(const std::vector<std::string>& command) {
  const auto is_script = [](const std::string& word) { return fs::path(word).extension() == ".py"; };
  const auto script = std::ranges::find_if(command, is_script);
  const fs::path program = script == command.end() ? command.front() : *script;
  return plain_name(program.stem().string(), "program");
}

ProfileRequest request_for(const PlannedApplication& application, RunToExtend run) {
  ProfileRequest request;
  request.program.command = application.command;
  request.program.environment = application.environment;
  if (!application.folder.empty()) request.program.folder = application.folder;
  request.settings.kernel = application.kernels;
  request.settings.nvtx = application.nvtx;
  request.settings.samples = application.samples;
  const CaptureChoice capture = capture_from(application.capture).value_or(CaptureChoice{});
  request.settings.capture = capture.capture;
  request.settings.capture_range = capture.range;
  request.command_line = run.run.command_line;
  request.extended = std::move(run);
  return request;
}

ProfileResult profile(const ProfileRequest& request, const ProfileObserver& observer) {
  return Profiling(request, observer).run();
}

}  // namespace rooflinectl
