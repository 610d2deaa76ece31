// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/error.h"
#include "core/model/known_ceilings.h"
#include "core/stats/statistics.h"
#include "runner/merging/merging.h"

namespace rooflinectl {

namespace {

/// The place of `value` in `list`, where it is added unless it is there.
template <typename T>
std::size_t place_in(std::vector<T>& list, const T& value) {
  const auto known = std::ranges::find(list, value);
  if (known != list.end()) return static_cast<std::size_t>(known - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

/// The hosts of its processes; its own where an early version recorded none.
std::vector<ProgramHost> hosts_of(const Run& run) {
  if (!run.application->hosts.empty()) return run.application->hosts;
  return {{.name = run.host, .boot_id = {}, .clock_ns = 0, .uncertainty_s = 0}};
}

/// The host of the first process that uses the device.
ProgramHost host_of(const Run& run, std::size_t device) {
  const std::vector<ProgramHost> hosts = hosts_of(run);
  for (const ProgramProcess& process : run.application->processes) {
    const auto& used = process.devices;
    if (std::ranges::find(used, device) != used.end()) return hosts[process.host];
  }
  return hosts.front();
}

std::string system_of(const ProgramHost& host) {
  return host.boot_id.empty() ? host.name : host.boot_id;
}

std::vector<double> known_values(const std::vector<RangeTimes>& all,
                                 std::optional<double> RangeTimes::*member) {
  std::vector<double> values;
  for (const RangeTimes& times : all) {
    if (times.*member) values.push_back(*(times.*member));
  }
  return values;
}

RangeTimes together(const std::vector<RangeTimes>& all) {
  RangeTimes result;
  result.path = all.front().path;
  for (const RangeTimes& times : all) {
    result.count += times.count;
    result.undisturbed += times.undisturbed;
  }
  const auto medians = known_values(all, &RangeTimes::median_s);
  const auto intervals = known_values(all, &RangeTimes::interval_s);
  const auto tails = known_values(all, &RangeTimes::p95_s);
  if (!medians.empty()) result.median_s = median(medians);
  if (!intervals.empty()) result.interval_s = median(intervals);
  if (!tails.empty()) result.p95_s = *std::ranges::max_element(tails);
  return result;
}

}  // namespace

MergedRun::MergedRun(std::vector<RunPart> parts) : parts_(std::move(parts)), places_(parts_.size()) {
  run_ = parts_.front().run;
  run_.devices.clear();
  run_.links.clear();
  run_.collectives.reset();
  run_.application = Application{.command_line = parts_.front().run.application->command_line,
                                 .folder = parts_.front().run.application->folder};
  find_duplicates();
  refuse_ranks_twice();
  place_collectives();
  place_in_time();
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (places_[part].is_duplicate) continue;
    add_hosts(part);
    add_devices(part);
    add_processes(part);
    add_uses(part);
    add_problems(part);
  }
  add_ranges();
  drop_uses_of_shared_devices();
  name_differences();
}

void MergedRun::find_duplicates() {
  // The same processes on the same host since the same time.
  std::set<std::tuple<std::string, std::string, std::uint64_t, std::vector<int>>> known;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Run& run = parts_[part].run;
    std::vector<int> ids;
    for (const ProgramProcess& process : run.application->processes) ids.push_back(process.id);
    const ProgramHost host = hosts_of(run).front();
    places_[part].is_duplicate = !known.emplace(run.started_utc, system_of(host), host.clock_ns, ids).second;
    if (!places_[part].is_duplicate) continue;
    add_problem(
        {.cause = fmt::format("{} duplicates an earlier run and is counted only once", parts_[part].name)});
  }
}

void MergedRun::refuse_ranks_twice() const {
  std::map<int, std::size_t> parts_of_ranks;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (places_[part].is_duplicate) continue;
    for (const ProgramProcess& process : parts_[part].run.application->processes) {
      if (!process.rank) continue;
      const std::size_t other = parts_of_ranks.try_emplace(*process.rank, part).first->second;
      if (other == part) continue;
      throw Error(
          ErrorKind::usage,
          fmt::format("{} and {}: both have rank {}", parts_[other].name, parts_[part].name, *process.rank),
          "merge joins the runs of one launch: name the folders of that launch alone");
    }
  }
}

/// Names of collectives get the numbers that they have in the merged run.
void MergedRun::place_collectives() {
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    for (const CollectiveKernel& kernel : parts_[part].run.application->collectives) {
      places_[part].collectives.push_back(place_in(run_.application->collectives, kernel));
    }
  }
}

void MergedRun::place_in_time() {
  // Matched by name, whatever the NVTX ranges.
  std::vector<std::string> subjects;
  std::vector<RunClocks> clocks;
  for (const RunPart& part : parts_) {
    const Application& application = *part.run.application;
    RunClocks& of_run = clocks.emplace_back();
    of_run.hosts = hosts_of(part.run);
    for (const ProgramProcess& process : application.processes) {
      if (process.collectives.empty()) continue;
      const auto& all = process.collectives;  // the newest ones, among which none is missing
      const auto first = all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), kMostCollectives));
      auto& launches = of_run.collectives.emplace_back(first, all.end());
      for (CollectiveLaunch& launch : launches) {
        launch.kernel = place_in(subjects, application.collectives[launch.kernel].subject);
      }
    }
  }
  const std::vector<RunPlace> times = aligned(clocks);
  std::int64_t first_ns = 0;
  for (const RunPlace& time : times) first_ns = std::min(first_ns, time.start_ns);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    places_[part].time = times[part];
    places_[part].shift_ns = static_cast<std::uint64_t>(times[part].start_ns - first_ns);
  }
}

void MergedRun::add_hosts(std::size_t part) {
  std::vector<ProgramHost>& all = run_.application->hosts;
  for (ProgramHost host : hosts_of(parts_[part].run)) {
    const auto known = std::ranges::find_if(all, [&](const ProgramHost& other) {
      return other.name == host.name && other.boot_id == host.boot_id;
    });
    places_[part].hosts.push_back(static_cast<std::size_t>(known - all.begin()));
    if (known != all.end()) continue;
    const std::uint64_t shift_ns = places_[part].shift_ns;
    host.clock_ns = host.clock_ns > shift_ns ? host.clock_ns - shift_ns : 0;
    const auto& of_part = places_[part].time.uncertainty_s;
    const bool is_aligned = of_part && host.uncertainty_s;
    host.uncertainty_s = is_aligned ? std::optional(*of_part + *host.uncertainty_s) : std::nullopt;
    all.push_back(std::move(host));
  }
}

void MergedRun::add_devices(std::size_t part) {
  const Run& run = parts_[part].run;
  for (std::size_t i = 0; i < run.devices.size(); ++i) {
    const std::string system = system_of(host_of(run, i));
    std::size_t place = 0;
    while (place < run_.devices.size() &&
           !(run_.devices[place].uuid == run.devices[i].uuid && device_hosts_[place] == system)) {
      ++place;
    }
    places_[part].devices.push_back(place);
    if (place < run_.devices.size()) continue;
    run_.devices.push_back(run.devices[i]);
    run_.devices.back().host = host_of(run, i).name;
    device_hosts_.push_back(system);
  }
}

void MergedRun::add_processes(std::size_t part) {
  Places& places = places_[part];
  std::vector<ProgramProcess>& all = run_.application->processes;
  for (ProgramProcess process : parts_[part].run.application->processes) {
    const int own = process.id;
    while (find_process(all, process.id) != nullptr) ++process.id;
    places.processes[own] = process.id;
    process.host = places.hosts[process.host];
    for (std::size_t& device : process.devices) device = places.devices[device];
    for (CollectiveLaunch& launch : process.collectives) {
      launch.kernel = places.collectives[launch.kernel];
      launch.start_ns += places.shift_ns;
    }
    for (Hold& hold : process.holds) hold.start_ns += places.shift_ns;
    all.push_back(std::move(process));
    process_parts_.push_back(part);
  }
}

void MergedRun::add_uses(std::size_t part) {
  const Places& places = places_[part];
  const Run& run = parts_[part].run;
  const Application& of_part = *run.application;
  Application& all = *run_.application;
  if (all.exit_code.value_or(0) == 0 && of_part.exit_code) all.exit_code = of_part.exit_code;
  all.wall_s = std::max(all.wall_s, of_part.wall_s);  // an empty one is less than any time
  all.runs = std::max(all.runs, of_part.runs);
  all.launches += of_part.launches;
  all.untraced += of_part.untraced;
  all.lost += of_part.lost;
  for (DeviceUse use : of_part.devices) {
    use.device = places.devices[use.device];
    all.devices.push_back(std::move(use));
  }
  for (TransferUse use : of_part.transfers) {
    use.device = places.devices[use.device];
    const auto same = std::ranges::find_if(all.transfers, [&](const TransferUse& other) {
      return other.device == use.device && other.kind == use.kind;
    });
    if (same == all.transfers.end()) {
      all.transfers.push_back(use);
      continue;
    }
    same->count += use.count;
    same->bytes += use.bytes;
    same->total_s += use.total_s;
    same->gaps_before += use.gaps_before;
    same->idle_before_s += use.idle_before_s;
  }
  const double shift_s = static_cast<double>(places.shift_ns) * 1e-9;
  for (PassUse use : of_part.passes) {
    use.process = places.processes.contains(use.process) ? places.processes.at(use.process) : use.process;
    use.start_s += shift_s;
    use.end_s += shift_s;
    if (use.counted_until_s) *use.counted_until_s += shift_s;
    all.passes.push_back(std::move(use));
  }
  for (LinkBandwidth link : run.links) {
    link.from = places.devices[link.from];
    link.to = places.devices[link.to];
    run_.links.push_back(std::move(link));
  }
  run_.wall_s = std::max(run_.wall_s, run.wall_s);
  run_.started_utc = std::min(run_.started_utc, run.started_utc);
  if (!run_.counter_session.available) run_.counter_session = run.counter_session;
  for (const Experiment& experiment : run.plan.experiments) {
    const auto is_same = [&](const Experiment& other) { return other.name == experiment.name; };
    const auto& known = run_.plan.experiments;
    if (std::ranges::none_of(known, is_same)) run_.plan.experiments.push_back(experiment);
  }
}

void MergedRun::add_problems(std::size_t part) {
  const Application& application = *parts_[part].run.application;
  const std::map<int, int>& processes = places_[part].processes;
  for (ApplicationProblem problem : application.problems) {
    if (problem.process && processes.contains(*problem.process)) {
      problem.process = processes.at(*problem.process);
    }
    add_problem(std::move(problem));
  }
  if (application.exit_code.value_or(0) == 0) return;
  ApplicationProblem failed = {.cause = fmt::format("it ended with exit code {}", *application.exit_code)};
  if (application.processes.size() == 1) {
    failed.process = processes.begin()->second;
  } else {
    failed.cause = fmt::format("{}: {}", parts_[part].name, failed.cause);
  }
  add_problem(std::move(failed));
}

void MergedRun::add_ranges() {
  std::map<std::string, std::vector<RangeTimes>> by_path;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (places_[part].is_duplicate) continue;
    for (const RangeTimes& times : parts_[part].run.application->ranges) by_path[times.path].push_back(times);
  }
  for (const auto& [path, all] : by_path) run_.application->ranges.push_back(together(all));
}

/// Each of several ranks on one device recorded only its own part, so it is not known how long the device was
/// idle.
void MergedRun::drop_uses_of_shared_devices() {
  std::map<std::size_t, std::size_t> counts;
  for (const DeviceUse& use : run_.application->devices) ++counts[use.device];
  std::erase_if(run_.application->devices, [&](const DeviceUse& use) { return counts[use.device] > 1; });
  for (const auto& [device, count] : counts) {
    if (count == 1) continue;
    add_problem(
        {.cause = fmt::format("{} runs used device {}: how long it was busy is not known", count, device),
         .hint = "profile all processes of a device in one run: rooflinectl profile -- mpirun …"});
  }
}

void MergedRun::name_differences() {
  std::vector<const RunPart*> parts;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    if (!places_[part].is_duplicate) parts.push_back(&parts_[part]);
  }
  const Application& merged = *run_.application;
  for (const auto& problems : {differences_of(parts), missing_ranks(merged), unaligned_hosts(merged)}) {
    for (const ApplicationProblem& problem : problems) add_problem(problem);
  }
}

void MergedRun::add_in_full(std::size_t part, const Run& full, const std::optional<Timeline>& timeline,
                            const std::set<std::size_t>& devices) {
  const Places& places = places_[part];
  const auto is_kept = [&](std::size_t device) { return devices.contains(places.devices[device]); };
  const double shift_s = static_cast<double>(places.shift_ns) * 1e-9;
  std::vector<std::optional<std::size_t>> new_places;
  for (Measurement measurement : full.measurements) {
    new_places.push_back(is_kept(measurement.device) ? std::optional(run_.measurements.size())
                                                     : std::nullopt);
    if (!is_kept(measurement.device)) continue;
    measurement.device = places.devices[measurement.device];
    if (measurement.process && places.processes.contains(*measurement.process)) {
      measurement.process = places.processes.at(*measurement.process);
    }
    if (measurement.launches) {
      for (LaunchTimes& times : measurement.launches->over_time) times.start_s += shift_s;
    }
    run_.measurements.push_back(std::move(measurement));
  }
  for (Ceiling ceiling : full.ceilings) {
    if (!is_kept(ceiling.device)) continue;
    ceiling.device = places.devices[ceiling.device];
    add_if_unknown(run_, std::move(ceiling));
  }
  if (timeline) add_timeline(*timeline, places, new_places, devices);
}

void MergedRun::add_rows(const GroupRows& rows, const std::set<std::size_t>& devices_in_full) {
  std::map<std::size_t, RankGroup> groups;
  for (const GroupRows::Row& row : rows.rows()) {
    const Places& places = places_[row.run];
    if (places.is_duplicate || devices_in_full.contains(places.devices[row.device])) continue;
    const auto process = places.processes.find(row.launches.process);
    if (process == places.processes.end()) continue;
    RankGroup& group = groups[row.group];
    group.point = rows.groups()[row.group];
    group.ranks.push_back(row.launches);
    group.ranks.back().process = process->second;
  }
  for (auto& [place, group] : groups) run_.application->other_ranks.push_back(std::move(group));
}

/// Of the measurements, and of what is known of the other devices. Medians, and times over the run, stay
/// those of the rank's own run.
void MergedRun::leave_out_held_elsewhere() {
  Application& application = *run_.application;
  const auto leave_out_of_device = [&](std::size_t device, double time_s) {
    for (DeviceUse& use : application.devices) {
      if (use.device == device) use.kernel_s = std::max(0.0, use.kernel_s - time_s);
    }
  };
  std::vector<GroupInProcess> groups;
  std::vector<Measurement*> measurements;
  for (Measurement& measurement : run_.measurements) {
    if (!measurement.launches || !measurement.process) continue;
    measurements.push_back(&measurement);
    groups.push_back({*measurement.process, &measurement.point, measurement.launches->traced});
  }
  for (const RankGroup& group : application.other_ranks) {
    for (const RankLaunches& launches : group.ranks) {
      groups.push_back({launches.process, &group.point, launches.traced});
    }
  }
  const std::vector<HeldLaunches> held = held_elsewhere(application, process_parts_, groups);
  auto next = held.begin();
  for (Measurement* measurement : measurements) {
    LaunchStatistics& launches = *measurement->launches;
    launches.traced -= next->count;
    launches.held += next->count;
    launches.held_s += next->total_s;
    launches.total_s = std::max(0.0, launches.total_s - next->total_s);
    leave_out_of_device(measurement->device, next->total_s);
    ++next;
    if (launches.traced > 0) continue;
    measurement->time.reset();
    launches.over_time.clear();
  }
  for (RankGroup& group : application.other_ranks) {
    for (RankLaunches& launches : group.ranks) {
      launches.traced -= next->count;
      launches.total_s = std::max(0.0, launches.total_s - next->total_s);
      leave_out_of_device(find_process(application.processes, launches.process)->devices.front(),
                          next->total_s);
      ++next;
    }
  }
}

Run MergedRun::take_run() {
  leave_out_held_elsewhere();
  Application& application = *run_.application;
  const std::size_t most = std::min(
      kMostCollectives, kMostCollectivesOfRun / std::max<std::size_t>(application.processes.size(), 1));
  for (ProgramProcess& process : application.processes) {
    auto& launches = process.collectives;
    if (launches.size() <= most) continue;
    launches.erase(launches.begin(), launches.end() - static_cast<std::ptrdiff_t>(most));
  }
  application.problems = problems_.all();
  if (application.hosts.size() > 1) {
    run_.host = fmt::format("{} and {} more", application.hosts.front().name, application.hosts.size() - 1);
  } else {
    for (DeviceInfo& device : run_.devices) device.host.reset();
  }
  return std::move(run_);
}

}  // namespace rooflinectl
