// SPDX-License-Identifier: Apache-2.0
#include "runner/profiling/points/profiled_points.h"

#include <fmt/format.h>

#include "core/files/hash.h"
#include "core/text/kernel_name.h"

namespace rooflinectl {

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

}  // namespace rooflinectl
