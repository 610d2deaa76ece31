// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>

#include "runner/importing/imported_file_reader.h"

namespace rooflinectl {

namespace {

constexpr std::int64_t kMostNumber = std::numeric_limits<int>::max();

/// The place of the device with this number; `describe` describes one that is new.
template <typename Describe>
std::size_t place_of(std::int64_t number, std::map<std::int64_t, std::size_t>& places,
                     ImportedContent& content, Describe describe) {
  const auto [place, is_new] = places.try_emplace(number, content.devices.size());
  if (is_new) {
    DeviceInfo& device = content.devices.emplace_back(describe());
    if (device.name.empty()) device.name = "unknown GPU";
    device.index = static_cast<int>(std::clamp<std::int64_t>(number, 0, kMostNumber));
  }
  return place->second;
}

DeviceInfo device_of(const NsysProgram& program, std::int64_t number) {
  DeviceInfo device;
  const auto known = program.devices.find(number);
  if (known == program.devices.end()) return device;
  device.name = known->second.name;
  device.sm_count = static_cast<int>(std::clamp<std::int64_t>(known->second.sms, 0, kMostNumber));
  device.memory_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(known->second.memory_bytes, 0));
  device.l2_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(known->second.l2_bytes, 0));
  return device;
}

record::Extent extent_of(const std::optional<TorchKernel::Extent>& extent) {
  if (!extent) return {};
  record::Extent result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    result.at(i) = static_cast<std::uint32_t>(std::min<std::uint64_t>(extent->at(i), kMostNumber));
  }
  return result;
}

}  // namespace

ImportedContent nsys_content(const NsysProgram& program) {
  ImportedContent content;
  content.file.format = "Nsight Systems export";
  std::map<std::int64_t, std::size_t> places;
  for (const NsysKernel& kernel : program.kernels) {
    ImportedLaunch& launch = content.launches.emplace_back();
    launch.kernel = kernel.name;
    launch.is_kernel = kernel.grid.has_value();
    launch.device =
        place_of(kernel.device, places, content, [&] { return device_of(program, kernel.device); });
    if (kernel.process > 0 && kernel.process <= kMostNumber)
      launch.process = static_cast<int>(kernel.process);
    launch.grid = kernel.grid.value_or(record::Extent{});
    launch.block = kernel.block.value_or(record::Extent{});
    launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
    launch.path = fmt::format("{}", fmt::join(kernel.path, "/"));
    launch.time_s = CounterValue::measured(kernel.duration_s);
  }
  return content;
}

ImportedContent torch_content(const TorchTrace& trace) {
  constexpr double kSecondsPerMicrosecond = 1e-6;
  ImportedContent content;
  content.file.format = "PyTorch trace";
  std::map<std::int64_t, std::size_t> places;
  for (const TorchKernel& kernel : trace.kernels) {
    ImportedLaunch& launch = content.launches.emplace_back();
    launch.kernel = trace.names[kernel.name];
    launch.is_kernel = kernel.grid.has_value();
    const auto number =
        static_cast<std::int64_t>(std::min<std::uint64_t>(kernel.device.value_or(0), kMostNumber));
    launch.device = place_of(number, places, content, [] { return DeviceInfo(); });
    launch.grid = extent_of(kernel.grid);
    launch.block = extent_of(kernel.block);
    launch.time_s = CounterValue::measured(kernel.duration_us * kSecondsPerMicrosecond);
  }
  return content;
}

}  // namespace rooflinectl
