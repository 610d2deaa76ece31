// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "core/text/names.h"
#include "core/text/written_number.h"
#include "runner/importing/importing.h"

namespace rooflinectl {

namespace {

constexpr double kMostBlocksPerSm = 1024;  // far more than fit

std::optional<int> number_in(const std::string& text) {
  const auto number = parse_number<int>(text);
  return number.value_or(-1) >= 0 ? number : std::nullopt;
}

/// `{16, 16, 1}` of `16x16`; zeros where the text is not such an extent.
record::Extent extent_from(std::string_view text) {
  constexpr std::uint32_t kMost = 0x7fff'ffff;  // of a grid's first dimension, which is the longest
  record::Extent extent = {1, 1, 1};
  if (text.ends_with('x')) return {};
  for (std::uint32_t& length : extent) {
    const auto number = parse_number<std::uint32_t>(take_field(text, 'x'));
    if (!number || *number > kMost) return {};
    length = *number;
    if (text.empty()) return extent;
  }
  return {};
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
    const auto found = std::ranges::find(content.devices, device);
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
    std::ranges::move(ceilings, std::back_inserter(content.ceilings));
  }
  return content;
}

namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = take_field(text, ' ');
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

/// The values of `--option VALUE` and `--option=VALUE`. Arguments of the program that ncu ran are words, too:
/// any that look like ncu's options come after ncu's own.
std::vector<std::string> values_of(const std::vector<std::string_view>& words, std::string_view option) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == option && i + 1 < words.size()) values.emplace_back(words[i + 1]);
    if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
      values.emplace_back(word.substr(option.size() + 1));
    }
  }
  return values;
}

std::string first_of(const std::vector<std::string>& values, const std::string& otherwise) {
  return values.empty() ? otherwise : values.front();
}

/// The clocks that ncu locks unless it is told otherwise; nothing where its version is not known.
/// Source: Nsight Compute CLI documentation, `--clock-control`.
std::string default_clock_control(std::string_view version) {
  constexpr int kFirstWithBoost = 2026;
  int year = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), year);
  if (error != std::errc()) return {};
  return year >= kFirstWithBoost ? "boost" : "base";
}

}  // namespace

void set_ncu_options(ImportedFile& file, std::string_view command_line) {
  if (command_line.empty()) return;
  const std::vector<std::string_view> words = words_of(command_line);
  file.replay = first_of(values_of(words, "--replay-mode"), "kernel");
  file.clock_control =
      first_of(values_of(words, "--clock-control"), default_clock_control(file.tool_version));
  file.cache_control = first_of(values_of(words, "--cache-control"), "all");
  for (const std::string& set : values_of(words, "--set")) file.sections.push_back("set " + set);
  for (const std::string& section : values_of(words, "--section")) {
    file.sections.push_back("section " + section);
  }
  if (!values_of(words, "--metrics").empty()) file.sections.emplace_back("chosen metrics");
  if (file.sections.empty()) file.sections.emplace_back("set basic");
}

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
