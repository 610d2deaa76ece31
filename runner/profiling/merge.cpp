// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/files/hash.h"
#include "core/serial/profile_records.h"
#include "core/stats/statistics.h"
#include "core/text/launch_filter.h"
#include "runner/profiling/busy_time.h"
#include "runner/profiling/group_counters.h"
#include "runner/profiling/launches_over_time.h"
#include "runner/profiling/process_list.h"
#include "runner/profiling/profiled_points.h"
#include "runner/profiling/range_paths.h"
#include "runner/profiling/range_times.h"
#include "runner/profiling/timeline_merge.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr double kTail = 0.95;
/// How many times of a point are kept: over the run, and in the order of their lengths, percentiles or
/// deciles from 0 to 100.
struct KeptTimes {
  std::size_t over_time;
  std::size_t samples;
};
constexpr KeptTimes kKeptOfDetailed = {kMostLaunchTimes, 101};
constexpr KeptTimes kKeptOfOthers = {kFewLaunchTimes, 11};
/// The interval of a median takes a time that grows faster than the samples.
constexpr std::size_t kMostForInterval = 100'000;
/// Problems of one cause are listed for so many kernels.
constexpr std::size_t kMostSubjects = 20;

/// A value that several processes give: nothing if they give different ones.
template <typename T>
class Common {
 public:
  void add(const std::optional<T>& value) {
    is_common_ = is_common_ && (count_++ == 0 || value == value_);
    value_ = value;
  }
  std::optional<T> value() const { return is_common_ ? value_ : std::nullopt; }

 private:
  std::optional<T> value_;
  bool is_common_ = true;
  int count_ = 0;
};

/// What becomes a point.
struct Group {
  record::Kernel kernel;
  record::Group shape;  // of the first process that launched it
  std::string subject;
  Axes axes;
  std::size_t device = 0;
  bool is_selected = true;
  std::optional<std::size_t> collective;  // its kernel's number in the list of processes
  Common<int> process;
  Common<int> rank;
  std::uint64_t untraced = 0;
  std::uint64_t traced = 0;
  std::uint64_t traced_ns = 0;
  std::uint64_t counted = 0;
  std::uint64_t gaps_before = 0;
  std::uint64_t idle_before_ns = 0;
  CountedPasses counters;
  std::string problem;  // why its launches were left alone; empty if they were not
  std::map<std::string, GraphKernelUse> graph_kernels;
};

/// All that ran on a device, of the first run.
struct DeviceTimes {
  std::vector<BusyInterval> kernels;
  std::vector<BusyInterval> transfers;  // owned by their kind
  std::vector<BusyInterval> untraced;   // while the trace of a process that uses it was off
  std::vector<BusyInterval> counting;   // while a process that uses it was in a pass
  std::map<TransferKind, TransferUse> transfer_uses;
  std::map<std::pair<int, std::uint64_t>, std::size_t> streams;  // numbers, by process and stream
};

/// A pass of a process.
struct PassSpan {
  int process = 0;
  std::string pass;
  bool is_traced = false;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

/// Back to back in a stream; as fast as a host launches; with some work of the host between; with a wait of
/// it; while it is elsewhere.
constexpr double kGapBounds[] = {5e-6, 20e-6, 100e-6, 1e-3};

class Merge {
 public:
  explicit Merge(const ProfiledRuns& runs)
      : runs_(runs), filter_(runs.settings.kernel, runs.settings.nvtx), paths_(paths_of(runs)) {}

  MergedProfile result() {
    for (std::size_t run = 0; run < runs_.files.size(); ++run) {
      for (const fs::path& file : runs_.files[run]) read(file, run == 0);
    }
    find_first_launch();
    add_processes();
    add_passes();
    merged_.application.ranges = range_passages_.result();
    add_devices();
    add_measurements();
    return std::move(merged_);
  }

 private:
  /// A file that is being read.
  struct Reading {
    bool is_first_run = true;
    std::optional<record::Process> process;
    std::map<int, std::size_t> devices;  // place in merged_.devices
    std::vector<record::Kernel> kernels;
    std::vector<std::optional<std::size_t>> groups;  // place in groups_; of a later run those of the first
    std::optional<std::uint64_t> untraced_since;
    std::vector<BusyInterval> untraced;
    std::optional<std::uint64_t> counting_since;
    std::vector<BusyInterval> counting;
    std::vector<PassSpan> passes;
    std::map<std::string, std::vector<record::Range>> ranges;  // by path
    std::vector<CollectiveLaunch> collectives;
    std::uint64_t last_ns = 0;
    std::optional<record::End> end;

    std::optional<int> id() const { return process ? std::optional(process->process) : std::nullopt; }
  };

  /// The paths of all groups have to be known before the first is called anything.
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
    if (!has_path) return;  // most lines are long, and of others
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
    is_later_run_ = !is_first_run;
    const std::string name = path.filename().string();
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
    const Axes axes = axes_of(shape, kernel.graph_nodes.has_value(), collapsed(shape.path));
    const auto key = std::tuple(device, subject, axes);
    const auto known = places_.find(key);
    if (known == places_.end() && !reading.is_first_run) {
      reading.groups.emplace_back();
      return;
    }
    const std::size_t place = places_.try_emplace(key, groups_.size()).first->second;
    if (place == groups_.size()) {
      Group& group = groups_.emplace_back();
      group.kernel = kernel;
      group.shape = shape;
      group.subject = subject;
      group.axes = axes;
      group.device = device;
      group.is_selected = filter_.selects_kernel(kernel.symbol) && filter_.selects_path(shape.path);
      if (is_collective(kernel.symbol)) {
        group.collective = processes_.collective(subject, collapsed(shape.path));
      }
    }
    if (reading.is_first_run) {
      groups_[place].process.add(reading.id());
      groups_[place].rank.add(reading.process ? reading.process->rank : std::nullopt);
    }
    reading.groups.emplace_back(place);
  }

  /// A process that outlives the program may have written more since its paths were read.
  const std::string& collapsed(const std::string& path) const {
    const auto known = paths_.find(path);
    return known == paths_.end() ? path : known->second;
  }

  void add(Reading& reading, const record::Launches& traced) {
    if (!reading.is_first_run) return;
    for (const record::Launch& launch : traced.launches) {
      const std::size_t place = *reading.groups[launch.group];
      Group& group = groups_[place];
      const std::uint64_t end_ns = launch.start_ns + launch.duration_ns;
      times_[group.device].kernels.push_back({.start_ns = launch.start_ns,
                                              .end_ns = end_ns,
                                              .owner = static_cast<std::uint32_t>(place),
                                              .is_counted = launch.is_counted,
                                              .stream = stream_number(reading, group.device, launch.stream)});
      if (group.collective) {
        reading.collectives.push_back(
            {.kernel = *group.collective, .start_ns = launch.start_ns, .duration_ns = launch.duration_ns});
      }
      ++group.traced;
      group.traced_ns += launch.duration_ns;
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
    groups_[*place].counters[counted.pass].add(counted.counters);
    ++groups_[*place].counted;
    passes_.insert(counted.pass);
  }

  void add(Reading& reading, const record::Untraced& untraced) {
    if (!reading.is_first_run) return;
    groups_[*reading.groups[untraced.group]].untraced += untraced.launches;
  }

  void add(Reading& reading, const record::Ranges& closed) const {
    if (!reading.is_first_run) return;
    auto& ranges = reading.ranges[collapsed(closed.path)];
    ranges.insert(ranges.end(), closed.ranges.begin(), closed.ranges.end());
  }

  static void add(Reading& reading, const record::PassBegun& begun) {
    reading.last_ns = std::max(reading.last_ns, begun.at_ns);
    end_pass(reading, begun.at_ns);
    if (!begun.pass.empty()) {
      reading.passes.push_back({.process = reading.id().value_or(0),
                                .pass = begun.pass,
                                .is_traced = begun.is_traced,
                                .start_ns = begun.at_ns});
    }
    if (begun.is_traced) {
      close(reading.untraced_since, begun.at_ns, reading.untraced);
    } else if (!reading.untraced_since) {
      reading.untraced_since = begun.at_ns;
    }
    if (begun.pass.empty()) {
      close(reading.counting_since, begun.at_ns, reading.counting);
    } else if (!reading.counting_since) {
      reading.counting_since = begun.at_ns;
    }
  }

  void add(Reading& reading, const record::SamplingBegun& begun) {
    if (reading.is_first_run) timeline_.begin(device_of(reading, begun.device), begun);
  }

  void add(Reading& reading, const record::Samples& taken) {
    if (reading.is_first_run) timeline_.add(device_of(reading, taken.device), taken);
  }

  void add(Reading& reading, const record::Power& taken) {
    if (reading.is_first_run) timeline_.add(device_of(reading, taken.device), taken);
  }

  void add(Reading& reading, const record::Problem& problem) {
    if (!problem.group) {
      process_problems_.push_back(problem.cause);
      return add_problem({.cause = problem.cause, .hint = problem.hint, .process = reading.id()});
    }
    const auto place = reading.groups[*problem.group];
    if (!place) return;
    groups_[*place].problem = problem.cause;
    add_problem({.cause = problem.cause,
                 .hint = problem.hint,
                 .process = reading.id(),
                 .subject = groups_[*place].subject});
  }

  void add(Reading& reading, const record::End& end) {
    reading.end = end;
    reading.last_ns = std::max(reading.last_ns, end.at_ns);
    if (end.lost_records > 0) {
      add_problem({.cause = fmt::format("{} records could not be written", end.lost_records),
                   .hint = "is the disk full? choose another folder with --output",
                   .process = reading.id()});
    }
    if (end.lost_activities > 0) {
      add_problem({.cause = fmt::format("CUPTI had no room for {} launches, copies or sets: they are in no "
                                        "time",
                                        end.lost_activities),
                   .process = reading.id()});
    }
    if (reading.is_first_run) merged_.application.lost += end.lost_activities;
  }

  static void end_pass(Reading& reading, std::uint64_t now_ns) {
    if (reading.passes.empty() || reading.passes.back().end_ns > 0) return;
    reading.passes.back().end_ns = std::max(now_ns, reading.passes.back().start_ns);
  }

  static void close(std::optional<std::uint64_t>& since_ns, std::uint64_t now_ns,
                    std::vector<BusyInterval>& intervals) {
    if (!since_ns) return;
    intervals.push_back({.start_ns = *since_ns, .end_ns = std::max(*since_ns, now_ns)});
    since_ns.reset();
  }

  void end(Reading& reading) {
    if (!reading.is_first_run) return;
    close(reading.untraced_since, reading.last_ns, reading.untraced);
    close(reading.counting_since, reading.last_ns, reading.counting);
    end_pass(reading, reading.last_ns);
    pass_spans_.insert(pass_spans_.end(), reading.passes.begin(), reading.passes.end());
    range_passages_.add_process(reading.ranges, reading.counting);
    if (runs_.settings.timeline_interval_ns) timeline_.add_ranges(reading.id().value_or(0), reading.ranges);
    for (const auto& [device, place] : reading.devices) {
      auto& untraced = times_[place].untraced;
      untraced.insert(untraced.end(), reading.untraced.begin(), reading.untraced.end());
      auto& counting = times_[place].counting;
      counting.insert(counting.end(), reading.counting.begin(), reading.counting.end());
    }
    if (reading.process && !reading.devices.empty()) {
      std::vector<std::size_t> devices;
      for (const auto& [device, place] : reading.devices) devices.push_back(place);
      processes_.add(*reading.process, std::move(devices), std::move(reading.collectives));
    }
  }

  // -- devices --

  std::size_t place_of(const record::Device& device) {
    const auto same = std::find_if(merged_.devices.begin(), merged_.devices.end(),
                                   [&](const DeviceInfo& other) { return other.uuid == device.uuid; });
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
    const bool is_known = std::find(problems.begin(), problems.end(), problem) != problems.end();
    if (is_known || (is_later_run_ && subjects_.contains(problem.cause))) return;
    const std::size_t subjects = ++subjects_[problem.cause];
    if (subjects > kMostSubjects) return;
    problems.push_back(std::move(problem));
  }

  void add_processes() {
    processes_.complete(merged_.application, zero_ns_);
    for (const Group& group : groups_) {
      merged_.application.launches += group.traced + group.untraced;
      merged_.application.untraced += group.untraced;
    }
    for (const auto& [cause, subjects] : subjects_) {
      if (subjects <= kMostSubjects) continue;
      merged_.application.problems.push_back(
          {.cause = fmt::format("{} more: {}", subjects - kMostSubjects, cause)});
    }
    merged_.passes = static_cast<int>(passes_.size());
  }

  void find_first_launch() {
    for (const DeviceTimes& device : times_) {
      for (const BusyInterval& launch : device.kernels) zero_ns_ = std::min(zero_ns_, launch.start_ns);
    }
  }

  void add_passes() {
    std::stable_sort(pass_spans_.begin(), pass_spans_.end(),
                     [](const PassSpan& a, const PassSpan& b) { return a.start_ns < b.start_ns; });
    const auto since_first_launch = [&](std::uint64_t ns) {
      return ns > zero_ns_ ? seconds(ns - zero_ns_) : 0;
    };
    for (const PassSpan& span : pass_spans_) {
      merged_.application.passes.push_back({.process = span.process,
                                            .pass = span.pass,
                                            .is_traced = span.is_traced,
                                            .start_s = since_first_launch(span.start_ns),
                                            .end_s = since_first_launch(span.end_ns)});
    }
  }

  void add_devices() {
    overlapped_ns_.resize(groups_.size());
    for (std::size_t device = 0; device < times_.size(); ++device) {
      DeviceTimes& times = times_[device];
      const BusyTime kernels = busy_time(times.kernels, overlapped_ns_);
      std::vector<BusyInterval> all = times.kernels;
      for (BusyInterval transfer : times.transfers) {
        transfer.owner += static_cast<std::uint32_t>(groups_.size());
        all.push_back(transfer);
      }
      const BusyTime everything = busy_time(all);
      if (all.empty()) continue;
      for (BusyInterval& untraced : times.untraced) {
        untraced.start_ns = std::clamp(untraced.start_ns, everything.first_ns, everything.last_ns);
        untraced.end_ns = std::clamp(untraced.end_ns, everything.first_ns, everything.last_ns);
      }
      merged_.application.devices.push_back({.device = device,
                                             .span_s = seconds(everything.last_ns - everything.first_ns),
                                             .untraced_s = seconds(busy_time(times.untraced).busy_ns),
                                             .kernel_busy_s = seconds(kernels.busy_ns),
                                             .busy_s = seconds(everything.busy_ns),
                                             .kernel_s = seconds(kernels.sum_ns),
                                             .undisturbed = undisturbed_use(all, times)});
      for (auto [kind, use] : times.transfer_uses) {
        use.device = device;
        use.kind = kind;
        merged_.application.transfers.push_back(use);
      }
    }
  }

  /// Adds the gaps to those who followed them: groups, and then the kinds of transfers.
  std::optional<UndisturbedUse> undisturbed_use(const std::vector<BusyInterval>& all, DeviceTimes& times) {
    UndisturbedUse use;
    for (const double bound_s : kGapBounds) use.gaps.push_back({.below_s = bound_s});
    use.gaps.emplace_back();
    const auto add_gap = [&](std::uint64_t duration_ns, std::uint32_t owner) {
      const auto is_longer = [&](double bound_s) { return seconds(duration_ns) >= bound_s; };
      IdleGaps& gaps = use.gaps[static_cast<std::size_t>(
          std::partition_point(std::begin(kGapBounds), std::end(kGapBounds), is_longer) - kGapBounds)];
      ++gaps.count;
      gaps.total_s += seconds(duration_ns);
      if (owner < groups_.size()) {
        ++groups_[owner].gaps_before;
        groups_[owner].idle_before_ns += duration_ns;
      } else {
        TransferUse& transfer = times.transfer_uses[static_cast<TransferKind>(owner - groups_.size())];
        ++transfer.gaps_before;
        transfer.idle_before_s += seconds(duration_ns);
      }
    };
    use.busy_s = seconds(undisturbed_ns(all, times.counting, add_gap));
    return use.busy_s > 0 ? std::optional(use) : std::nullopt;
  }

  void add_measurements() {
    std::vector<std::size_t> places;
    for (std::size_t place = 0; place < groups_.size(); ++place) {
      const Group& group = groups_[place];
      if (group.is_selected && group.traced + group.untraced + group.counted > 0) places.push_back(place);
    }
    std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
      return groups_[a].traced_ns > groups_[b].traced_ns;
    });
    if (places.size() > kMaxProfiledPoints) leave_out_all_but_the_longest(places);
    const auto traced = launches_of(places);
    add_timeline(places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      merged_.measurements.push_back(
          measurement_of(places[i], traced[i], i < kDetailedPoints ? kKeptOfDetailed : kKeptOfOthers));
      merged_.details.push_back({.symbol = groups_[places[i]].kernel.symbol,
                                 .missing = missing_passes(groups_[places[i]], merged_.measurements.back())});
    }
  }

  void add_timeline(const std::vector<std::size_t>& places) {
    if (!runs_.settings.timeline_interval_ns) return;
    std::vector<std::optional<std::size_t>> measurements(groups_.size());
    for (std::size_t i = 0; i < places.size(); ++i) measurements[places[i]] = i;
    std::vector<RanOnDevice> ran;
    for (const DeviceTimes& device : times_) ran.push_back({device.kernels, device.transfers});
    merged_.timeline = timeline_.result(zero_ns_, ran, measurements);
    const auto is_known = [](const std::string& cause) { return cause.starts_with(kNoTimeline); };
    const bool is_explained = std::any_of(process_problems_.begin(), process_problems_.end(), is_known);
    if (merged_.timeline || is_explained) return;
    add_problem({.cause = fmt::format("{}: the program ended before its kernels were counted", kNoTimeline),
                 .hint = "let it run longer, or count less with --samples 1 or --kernel"});
  }

  void leave_out_all_but_the_longest(std::vector<std::size_t>& places) {
    std::uint64_t all_ns = 0;
    std::uint64_t left_out_ns = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      all_ns += groups_[places[i]].traced_ns;
      if (i >= kMaxProfiledPoints) left_out_ns += groups_[places[i]].traced_ns;
    }
    add_problem({.cause = fmt::format("{} groups of launches with {:.2g} % of the time of all kernels are "
                                      "left out: a run holds {}",
                                      places.size() - kMaxProfiledPoints,
                                      all_ns == 0 ? 0.0 : 100 * seconds(left_out_ns) / seconds(all_ns),
                                      kMaxProfiledPoints),
                 .hint = "select some with --kernel, --nvtx or --capture"});
    places.resize(kMaxProfiledPoints);
  }

  /// In the order of their starts.
  using TracedLaunches = std::vector<const BusyInterval*>;

  /// Of each place in `places`.
  std::vector<TracedLaunches> launches_of(const std::vector<std::size_t>& places) {
    std::vector<std::optional<std::size_t>> wanted(groups_.size());
    for (std::size_t i = 0; i < places.size(); ++i) wanted[places[i]] = i;
    std::vector<TracedLaunches> launches(places.size());
    for (DeviceTimes& device : times_) {
      std::sort(device.kernels.begin(), device.kernels.end(),
                [](const BusyInterval& a, const BusyInterval& b) { return a.start_ns < b.start_ns; });
      for (const BusyInterval& launch : device.kernels) {
        if (wanted[launch.owner]) launches[*wanted[launch.owner]].push_back(&launch);
      }
    }
    return launches;
  }

  Measurement measurement_of(std::size_t place, const TracedLaunches& traced, KeptTimes kept) const {
    const Group& group = groups_[place];
    Measurement measurement;
    measurement.point = {.experiment = runs_.experiment, .subject = group.subject, .axes = group.axes};
    measurement.device = group.device;
    measurement.rank = group.rank.value();
    measurement.process = group.process.value();
    if (!group.kernel.graph_nodes) {
      measurement.launch.grid = volume(group.shape.grid);
      measurement.launch.block = static_cast<int>(volume(group.shape.block));
    }
    measurement.resources = resources_of(group.kernel, group.shape);

    const std::vector<double> all = times_of(traced);
    LaunchStatistics launches;
    if (!group.kernel.graph_nodes) launches.symbol = cut_name(group.kernel.symbol, kMaxSubjectLength);
    launches.first = group.shape.first_launch;
    launches.count = group.traced + group.untraced;
    launches.traced = group.traced;
    launches.total_s = seconds(group.traced_ns);
    launches.overlapped_s = seconds(overlapped_ns_[place]);
    launches.gaps_before = group.gaps_before;
    launches.idle_before_s = seconds(group.idle_before_ns);
    launches.counted = group.counted;
    launches.graph_nodes = group.kernel.graph_nodes;
    launches.graph_kernels = graph_kernels_of(group);
    launches.over_time = launches_over_time(traced, zero_ns_, kept.over_time);
    if (!all.empty()) {
      measurement.time = time_of(all, kept.samples);
      launches.p95_s = quantile(all, kTail);
    }
    measurement.launches = std::move(launches);

    const RepeatedCounters counted = counters_of_group(
        group.counters, warps_of(group), [&](const std::string& pass) { return missing(group, pass); });
    measurement.counters = counted.counters;
    measurement.counter_spread = counted.spread;
    measurement.counter_repeats = counted.repeats;
    return measurement;
  }

  /// Those of launches that were not held to be counted, where they are as many as the others.
  static std::vector<double> times_of(const TracedLaunches& traced) {
    std::vector<double> times;
    std::vector<double> counted;
    for (const BusyInterval* launch : traced) {
      (launch->is_counted ? counted : times).push_back(time_of_launch_s(*launch));
    }
    const bool is_enough = !times.empty() && times.size() >= counted.size();
    if (!is_enough) times.insert(times.end(), counted.begin(), counted.end());
    return times;
  }

  /// Of one launch; nothing of a graph.
  static std::optional<double> warps_of(const Group& group) {
    if (group.kernel.graph_nodes) return std::nullopt;
    const auto count = [](const record::Extent& extent) {
      return static_cast<double>(extent[0]) * extent[1] * extent[2];
    };
    constexpr double kLanes = 32;
    return count(group.shape.grid) * std::ceil(count(group.shape.block) / kLanes);
  }

  static std::vector<GraphKernelUse> graph_kernels_of(const Group& group) {
    std::vector<GraphKernelUse> uses;
    for (const auto& [name, use] : group.graph_kernels) uses.push_back(use);
    std::stable_sort(uses.begin(), uses.end(),
                     [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
    return uses;
  }

  static TimeResult time_of(const std::vector<double>& times, std::size_t kept) {
    std::vector<double> thinned;
    const std::size_t stride = times.size() / kMostForInterval + 1;
    for (std::size_t i = 0; i < times.size(); i += stride) thinned.push_back(times[i]);
    const MedianInterval interval = median_interval(thinned);

    TimeResult result;
    std::vector<double> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    result.median_s = median(sorted);
    result.ci_low_s = std::min(interval.low, result.median_s);
    result.ci_high_s = std::max(interval.high, result.median_s);
    if (times.size() <= kept) {
      result.samples_s = times;
    } else {
      for (std::size_t i = 0; i < kept; ++i) {
        result.samples_s.push_back(sorted[i * (sorted.size() - 1) / (kept - 1)]);
      }
    }
    return result;
  }

  /// Why no launch at all could be counted in that pass; empty if some could.
  std::string problem_of(std::string_view pass) const {
    for (const std::string& cause : process_problems_) {
      if (cause.starts_with(fmt::format("{} was not counted", pass))) return cause;
    }
    return {};
  }

  std::vector<Pass> missing_passes(const Group& group, const Measurement& measurement) const {
    std::vector<Pass> missing;
    // The passes of types follow from what the tensor pass sees in the same run.
    const bool has_unknown_type = tensor_instructions(measurement.counters).value_or(0) > 0 &&
                                  !executed_tensor_ops(measurement.counters);
    for (const Pass pass : kPasses) {
      if (has_unknown_type && pass == Pass::tensor) missing.push_back(pass);
      const bool is_needed = pass <= Pass::tensor || has_unknown_type;
      const std::string_view name = to_string(pass);
      const bool is_counted = group.counters.find(name) != group.counters.end();
      if (is_needed && !is_counted && group.problem.empty() && problem_of(name).empty())
        missing.push_back(pass);
    }
    return missing;
  }

  std::string missing(const Group& group, const std::string& pass) const {
    if (!group.problem.empty()) return group.problem;
    if (std::string cause = problem_of(pass); !cause.empty()) return cause;
    if (!passes_.contains(pass)) return fmt::format("the program ended before the pass {} began", pass);
    return fmt::format("none of its {} launches ran during the pass {}", group.traced + group.untraced, pass);
  }

  const ProfiledRuns& runs_;
  const LaunchFilter filter_;
  const std::map<std::string, std::string> paths_;

  MergedProfile merged_;
  std::vector<DeviceTimes> times_;  // by device
  std::vector<Group> groups_;
  std::map<std::tuple<std::size_t, std::string, Axes>, std::size_t> places_;
  std::vector<std::uint64_t> overlapped_ns_;  // by group
  std::set<std::string> passes_;              // in which something was counted
  std::vector<std::string> process_problems_;
  bool is_later_run_ = false;                    // of the file that is being read
  std::map<std::string, std::size_t> subjects_;  // that a problem has, by its cause
  ProcessList processes_;
  std::optional<std::string> boot_id_;  // of the first process
  std::vector<PassSpan> pass_spans_;
  RangePassages range_passages_;
  TimelineMerge timeline_;
  std::uint64_t zero_ns_ = std::numeric_limits<std::uint64_t>::max();  // the first launch's start
};

}  // namespace

MergedProfile merge_profiles(const ProfiledRuns& runs) {
  return Merge(runs).result();
}

}  // namespace rooflinectl
