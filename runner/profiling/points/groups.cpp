// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/files/files.h"
#include "core/stats/statistics.h"
#include "core/text/kernel_name.h"
#include "runner/profiling/times/times.h"

namespace rooflinectl {

namespace {

constexpr double kTail = 0.95;

/// Those of launches that were not held up to be counted, if they are at least as many as the others.
std::vector<double> times_of(const TracedLaunches& traced) {
  std::vector<double> times;
  std::vector<double> counted;
  for (const BusyInterval* launch : traced) {
    (launch->is_counted ? counted : times).push_back(time_of_launch_s(*launch));
  }
  const bool is_enough = !times.empty() && times.size() >= counted.size();
  if (!is_enough) times.insert(times.end(), counted.begin(), counted.end());
  return times;
}

/// Launches that were held to be counted are among them: they are parts of the sequence.
LaunchPattern pattern_of(const ProfiledGroup& group, const TracedLaunches& traced) {
  LaunchPattern pattern;
  if (!group.processes.empty())
    pattern.launches = static_cast<double>(group.launches()) / static_cast<double>(group.processes.size());
  std::vector<double> times;
  for (const BusyInterval* launch : traced) times.push_back(time_of_launch_s(*launch));
  if (times.empty()) return pattern;
  pattern.period = period_of(times, kLongestPeriod);
  pattern.mean_s = std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  return pattern;
}

/// Of one launch; nothing for a graph.
std::optional<double> warps_of(const ProfiledGroup& group) {
  if (group.kernel.graph_nodes) return std::nullopt;
  return record::warps_of(group.shape.grid, group.shape.block);
}

/// Completes the counters by what the machine code tells. Returns the operations of a tensor instruction, or
/// 0 if it tells nothing that was not counted.
double derived_operations(const ProfiledGroup& group, RepeatedCounters& counted) {
  const auto& instructions = group.kernel.tensor_instructions;
  const auto decoded = instructions ? decoded_tensor(*instructions) : std::nullopt;
  return decoded && derive_tensor_operations(counted, *decoded) ? *decoded->operations : 0;
}

std::optional<bool> has_sparse_products(const record::Kernel& kernel) {
  if (!kernel.tensor_instructions) return std::nullopt;
  return std::any_of(kernel.tensor_instructions->begin(), kernel.tensor_instructions->end(),
                     [](const TensorInstruction& one) { return one.is_sparse; });
}

struct SeenWork {
  double instructions = 0;
  double efficiency = 0;
};

/// What the hardware counted; nothing if launches differ, or are too short to tell.
std::optional<SeenWork> seen_work(const ProfiledGroup& group) {
  constexpr double kFewest = 100 * record::kOwnInstructions;
  const auto counted = group.counters.find(to_string(Pass::memory));
  if (counted == group.counters.end()) return std::nullopt;
  const RepeatedCounters mean = counted->second.mean({}).counters;
  const auto instructions = value_of(mean.counters, counter::kWarpInstructions);
  const auto efficiency = value_of(mean.counters, counter::kWarpExecutionEfficiency);
  const auto spread = mean.spread.find(std::string(counter::kWarpInstructions));
  const double differ_by = instructions && spread != mean.spread.end() ? spread->second * *instructions : 0;
  if (!instructions || !efficiency || *instructions < kFewest || differ_by > record::kOwnInstructions)
    return std::nullopt;
  return SeenWork{*instructions, *efficiency};
}

std::vector<GraphKernelUse> graph_kernels_of(const ProfiledGroup& group) {
  std::vector<GraphKernelUse> uses;
  for (const auto& [name, use] : group.graph_kernels) uses.push_back(use);
  std::ranges::stable_sort(uses, [](const auto& a, const auto& b) { return a.total_s > b.total_s; });
  return uses;
}

}  // namespace

Measurement measurement_of(const ProfiledGroup& group, const TracedLaunches& traced, KeptTimes kept,
                           std::uint64_t zero_ns, const MissingReason& missing) {
  Measurement measurement;
  measurement.point = {.experiment = {}, .subject = group.subject, .axes = group.axes};
  measurement.device = group.device;
  measurement.rank = group.rank.value();
  measurement.process = group.process.value();
  if (!group.kernel.graph_nodes) {
    measurement.launch.grid = volume(group.shape.grid);
    measurement.launch.block = static_cast<int>(volume(group.shape.block));
  }
  measurement.resources = resources_of(group.kernel, group.shape);

  const std::vector<double> all = times_of(traced);
  const LaunchPattern pattern = pattern_of(group, traced);
  const auto settled = without_first_that_differ(group.counters, pattern);
  GroupCounters of_group = counters_of_group(settled ? *settled : group.counters, warps_of(group), missing,
                                             pattern, group.has_matrix_bytes);
  RepeatedCounters& counted = of_group.counted;
  LaunchStatistics launches;
  launches.operations_per_tensor_instruction = derived_operations(group, counted);
  launches.operations_path = group.operations_path;
  launches.has_half_arithmetic = group.kernel.has_half_arithmetic;
  launches.has_sparse_products = has_sparse_products(group.kernel);
  if (group.kernel.tensor_instructions) launches.products = products_of(*group.kernel.tensor_instructions);
  if (!group.kernel.graph_nodes) launches.symbol = cut_name(group.kernel.symbol, kMaxSubjectLength);
  launches.first = group.shape.first_launch;
  launches.count = group.launches();
  launches.traced = group.traced;
  launches.total_s = seconds(group.traced_ns);
  launches.held = group.held;
  launches.held_s = seconds(group.held_ns);
  launches.overlapped_s = seconds(group.overlapped_ns);
  launches.gaps_before = group.gaps_before;
  launches.idle_before_s = seconds(group.idle_before_ns);
  launches.counted = group.counted;
  launches.period = of_group.period;
  launches.counters_scale = of_group.scale;
  launches.clusters = std::move(of_group.clusters);
  launches.graph_nodes = group.kernel.graph_nodes;
  launches.graph_kernels = graph_kernels_of(group);
  launches.over_time = launches_over_time(traced, zero_ns, kept.over_time);
  if (!all.empty()) {
    measurement.time = time_of_launches(all, kept.samples);
    launches.p95_s = quantile(all, kTail);
  }
  measurement.launches = std::move(launches);

  measurement.counters = counted.counters;
  measurement.counter_spread = counted.spread;
  measurement.counter_repeats = counted.repeats;
  return measurement;
}

void share_operations(const std::vector<ProfiledGroup*>& same_kernel) {
  const auto has_operations = [](const ProfiledGroup* group) {
    return group->counters.contains(to_string(Pass::operations));
  };
  std::vector<std::pair<SeenWork, const ProfiledGroup*>> sources;
  for (const ProfiledGroup* group : same_kernel) {
    const auto seen = has_operations(group) ? seen_work(*group) : std::nullopt;
    if (seen) sources.emplace_back(*seen, group);
  }
  if (sources.empty()) return;
  for (ProfiledGroup* group : same_kernel) {
    const auto seen = has_operations(group) ? std::nullopt : seen_work(*group);
    if (!seen) continue;
    const auto source = std::ranges::find_if(sources, [&](const auto& other) {
      return record::is_same_work(seen->instructions, seen->efficiency, other.first.instructions,
                                  other.first.efficiency);
    });
    if (source == sources.end()) continue;
    for (const Pass pass : {Pass::operations, Pass::tensor}) {
      const auto counted = source->second->counters.find(to_string(pass));
      if (counted != source->second->counters.end())
        group->counters.try_emplace(counted->first, counted->second);
    }
    group->operations_path = source->second->path;
  }
}

namespace {

void set_extent(Axes& axes, std::string_view name, const record::Extent& extent) {
  if (extent[1] == 1 && extent[2] == 1) {
    axes.set(name, std::uint64_t{extent[0]});
  } else {
    axes.set(name, extent_text(extent));
  }
}

/// Registers are allocated to warps in units of 256, on each of the four quarters of an SM, which has 65,536
/// of them on every chip since compute capability 5.0. Source: CUDA occupancy calculator
/// (`cuda_occupancy.h`).
int blocks_by_registers(int registers_per_thread, std::uint64_t block) {
  constexpr int kLanes = 32;
  constexpr int kUnit = 256;
  constexpr int kQuarters = 4;
  constexpr int kRegisters = 65'536;
  const auto warps = static_cast<int>((block + kLanes - 1) / kLanes);
  const int of_warp = (registers_per_thread * kLanes + kUnit - 1) / kUnit * kUnit;
  if (of_warp == 0 || warps == 0) return 0;
  return kRegisters / kQuarters / of_warp * kQuarters / warps;
}

}  // namespace

std::string subject_of(const record::Kernel& kernel) {
  if (kernel.graph_nodes) return cut_name("CUDA graph " + kernel.symbol, kMaxSubjectLength);
  return cut_name(demangle(kernel.symbol), kMaxSubjectLength);
}

std::string extent_text(const record::Extent& extent) {
  if (extent[2] != 1) return fmt::format("{}x{}x{}", extent[0], extent[1], extent[2]);
  if (extent[1] != 1) return fmt::format("{}x{}", extent[0], extent[1]);
  return fmt::format("{}", extent[0]);
}

Axes axes_of(const record::Group& group, bool is_graph, std::uint64_t code, const std::string& path) {
  Axes axes;
  if (!is_graph) {
    set_extent(axes, "grid", group.grid);
    set_extent(axes, axis::kBlock, group.block);
    if (group.dynamic_shared_bytes > 0) axes.set("shared", group.dynamic_shared_bytes);
    if (group.cluster) set_extent(axes, "cluster", *group.cluster);
  }
  if (code > 1) axes.set("code", code);
  if (!path.empty()) axes.set("path", path);
  return axes;
}

std::optional<KernelResources> resources_of(const record::Kernel& kernel, const record::Group& group) {
  if (kernel.graph_nodes || !group.blocks_per_sm) return std::nullopt;
  return KernelResources{
      .registers_per_thread = kernel.registers_per_thread,
      .shared_bytes_per_block = static_cast<int>(kernel.static_shared_bytes + group.dynamic_shared_bytes),
      .blocks_per_sm = *group.blocks_per_sm,
      .blocks_per_sm_by_registers = blocks_by_registers(kernel.registers_per_thread, volume(group.block))};
}

std::uint64_t volume(const record::Extent& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

std::size_t ProcessList::collective(const CollectiveKernel& kernel) {
  const auto [place, is_new] = places_.try_emplace(kernel, kernels_.size());
  if (is_new) kernels_.push_back(kernel);
  return place->second;
}

namespace {

using Launches = std::vector<CollectiveLaunch>;

/// The end of those before `newest` that ranks may have delayed. They are all held at about the same time.
Launches::iterator end_of_held(Launches& collectives, const std::vector<Hold>& holds,
                               Launches::iterator newest) {
  if (holds.empty()) return collectives.begin();
  const std::uint64_t last_ns = 2 * holds.back().end_ns() - holds.front().start_ns;
  const auto most = std::min(newest, collectives.begin() + kMostHeldCollectives);
  return std::partition_point(collectives.begin(), most,
                              [&](const CollectiveLaunch& launch) { return launch.start_ns <= last_ns; });
}

}  // namespace

void ProcessList::add(const record::Process& process, std::vector<std::size_t> devices,
                      std::vector<CollectiveLaunch> collectives, const std::vector<Hold>& all_holds) {
  Holds holds(all_holds);
  holds.join_to(kMostHolds);
  std::ranges::sort(collectives, {}, &CollectiveLaunch::start_ns);
  if (collectives.size() > kMostCollectives) {
    const auto newest = collectives.end() - kMostCollectives;
    collectives.erase(end_of_held(collectives, holds.list(), newest), newest);
  }
  processes_.emplace(process.start_ns, ProgramProcess{.id = process.process,
                                                      .rank = process.rank,
                                                      .ranks = process.ranks,
                                                      .host = host_of(process),
                                                      .devices = std::move(devices),
                                                      .collectives = std::move(collectives),
                                                      .holds = holds.list()});
}

std::size_t ProcessList::host_of(const record::Process& process) {
  const auto known = std::ranges::find_if(hosts_, [&](const ProgramHost& host) {
    return host.name == process.host && host.boot_id == process.boot_id;
  });
  if (known != hosts_.end()) return static_cast<std::size_t>(known - hosts_.begin());
  hosts_.push_back({.name = process.host, .boot_id = process.boot_id, .clock_ns = 0, .uncertainty_s = 0});
  return hosts_.size() - 1;
}

void ProcessList::complete(Application& application, std::uint64_t zero_ns) const {
  application.hosts = hosts_;
  for (ProgramHost& host : application.hosts) host.clock_ns = zero_ns;
  application.collectives = kernels_;
  for (const auto& [start_ns, process] : processes_) {
    ProgramProcess& added = application.processes.emplace_back(process);
    for (CollectiveLaunch& launch : added.collectives) launch.start_ns -= zero_ns;
    for (Hold& hold : added.holds) {
      const std::uint64_t end_ns = std::max(hold.end_ns(), zero_ns) - zero_ns;
      hold.start_ns = std::max(hold.start_ns, zero_ns) - zero_ns;
      hold.duration_ns = end_ns - hold.start_ns;
    }
  }
}

namespace {

bool is_same(const record::Kernel& a, const record::Kernel& b) {
  const bool is_same_module = !a.code || !b.code || a.code == b.code;
  return is_same_module && a.registers_per_thread == b.registers_per_thread &&
         a.static_shared_bytes == b.static_shared_bytes &&
         a.local_bytes_per_thread == b.local_bytes_per_thread;
}

}  // namespace

std::uint64_t KernelCodes::number(const std::string& chip, const std::string& name,
                                  const record::Kernel& kernel) {
  if (kernel.graph_nodes) return 1;
  std::vector<record::Kernel>& all = known_[{chip, name}];
  auto place = std::ranges::find_if(all, [&](const record::Kernel& known) { return is_same(known, kernel); });
  if (place == all.end()) place = all.insert(place, kernel);
  if (!place->code) place->code = kernel.code;
  return static_cast<std::uint64_t>(place - all.begin()) + 1;
}

}  // namespace rooflinectl
