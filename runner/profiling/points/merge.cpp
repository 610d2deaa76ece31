// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/serial/program/program_files.h"
#include "core/text/names.h"
#include "runner/profiling/points/groups.h"
#include "runner/profiling/points/sampled_lines.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// Problems with one cause are listed for up to this many kernels.
constexpr std::size_t kMostSubjects = 20;

class Merge {
 public:
  Merge(const ProfiledRuns& runs, const MergeBounds& bounds)
      : runs_(runs),
        most_points_(bounds.points),
        filter_(runs.settings.kernel, runs.settings.nvtx),
        paths_(paths_of(runs)),
        missing_passes_(runs.settings),
        timeline_(bounds.samples) {}

  MergedProfile result() {
    for (std::size_t run = 0; run < runs_.files.size(); ++run) {
      for (const fs::path& file : runs_.files[run]) read(file, run == 0);
    }
    is_later_run_ = false;  // what follows is of all runs
    find_first_launch();
    set_held_aside(times_, groups_, Holds(std::move(holds_)));
    add_processes();
    add_passes();
    share_operations_of_kernels();
    merged_.application.ranges = range_passages_.result();
    add_device_uses(times_, groups_, merged_.application);
    add_measurements();
    name_the_number_of_other_subjects();
    return std::move(merged_);
  }

 private:
  /// A file that is being read.
  struct Reading {
    bool is_first_run = true;
    std::size_t number = 0;  // of the file
    std::optional<record::Process> process;
    std::map<int, std::size_t> devices;  // place in merged_.devices
    std::vector<record::Kernel> kernels;
    std::vector<std::optional<std::size_t>> groups;  // place in groups_; of a later run those of the first
    PassTimes passes;
    std::map<std::string, std::vector<record::Range>> ranges;  // by path
    std::map<std::uint64_t, std::size_t> collective_kernels;   // their numbers, by group of the file
    std::vector<CollectiveLaunch> collectives;
    std::vector<Hold> holds;
    std::uint64_t last_ns = 0;
    std::optional<record::End> end;

    std::optional<int> id() const { return process ? std::optional(process->process) : std::nullopt; }
  };

  /// The paths of all groups have to be known before the first can be named.
  static std::map<std::string, std::string> paths_of(const ProfiledRuns& runs) {
    std::set<std::string> paths;
    for (const auto& files : runs.files) {
      for (const fs::path& path : files) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) add_path(line, paths);
      }
    }
    return collapsed_paths(paths);
  }

  static void add_path(const std::string& line, std::set<std::string>& paths) {
    const bool has_path = line.starts_with(R"({"type":"group")") || line.starts_with(R"({"type":"ranges")");
    if (!has_path) return;  // most lines are long, and other records
    try {
      const ProfileRecord record = decode_record(line);
      if (const auto* group = std::get_if<record::Group>(&record)) paths.insert(group->path);
      if (const auto* closed = std::get_if<record::Ranges>(&record)) paths.insert(closed->path);
    } catch (const Error&) {
      return;  // the second reading reports it
    }
  }

  void read(const fs::path& path, bool is_first_run) {
    Reading reading;
    reading.is_first_run = is_first_run;
    reading.number = files_++;
    is_later_run_ = !is_first_run;
    const std::string name = path.filename().string();
    std::error_code none;
    sampled_.recorded_at(fs::last_write_time(path, none));
    std::ifstream file(path);
    try {
      const bool is_cut_off = visit_profile(file, name, [&](const ProfileRecord& record) {
        std::visit([&](const auto& content) { add(reading, content); }, record);
      });
      if (!reading.process) {
        add_problem({.cause = fmt::format("{} holds no records", name)});
      } else if (is_cut_off || !reading.end) {
        add_problem({.cause = "it ended without notice: what it did in its last second may be missing",
                     .process = reading.id()});
      }
    } catch (const Error& error) {
      add_problem({.cause = error.what(), .hint = error.hint(), .process = reading.id()});
    }
    end(reading);
  }

  // -- records of the file that is being read --

  /// Throws Error for a process whose times are on the clock of another system.
  void add(Reading& reading, const record::Process& process) {
    if (!boot_id_) boot_id_ = process.boot_id;
    reading.process = process;
    if (process.boot_id == *boot_id_) return;
    throw Error(
        ErrorKind::usage,
        fmt::format("it ran on another host ({}), with a clock of its own: what it did is left out",
                    process.host),
        "start `rooflinectl profile` on each host, as in `srun rooflinectl profile -- ./program`, and "
        "join the runs with `rooflinectl merge`");
  }

  void add(Reading& reading, const record::Device& device) {
    // Samples that follow are of the device that they began with.
    if (!reading.devices.contains(device.device)) reading.devices[device.device] = place_of(device);
  }

  static void add(Reading& reading, const record::Kernel& kernel) { reading.kernels.push_back(kernel); }

  void add(Reading& reading, const record::Group& shape) {
    const record::Kernel& kernel = reading.kernels.at(shape.kernel);
    const std::size_t device = device_of(reading, shape.device);
    const std::string subject = subject_of(kernel);
    const std::uint64_t code = codes_.number(merged_.devices[device].chip, subject, kernel);
    sampled_.add(device, kernel);
    const Axes axes = axes_of(shape, kernel.graph_nodes.has_value(), code, collapsed(shape.path));
    const auto key = std::tuple(device, subject, axes);
    const auto known = places_.find(key);
    if (known == places_.end() && !reading.is_first_run) {
      reading.groups.emplace_back();
      return;
    }
    const std::size_t place = places_.try_emplace(key, groups_.size()).first->second;
    if (place == groups_.size()) {
      ProfiledGroup& group = groups_.emplace_back();
      group.kernel = kernel;
      group.shape = shape;
      group.subject = subject;
      group.axes = axes;
      group.path = collapsed(shape.path);
      group.device = device;
      group.is_selected = filter_.selects_kernel(kernel.symbol) && filter_.selects_path(shape.path);
      group.is_collective = is_collective(kernel.symbol);
      if (group.is_collective) missing_passes_.add_collectives();
      // Those with tcgen05.
      group.has_matrix_bytes = !merged_.devices[device].chip.starts_with("GB1");
    }
    // Kernels that cannot be told apart are one.
    if (groups_[place].kernel.tensor_instructions != kernel.tensor_instructions)
      groups_[place].kernel.tensor_instructions.reset();
    if (groups_[place].kernel.has_half_arithmetic != kernel.has_half_arithmetic)
      groups_[place].kernel.has_half_arithmetic.reset();
    if (reading.is_first_run) {
      groups_[place].processes.insert(reading.number);
      groups_[place].process.add(reading.id());
      groups_[place].rank.add(reading.process ? reading.process->rank : std::nullopt);
    }
    reading.groups.emplace_back(place);
    if (groups_[place].is_collective && reading.is_first_run) {
      reading.collective_kernels[shape.group] = processes_.collective(
          {.subject = subject, .path = collapsed(shape.path), .bytes = shape.message_bytes});
    }
  }

  /// A process that outlives the program may have written more since its paths were read.
  const std::string& collapsed(const std::string& path) const {
    const auto known = paths_.find(path);
    return known == paths_.end() ? path : known->second;
  }

  void add(Reading& reading, const record::Launches& traced) {
    for (const record::Launch& launch : traced.launches) {
      if (launch.is_counted) reading.passes.add_counted(launch);
      if (!reading.is_first_run) continue;
      const std::size_t place = *reading.groups[launch.group];
      ProfiledGroup& group = groups_[place];
      const std::uint64_t end_ns = launch.start_ns + launch.duration_ns;
      times_[group.device].kernels.push_back({.start_ns = launch.start_ns,
                                              .end_ns = end_ns,
                                              .owner = static_cast<std::uint32_t>(place),
                                              .is_counted = launch.is_counted,
                                              .stream = stream_number(reading, group.device, launch.stream)});
      if (group.is_collective) {
        reading.collectives.push_back({.kernel = reading.collective_kernels.at(launch.group),
                                       .start_ns = launch.start_ns,
                                       .duration_ns = launch.duration_ns});
      }
      ++group.traced;
      group.traced_ns += launch.duration_ns;
      group.longest_ns = std::max(group.longest_ns, launch.duration_ns);
      reading.last_ns = std::max(reading.last_ns, end_ns);
    }
  }

  std::uint16_t stream_number(const Reading& reading, std::size_t device, std::uint64_t stream) {
    auto& streams = times_[device].streams;
    const auto number = streams.try_emplace({reading.id().value_or(0), stream}, streams.size()).first->second;
    return static_cast<std::uint16_t>(
        std::min<std::size_t>(number, std::numeric_limits<std::uint16_t>::max()));
  }

  void add(Reading& reading, const record::GraphKernels& inside) {
    if (!reading.is_first_run) return;
    for (const record::GraphKernel& part : inside.kernels) {
      const std::string kernel = subject_of(reading.kernels[part.kernel]);
      GraphKernelUse& use = groups_[*reading.groups[part.group]].graph_kernels[kernel];
      use.kernel = kernel;
      use.launches += part.launches;
      use.total_s += seconds(part.duration_ns);
    }
  }

  void add(Reading& reading, const record::Transfers& traced) {
    if (!reading.is_first_run) return;
    for (const record::Transfer& transfer : traced.transfers) {
      const std::size_t device = device_of(reading, transfer.device);
      const std::uint64_t end_ns = transfer.start_ns + transfer.duration_ns;
      times_[device].transfers.push_back({.start_ns = transfer.start_ns,
                                          .end_ns = end_ns,
                                          .owner = static_cast<std::uint32_t>(transfer.kind)});
      TransferUse& use = times_[device].transfer_uses[transfer.kind];
      ++use.count;
      use.bytes += static_cast<double>(transfer.bytes);
      use.total_s += seconds(transfer.duration_ns);
      reading.last_ns = std::max(reading.last_ns, end_ns);
    }
  }

  void add(Reading& reading, const record::Counted& counted) {
    const auto place = reading.groups[counted.group];
    if (!place) return;
    groups_[*place].counters[counted.pass].add(
        counted.counters, {.process = reading.number, .ordinal = counted.ordinal, .group = counted.group});
    ++groups_[*place].counted;
    missing_passes_.add_counted(counted.pass);
  }

  void add(Reading& reading, const record::Untraced& untraced) {
    if (!reading.is_first_run) return;
    groups_[*reading.groups[untraced.group]].untraced += untraced.launches;
  }

  void add(const Reading& reading, const record::Failed& failed) {
    if (reading.is_first_run) failed_.add(groups_[*reading.groups[failed.group]].subject, failed);
  }

  static void add(Reading& reading, const record::Held& held) {
    for (const record::Range& span : held.spans) reading.holds.push_back({span.start_ns, span.duration_ns});
  }

  void add(Reading& reading, const record::Ranges& closed) const {
    if (!reading.is_first_run) return;
    auto& ranges = reading.ranges[collapsed(closed.path)];
    ranges.insert(ranges.end(), closed.ranges.begin(), closed.ranges.end());
  }

  static void add(Reading& reading, const record::PassBegun& begun) {
    reading.last_ns = std::max(reading.last_ns, begun.at_ns);
    reading.passes.begin(begun);
  }

  void add(Reading& reading, const record::SamplingBegun& begun) {
    if (reading.is_first_run) timeline_.begin(device_of(reading, begun.device), begun);
  }

  void add(Reading& reading, const record::Samples& taken) {
    if (reading.is_first_run) timeline_.add(device_of(reading, taken.device), taken);
  }

  void add(Reading& reading, const record::SampledKernel& kernel) {
    sampled_.add(device_of(reading, kernel.device), kernel);
  }

  void add(Reading& reading, const record::Power& taken) {
    if (reading.is_first_run) timeline_.add(device_of(reading, taken.device), taken);
  }

  void add(Reading& reading, const record::Problem& problem) {
    if (!problem.group) {
      missing_passes_.add_problem(problem.cause);
      return add_problem({.cause = problem.cause, .hint = problem.hint, .process = reading.id()});
    }
    const auto place = reading.groups[*problem.group];
    if (!place) return;
    ProfiledGroup& group = groups_[*place];
    const ApplicationProblem of_group = {
        .cause = problem.cause, .hint = problem.hint, .process = reading.id(), .subject = group.subject};
    if (problem.cause.starts_with(record::kHeldTooShort)) {
      group.too_long = of_group;  // a problem only if its counters stay incomplete
    } else {
      group.left_alone = problem.cause;
      add_problem(of_group);
    }
  }

  void add(Reading& reading, const record::End& end) {
    reading.end = end;
    reading.last_ns = std::max(reading.last_ns, end.at_ns);
    if (end.lost_records > 0) {
      add_problem({.cause = fmt::format("{} records could not be written", end.lost_records),
                   .hint = "is the disk full? choose another folder with --output",
                   .process = reading.id()});
    }
    if (end.left_out_launches > 0) {
      add_problem(
          {.cause = fmt::format("{} launches are left out: they are more, or in more launch groups, than a "
                                "process records",
                                end.left_out_launches),
           .hint = "profile a part of the program: --capture, --kernel and --nvtx select it",
           .process = reading.id()});
    }
    if (end.lost_activities > 0) {
      add_problem({.cause = fmt::format("CUPTI had no room for {} launches, copies or sets: "
                                        "they are missing from all times",
                                        end.lost_activities),
                   .process = reading.id()});
    }
    if (reading.is_first_run) merged_.application.lost += end.lost_activities;
  }

  void end(Reading& reading) {
    reading.passes.end(reading.last_ns);
    for (const auto& [pass, launch] : reading.passes.counted()) {
      const auto place = reading.groups[launch.group];
      if (!place) continue;
      auto& counters = groups_[*place].counters;
      const auto counted = counters.find(pass);
      if (counted != counters.end()) counted->second.add_time(seconds(launch.duration_ns));
    }
    if (!reading.is_first_run) return;
    const std::vector<BusyInterval>& in_passes = reading.passes.counting();
    range_passages_.add_process(reading.ranges, in_passes);
    if (runs_.settings.timeline_interval_ns) timeline_.add_ranges(reading.id().value_or(0), reading.ranges);
    for (const auto& [device, place] : reading.devices) {
      auto& untraced = times_[place].untraced;
      untraced.insert(untraced.end(), reading.passes.untraced().begin(), reading.passes.untraced().end());
      auto& counting = times_[place].counting;
      counting.insert(counting.end(), in_passes.begin(), in_passes.end());
    }
    passes_.emplace_back(reading.id().value_or(0), std::move(reading.passes));
    if (reading.process && !reading.devices.empty()) {
      std::vector<std::size_t> devices;
      for (const auto& [device, place] : reading.devices) devices.push_back(place);
      holds_.insert(holds_.end(), reading.holds.begin(), reading.holds.end());
      processes_.add(*reading.process, std::move(devices), std::move(reading.collectives), reading.holds);
    }
  }

  // -- devices --

  std::size_t place_of(const record::Device& device) {
    const auto same = std::ranges::find(merged_.devices, device.uuid, &DeviceInfo::uuid);
    if (same != merged_.devices.end()) return static_cast<std::size_t>(same - merged_.devices.begin());
    DeviceInfo& info = merged_.devices.emplace_back();
    info.uuid = device.uuid;
    info.chip = device.chip;
    info.cupti_version = device.cupti_version;
    info.index = device.device;
    times_.emplace_back();
    return merged_.devices.size() - 1;
  }

  /// A device that the process did not introduce, because that line was lost, is one without a UUID.
  std::size_t device_of(Reading& reading, int device) {
    const auto found = reading.devices.find(device);
    if (found != reading.devices.end()) return found->second;
    add_problem({.cause = fmt::format("its device {} is not known", device), .process = reading.id()});
    return reading.devices[device] = place_of({.device = device});
  }

  // -- what comes of it --

  void add_problem(ApplicationProblem problem) {
    auto& problems = merged_.application.problems;
    const bool is_known = std::ranges::find(problems, problem) != problems.end();
    if (is_known || (is_later_run_ && subjects_.contains(problem.cause))) return;
    const std::size_t subjects = ++subjects_[problem.cause];
    if (subjects > kMostSubjects) return;
    problems.push_back(std::move(problem));
  }

  void add_processes() {
    processes_.complete(merged_.application, zero_ns_);
    for (const ProfiledGroup& group : groups_) {
      merged_.application.launches += group.launches();
      merged_.application.untraced += group.untraced;
    }
    for (ApplicationProblem& problem : failed_.problems()) add_problem(std::move(problem));
    merged_.passes = missing_passes_.counted();
  }

  void name_the_number_of_other_subjects() {
    for (const auto& [cause, subjects] : subjects_) {
      if (subjects <= kMostSubjects) continue;
      merged_.application.problems.push_back(
          {.cause = fmt::format("{} more: {}", subjects - kMostSubjects, cause)});
    }
  }

  void find_first_launch() {
    for (const DeviceTimes& device : times_) {
      for (const BusyInterval& launch : device.kernels) zero_ns_ = std::min(zero_ns_, launch.start_ns);
    }
  }

  void add_passes() {
    std::vector<PassUse>& all = merged_.application.passes;
    for (const auto& [process, passes] : passes_) {
      const std::vector<PassUse> own = passes.passes(process, zero_ns_);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::ranges::stable_sort(all, {}, &PassUse::start_s);
  }

  void share_operations_of_kernels() {
    std::map<std::tuple<std::size_t, std::string, Axes>, std::vector<ProfiledGroup*>> kernels;
    for (ProfiledGroup& group : groups_) {
      if (group.kernel.graph_nodes) continue;
      Axes shape = group.axes;
      shape.erase("path");
      kernels[{group.device, group.subject, shape}].push_back(&group);
    }
    for (const auto& [kernel, groups] : kernels) share_operations(groups);
  }

  void add_measurements() {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < groups_.size(); ++place) {
      const ProfiledGroup& group = groups_[place];
      if (group.is_selected && group.launches() + group.counted > 0) places.push_back(place);
    }
    std::ranges::stable_sort(
        places, [&](std::size_t a, std::size_t b) { return groups_[a].traced_ns > groups_[b].traced_ns; });
    if (places.size() > most_points_) leave_out_all_but_the_longest(places);
    const auto traced = launches_of(places);
    add_timeline(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const ProfiledGroup& group = groups_[places[i]];
      const auto why_missing = [&](const std::string& pass) { return missing_passes_.reason(group, pass); };
      Measurement& measurement = merged_.measurements.emplace_back(measurement_of(
          group, traced[i], i < kDetailedPoints ? kKeptOfDetailed : kKeptOfOthers, zero_ns_, why_missing));
      measurement.point.experiment = runs_.experiment;
      measurement.launches->sampled = sampled_.of(group.device, group.kernel.symbol);
      const std::vector<Pass> missing = missing_passes_.of(group, measurement);
      if (group.too_long && !missing.empty()) add_problem(*group.too_long);
      merged_.details.push_back({.symbol = group.kernel.symbol,
                                 .missing = missing_passes_.countable(group, missing),
                                 .longest_s = seconds(group.longest_ns)});
    }
  }

  void add_timeline(const std::vector<std::size_t>& places) {
    if (!runs_.settings.timeline_interval_ns) return;
    std::vector<std::optional<std::size_t>> measurements(groups_.size());
    for (std::size_t i = 0; i < places.size(); ++i) measurements[places[i]] = i;
    std::vector<RanOnDevice> ran;
    std::vector<std::vector<BusyInterval>> kernels;  // whatever their times are worth, they ran
    for (const DeviceTimes& device : times_) {
      std::vector<BusyInterval>& all = kernels.emplace_back(device.kernels);
      all.insert(all.end(), device.held.begin(), device.held.end());
      std::ranges::sort(all, {}, &BusyInterval::start_ns);
    }
    for (std::size_t i = 0; i < times_.size(); ++i) ran.push_back({kernels[i], times_[i].transfers});
    merged_.timeline = timeline_.result(zero_ns_, ran, measurements);
    if (merged_.timeline || missing_passes_.has_problem(kNoTimeline)) return;
    add_problem({.cause = fmt::format("{}: the program ended before its kernels were counted", kNoTimeline),
                 .hint = "let it run longer, or count less with --samples 1 or --kernel"});
  }

  void leave_out_all_but_the_longest(std::vector<std::size_t>& places) {
    std::uint64_t all_ns = 0;
    std::uint64_t left_out_ns = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      all_ns += groups_[places[i]].traced_ns;
      if (i >= most_points_) left_out_ns += groups_[places[i]].traced_ns;
    }
    add_problem(
        {.cause = fmt::format("{} launch groups with {:.2g} % of the time of all kernels are "
                              "left out: a run holds at most {}",
                              places.size() - most_points_,
                              all_ns == 0 ? 0.0 : 100 * seconds(left_out_ns) / seconds(all_ns), most_points_),
         .hint = "select some with --kernel, --nvtx or --capture"});
    places.resize(most_points_);
  }

  /// Of each place in `places`.
  std::vector<TracedLaunches> launches_of(const std::vector<std::size_t>& places) {
    std::vector<std::optional<std::size_t>> wanted(groups_.size());
    for (std::size_t i = 0; i < places.size(); ++i) wanted[places[i]] = i;
    std::vector<TracedLaunches> launches(places.size());
    for (DeviceTimes& device : times_) {
      std::ranges::sort(device.kernels, {}, &BusyInterval::start_ns);
      for (const BusyInterval& launch : device.kernels) {
        if (wanted[launch.owner]) launches[*wanted[launch.owner]].push_back(&launch);
      }
    }
    return launches;
  }

  const ProfiledRuns& runs_;
  const std::size_t most_points_;
  const LaunchFilter filter_;
  const std::map<std::string, std::string> paths_;

  MergedProfile merged_;
  std::vector<DeviceTimes> times_;  // by device
  std::vector<ProfiledGroup> groups_;
  std::map<std::tuple<std::size_t, std::string, Axes>, std::size_t> places_;
  KernelCodes codes_;
  MissingPasses missing_passes_;
  FailedLaunches failed_;
  SampledKernels sampled_;
  std::size_t files_ = 0;                        // that were read
  bool is_later_run_ = false;                    // whether it is the file's that is being read
  std::map<std::string, std::size_t> subjects_;  // that a problem has, by its cause
  ProcessList processes_;
  std::vector<Hold> holds_;                        // of all processes
  std::optional<std::string> boot_id_;             // of the first process
  std::vector<std::pair<int, PassTimes>> passes_;  // by process
  RangePassages range_passages_;
  TimelineMerge timeline_;
  std::uint64_t zero_ns_ = std::numeric_limits<std::uint64_t>::max();  // the first launch's start
};

}  // namespace

MergedProfile merge_profiles(const ProfiledRuns& runs, const MergeBounds& bounds) {
  return Merge(runs, bounds).result();
}

}  // namespace rooflinectl
