// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/text/written_number.h"
#include "runner/measuring/device_runs.h"
#include "runner/merging/merging.h"

namespace rooflinectl {

namespace {

std::optional<int> rank_of(const RunPart& part) {
  const auto& measurements = part.run.measurements;
  return measurements.empty() ? std::nullopt : measurements.front().rank;
}

[[noreturn]] void refuse(const RunPart& part, const RunPart& other, const std::string& why) {
  throw Error(ErrorKind::usage, fmt::format("{} and {}: {}", other.name, part.name, why),
              "merge joins the runs of one launch: name the folders of that launch alone");
}

void check_that_both_fit(const RunPart& part, const RunPart& other) {
  if (part.run.plan != other.run.plan) refuse(part, other, "they have different plans");
  if (part.run.tool_version != other.run.tool_version || part.run.tool_commit != other.run.tool_commit) {
    refuse(part, other, "different versions of rooflinectl measured them");
  }
  if (const auto rank = rank_of(part); rank && rank == rank_of(other)) {
    refuse(part, other, fmt::format("both have rank {}", *rank));
  }
  for (const DeviceInfo& device : part.run.devices) {
    for (const DeviceInfo& used : other.run.devices) {
      if (device.uuid == used.uuid) refuse(part, other, fmt::format("both are of the GPU {}", device.uuid));
    }
  }
}

/// Keeps a point that several ranks measured together where the first of them did, if it was measured.
void keep_shared_points_once(std::vector<Measurement>& measurements) {
  std::vector<Measurement> kept;
  for (Measurement& measurement : measurements) {
    const auto same = gpus_of(measurement.point) < 2
                          ? kept.end()
                          : std::ranges::find(kept, measurement.point, &Measurement::point);
    if (same == kept.end()) {
      kept.push_back(std::move(measurement));
    } else if (same->status != Status::ok && measurement.status == Status::ok) {
      *same = std::move(measurement);
    }
  }
  measurements = std::move(kept);
}

}  // namespace

Run merged_plan(std::vector<RunPart> parts) {
  std::ranges::stable_sort(parts, [](const RunPart& a, const RunPart& b) { return rank_of(a) < rank_of(b); });
  Run all = parts.front().run;
  all.devices.clear();
  all.ceilings.clear();
  all.measurements.clear();
  all.primitives.clear();
  std::set<std::string> hosts;
  for (auto part = parts.begin(); part != parts.end(); ++part) {
    for (auto other = parts.begin(); other != part; ++other) check_that_both_fit(*part, *other);
    const Run& run = part->run;
    const std::size_t place = all.devices.size();
    all.devices.resize(place + run.devices.size());
    add_device_run(all, place, run);
    take_counter_session(all, run.counter_session);
    for (std::size_t i = place; i < all.devices.size(); ++i) all.devices[i].host = run.host;
    hosts.insert(run.host);
    all.together = all.together || rank_of(*part);
    all.wall_s = std::max(all.wall_s, run.wall_s);
    all.started_utc = std::min(all.started_utc, run.started_utc);
  }
  if (hosts.size() > 1) {
    all.host = fmt::format("{} and {} more", parts.front().run.host, hosts.size() - 1);
  } else {
    for (DeviceInfo& device : all.devices) device.host.reset();
  }
  keep_shared_points_once(all.measurements);
  return all;
}

namespace {

/// `train.py (ranks 0–3), test.py (ranks 4–7)`
std::string values_text(const std::map<std::string, std::vector<int>>& ranks_by_value) {
  std::vector<std::string> texts;
  for (const auto& [value, ranks] : ranks_by_value) {
    texts.push_back(ranks.empty() ? value : fmt::format("{} (ranks {})", value, number_ranges(ranks)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::vector<ApplicationProblem> differences_of(const std::vector<const RunPart*>& parts) {
  std::map<std::string, std::vector<int>> programs;
  std::map<std::string, std::vector<int>> versions;
  for (const RunPart* part : parts) {
    const Run& run = part->run;
    auto& of_program = programs[run.plan.name];
    auto& of_version = versions[fmt::format("{} ({})", run.tool_version, run.tool_commit)];
    for (const ProgramProcess& process : run.application->processes) {
      if (!process.rank) continue;
      of_program.push_back(*process.rank);
      of_version.push_back(*process.rank);
    }
  }
  std::vector<ApplicationProblem> problems;
  if (programs.size() > 1) {
    problems.push_back({.cause = fmt::format("the ranks ran different programs: {}", values_text(programs))});
  }
  if (versions.size() > 1) {
    problems.push_back(
        {.cause = fmt::format("the ranks were profiled by different versions of rooflinectl: {}",
                              values_text(versions))});
  }
  return problems;
}

std::vector<ApplicationProblem> missing_ranks(const Application& merged) {
  int ranks = 0;
  std::set<int> present;
  for (const ProgramProcess& process : merged.processes) {
    if (!process.rank) continue;
    present.insert(*process.rank);
    ranks = std::max(ranks, process.ranks.value_or(0));
  }
  std::vector<int> missing;
  for (int rank = 0; rank < ranks; ++rank) {
    if (!present.contains(rank)) missing.push_back(rank);
  }
  if (missing.empty()) return {};
  return {{.cause = fmt::format("{} of {} ranks are here; missing: {}", present.size(), ranks,
                                number_ranges(missing)),
           .hint = "name their folders too; a rank that did not use CUDA has none"}};
}

std::vector<ApplicationProblem> unaligned_hosts(const Application& merged) {
  std::vector<std::string> names;
  for (const ProgramHost& host : merged.hosts) {
    if (!host.uncertainty_s) names.push_back(host.name);
  }
  if (names.empty()) return {};
  return {{.cause = fmt::format("the times of {} cannot be compared with those of {}: they share neither "
                                "a clock nor enough collectives (NCCL) that end together",
                                fmt::join(names, ", "), merged.hosts.front().name)}};
}

void GroupRows::add(std::size_t run, const Run& measured) {
  for (const Measurement& measurement : measured.measurements) {
    if (!measurement.launches || !measurement.process) continue;
    const LaunchStatistics& all = *measurement.launches;
    Row row = {.group = place_of(measurement.point), .run = run, .device = measurement.device};
    row.launches = {.process = *measurement.process,
                    .count = all.count,
                    .traced = all.traced,
                    .total_s = all.total_s,
                    .overlapped_s = all.overlapped_s};
    if (const auto& time = measurement.time) {
      row.launches.median_s = time->median_s;
      row.launches.ci_low_s = time->ci_low_s;
      row.launches.ci_high_s = time->ci_high_s;
    }
    rows_.push_back(row);
  }
  // A merged run has the rest here.
  if (!measured.application) return;
  for (const RankGroup& group : measured.application->other_ranks) {
    const std::size_t place = place_of(group.point);
    for (const RankLaunches& launches : group.ranks) {
      const ProgramProcess* process = find_process(measured.application->processes, launches.process);
      if (process == nullptr || process->devices.empty()) continue;
      rows_.push_back({.group = place, .run = run, .device = process->devices.front(), .launches = launches});
    }
  }
}

std::size_t GroupRows::place_of(const PointId& point) {
  const auto [place, is_new] = places_.try_emplace(range_name(point), groups_.size());
  if (is_new) groups_.push_back(point);
  return place->second;
}

}  // namespace rooflinectl
