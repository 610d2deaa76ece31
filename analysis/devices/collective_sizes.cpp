// SPDX-License-Identifier: Apache-2.0
#include "analysis/devices/collective_sizes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "analysis/devices/links.h"
#include "core/stats/statistics.h"

namespace rooflinectl {

namespace {

/// From the names of NCCL's kernels: `ncclDevKernel_AllReduce_Sum_f32_RING_LL`.
std::optional<Collective> collective_of(std::string_view kernel) {
  for (const auto& [name, kind] : {std::pair(std::string_view("_AllReduce_"), Collective::all_reduce),
                                   std::pair(std::string_view("_AllGather_"), Collective::all_gather),
                                   std::pair(std::string_view("_ReduceScatter_"), Collective::reduce_scatter),
                                   std::pair(std::string_view("_Broadcast_"), Collective::broadcast)}) {
    if (kernel.find(name) != std::string_view::npos) return kind;
  }
  return std::nullopt;
}

/// Those of the whole array: NCCL gives those of one rank's part in an all-gather or reduce-scatter.
double array_bytes(Collective kind, std::uint64_t message_bytes, std::size_t ranks) {
  const bool is_part = kind == Collective::all_gather || kind == Collective::reduce_scatter;
  return static_cast<double>(message_bytes) * (is_part ? static_cast<double>(ranks) : 1);
}

/// How long it takes alone, if that was measured over as many devices.
std::optional<double> alone_s(const Run& run, Collective kind, double bytes, std::size_t ranks) {
  if (!run.collectives || run.devices.size() != ranks) return std::nullopt;
  for (const CollectiveTimes& times : run.collectives->times) {
    if (times.collective == kind) return interpolated_time_s(times, bytes);
  }
  return std::nullopt;
}

}  // namespace

double CollectiveSize::bus_bytes_per_s() const {
  return rooflinectl::bus_bytes_per_s(collective, time, ranks);
}

std::optional<double> CollectiveSize::alone_bus_bytes_per_s() const {
  if (!alone_s) return std::nullopt;
  return rooflinectl::bus_bytes_per_s(collective,
                                      {.bytes = time.bytes, .time_s = *alone_s, .relative_spread = 0}, ranks);
}

std::optional<double> CollectiveSize::beyond_alone_s() const {
  return alone_s ? std::optional(time.time_s - *alone_s) : std::nullopt;
}

std::optional<double> CollectiveSize::share_of_alone() const {
  return alone_s ? std::optional(portion_of(*alone_s, time.time_s)) : std::nullopt;
}

double AgainstAlone::relative_excess() const {
  return portion_of(time_s, alone_s) - 1;
}

std::optional<AgainstAlone> against_alone(const std::vector<CollectiveSize>& sizes) {
  AgainstAlone all;
  for (const CollectiveSize& size : sizes) {
    if (!size.alone_s) continue;
    const auto times = static_cast<double>(size.count);
    all.count += size.count;
    all.time_s += times * size.time.time_s;
    all.alone_s += times * *size.alone_s;
  }
  return all.count == 0 ? std::nullopt : std::optional(all);
}

std::vector<CollectiveSize> collective_sizes(const Run& run,
                                             const std::vector<MatchedCollective>& collectives) {
  std::map<std::tuple<Collective, double, std::size_t>, std::vector<double>> times;
  for (const MatchedCollective& one : collectives) {
    const CollectiveKernel& kernel = run.application->collectives[one.kernel];
    const std::optional<Collective> kind = collective_of(kernel.subject);
    if (!kind || kernel.bytes.value_or(0) == 0 || one.shortest_ns == 0) continue;
    times[{*kind, array_bytes(*kind, *kernel.bytes, one.processes), one.processes}].push_back(
        static_cast<double>(one.shortest_ns) * 1e-9);
  }
  std::vector<CollectiveSize> sizes;
  for (const auto& [key, all] : times) {
    const auto& [kind, bytes, ranks] = key;
    sizes.push_back({.collective = kind,
                     .ranks = ranks,
                     .count = all.size(),
                     .time = {.bytes = bytes, .time_s = median(all), .relative_spread = 0},
                     .alone_s = alone_s(run, kind, bytes, ranks)});
  }
  const auto total_s = [](const CollectiveSize& size) {
    return static_cast<double>(size.count) * size.time.time_s;
  };
  std::stable_sort(sizes.begin(), sizes.end(),
                   [&](const CollectiveSize& a, const CollectiveSize& b) { return total_s(a) > total_s(b); });
  return sizes;
}

}  // namespace rooflinectl
