// SPDX-License-Identifier: Apache-2.0
#include "runner/importing/ncu_launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "runner/importing/ncu_counters.h"
#include "runner/importing/ncu_device.h"

namespace rooflinectl {

namespace {

constexpr double kMostBlocksPerSm = 1024;  // far more than fit

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && last == end && number >= 0 ? std::optional(number) : std::nullopt;
}

int whole(const NcuKernel& kernel, std::string_view metric) {
  constexpr double kMost = 1e9;
  const double value = ncu_metric(kernel, metric).value_or(0);
  return value >= 0 && value <= kMost ? static_cast<int>(value) : 0;
}

/// Nothing unless the report has the section LaunchStats.
std::optional<KernelResources> resources_in(const NcuKernel& kernel) {
  const auto registers = ncu_metric(kernel, "launch__registers_per_thread");
  const auto by_registers = ncu_metric(kernel, "launch__occupancy_limit_registers");
  const auto by_shared = ncu_metric(kernel, "launch__occupancy_limit_shared_mem");
  const auto by_warps = ncu_metric(kernel, "launch__occupancy_limit_warps");
  const auto by_blocks = ncu_metric(kernel, "launch__occupancy_limit_blocks");
  if (!registers || !by_registers || !by_shared || !by_warps || !by_blocks) return std::nullopt;
  return KernelResources{
      .registers_per_thread = whole(kernel, "launch__registers_per_thread"),
      .shared_bytes_per_block = whole(kernel, "launch__shared_mem_per_block_static") +
                                whole(kernel, "launch__shared_mem_per_block_dynamic"),
      .blocks_per_sm = static_cast<int>(
          std::clamp(std::min({*by_registers, *by_shared, *by_warps, *by_blocks}), 0.0, kMostBlocksPerSm)),
      .blocks_per_sm_by_registers = whole(kernel, "launch__occupancy_limit_registers")};
}

/// The cluster's extent, from the metrics; nothing if there is none, or it is one block.
std::optional<record::Extent> cluster_of(const NcuKernel& kernel) {
  const record::Extent cluster = {static_cast<std::uint32_t>(whole(kernel, "launch__cluster_dim_x")),
                                  static_cast<std::uint32_t>(whole(kernel, "launch__cluster_dim_y")),
                                  static_cast<std::uint32_t>(whole(kernel, "launch__cluster_dim_z"))};
  const bool is_one = cluster[0] <= 1 && cluster[1] <= 1 && cluster[2] <= 1;
  return is_one ? std::nullopt : std::optional(cluster);
}

/// A range is named after its innermost NVTX range: its own name is always `range`.
std::string name_of(const NcuKernel& kernel) {
  if (!kernel.grid.empty()) return kernel.symbol.empty() ? kernel.kernel : kernel.symbol;
  return kernel.path.empty() ? kernel.kernel : fmt::format("{} {}", kernel.kernel, kernel.path.back());
}

ImportedLaunch launch_of(const NcuKernel& kernel, std::size_t device) {
  ImportedLaunch launch;
  launch.kernel = name_of(kernel);
  launch.is_kernel = !kernel.grid.empty();
  launch.process = number_in(kernel.process);
  launch.device = device;
  if (launch.is_kernel) {
    launch.grid = extent_from(kernel.grid);
    launch.block = extent_from(kernel.block);
    launch.cluster = cluster_of(kernel);
    launch.dynamic_shared_bytes =
        static_cast<std::uint64_t>(whole(kernel, "launch__shared_mem_per_block_dynamic"));
    launch.resources = resources_in(kernel);
  }
  launch.path = fmt::format("{}", fmt::join(kernel.path, "/"));
  launch.time_s = ncu_duration(kernel);
  launch.counters = ncu_counters(kernel);
  return launch;
}

}  // namespace

ImportedContent ncu_content(const std::vector<NcuKernel>& kernels) {
  ImportedContent content;
  std::vector<std::vector<const NcuKernel*>> on_device;
  for (const NcuKernel& kernel : kernels) {
    DeviceInfo device = ncu_device(kernel);
    device.index = number_in(kernel.device).value_or(0);
    const auto found = std::find(content.devices.begin(), content.devices.end(), device);
    const auto place = static_cast<std::size_t>(found - content.devices.begin());
    if (found == content.devices.end()) {
      content.devices.push_back(device);
      on_device.emplace_back();
    }
    on_device[place].push_back(&kernel);
    content.launches.push_back(launch_of(kernel, place));
  }
  for (std::size_t device = 0; device < on_device.size(); ++device) {
    std::vector<Ceiling> ceilings = ncu_ceilings(on_device[device], device);
    std::move(ceilings.begin(), ceilings.end(), std::back_inserter(content.ceilings));
  }
  return content;
}

}  // namespace rooflinectl
