// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/names.h"
#include "runner/importing/importing.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kMajor = "device__attribute_compute_capability_major";
constexpr std::string_view kMinor = "device__attribute_compute_capability_minor";
constexpr std::string_view kSms = "device__attribute_multiprocessor_count";
constexpr std::string_view kMemory = "device__attribute_total_memory";
constexpr std::string_view kL2 = "device__attribute_l2_cache_size";
constexpr std::string_view kBusBits = "device__attribute_global_memory_bus_width";
constexpr std::string_view kMemoryClock = "device__attribute_memory_clock_rate";
constexpr std::string_view kSmClock = "device__attribute_clock_rate";
constexpr std::string_view kEcc = "device__attribute_ecc_enabled";
constexpr std::array kAttributes = {kMajor,   kMinor,       kSms,     kMemory, kL2,
                                    kBusBits, kMemoryClock, kSmClock, kEcc};
constexpr double kHzPerKhz = 1e3;

/// More than any device has of anything.
constexpr double kMostOfAttribute = 1e15;

constexpr std::string_view kSmCycles = "sm__cycles_elapsed.avg.per_second";
/// A ceiling: what a unit does in a cycle at most, and the metric of its clock.
struct Peak {
  std::string_view id;  ///< `f32_fma`: the subject, and the operation if there is one
  std::string_view per_cycle;
  double scale = 1;
  std::string_view clock = kSmCycles;
};
constexpr std::string_view kFma32 = "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained";
constexpr std::string_view kFma64 = "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained";
/// Operations per instruction: an addition keeps a lane as busy as a multiply-add, which is two; FP16 has two
/// in each instruction.
constexpr double kAdd = 1;
constexpr double kMultiplyAdd = 2;
constexpr double kPackedMultiplyAdd = 4;
/// Of those with the same id, the first that the report has counts: Hopper's instructions before older ones.
/// Tensor Cores are taken without sparsity: the peak of the sum over all of their instructions includes it,
/// and is twice as high.
constexpr std::array kPeaks = {
    Peak{"dram", "dram__bytes.sum.peak_sustained", 1, "dram__cycles_elapsed.avg.per_second"},
    Peak{"l2_read", "derived__lts__lts2xbar_bytes.sum.peak_sustained", 1,
         "lts__cycles_elapsed.avg.per_second"},
    Peak{"l1_read", "derived__l1tex__lsu_writeback_bytes_mem_lgds.sum.peak_sustained", 1,
         "l1tex__cycles_elapsed.avg.per_second"},
    Peak{"f64_fma", kFma64, kMultiplyAdd},
    Peak{"f64_add", kFma64, kAdd},
    Peak{"f32_fma", kFma32, kMultiplyAdd},
    Peak{"f32_add", kFma32, kAdd},
    Peak{"f16_fma", "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", kPackedMultiplyAdd},
    Peak{"f64_tensor", "sm__ops_path_tensor_src_fp64.sum.peak_sustained"},
    Peak{"tf32_tensor", "sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained"},
    Peak{"tf32_tensor", "sm__ops_path_tensor_op_hmma_src_tf32_dst_fp32_sparsity_off.sum.peak_sustained"},
    Peak{"bf16_tensor", "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained"},
    Peak{"bf16_tensor", "sm__ops_path_tensor_op_hmma_src_bf16_dst_fp32_sparsity_off.sum.peak_sustained"},
    Peak{"f16_tensor", "sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum.peak_sustained"},
    Peak{"f16_tensor", "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_off.sum.peak_sustained"},
    Peak{"f8_tensor", "sm__ops_path_tensor_src_fp8_sparsity_off.sum.peak_sustained"},
    Peak{"i8_tensor", "sm__ops_path_tensor_op_igmma_src_int8_sparsity_off.sum.peak_sustained"},
    Peak{"i8_tensor", "sm__ops_path_tensor_op_imma_src_int8_sparsity_off.sum.peak_sustained"}};

/// 0 where the report does not have it.
double attribute(const NcuKernel& kernel, std::string_view name) {
  const double value = ncu_metric(kernel, name).value_or(0);
  return value < kMostOfAttribute ? std::floor(value) : 0;
}

int small_attribute(const NcuKernel& kernel, std::string_view name) {
  constexpr double kMost = 1e6;
  const double value = attribute(kernel, name);
  return value <= kMost ? static_cast<int>(value) : 0;
}

std::optional<double> highest(const std::vector<const NcuKernel*>& kernels, std::string_view metric) {
  std::optional<double> most;
  for (const NcuKernel* kernel : kernels) {
    const auto value = ncu_metric(*kernel, metric);
    if (value && *value > most.value_or(0)) most = value;
  }
  return most;
}

bool is_bandwidth(const Peak& peak) {
  return peak.clock != kSmCycles;
}

Ceiling ceiling_of(const Peak& peak, double value, std::size_t device) {
  Ceiling ceiling;
  ceiling.id = peak.id;
  ceiling.kind = is_bandwidth(peak) ? CeilingKind::bandwidth : CeilingKind::compute;
  ceiling.source = CeilingSource::theoretical;
  std::string_view words = peak.id;
  ceiling.subject = take_field(words, '_');
  ceiling.operation = words;
  ceiling.value = value;
  ceiling.device = device;
  return ceiling;
}

std::optional<Ceiling> reported(const Peak& peak, const std::vector<const NcuKernel*>& kernels,
                                std::size_t device) {
  const auto per_cycle = highest(kernels, peak.per_cycle);
  const auto clock_hz = highest(kernels, peak.clock);
  if (!per_cycle || !clock_hz) return std::nullopt;
  Ceiling ceiling = ceiling_of(peak, *per_cycle * peak.scale * *clock_hz, device);
  if (!is_bandwidth(peak)) ceiling.sm_clock_hz = clock_hz;
  ceiling.method = fmt::format("theoretical, from ncu's report: {}{} x {:.0f} MHz", peak.per_cycle,
                               peak.scale == 1 ? "" : fmt::format(" x {:g}", peak.scale), *clock_hz / 1e6);
  return ceiling;
}

std::optional<Ceiling> dram_of_bus(const NcuKernel& kernel, std::size_t device) {
  constexpr double kPerCycle = 2;  // data rate of the command clock
  constexpr double kBitsPerByte = 8;
  const double clock_hz = attribute(kernel, kMemoryClock) * kHzPerKhz;
  const double bits = attribute(kernel, kBusBits);
  if (clock_hz <= 0 || bits <= 0) return std::nullopt;
  Ceiling ceiling = ceiling_of(kPeaks.front(), kPerCycle * clock_hz * bits / kBitsPerByte, device);
  ceiling.method =
      fmt::format("theoretical, from ncu's report: 2 x {:.0f} MHz x {:.0f} bit", clock_hz / 1e6, bits);
  return ceiling;
}

/// Multiply-adds per cycle of an SM. Source: "Throughput of Native Arithmetic Instructions" in NVIDIA's CUDA
/// C++ Programming Guide.
struct SmLanes {
  int compute_capability = 0;
  double f32 = 0;
  double f64 = 0;
};
constexpr std::array kSmLanes = {SmLanes{70, 64, 32},  SmLanes{75, 64, 2},  SmLanes{80, 64, 32},
                                 SmLanes{86, 128, 2},  SmLanes{89, 128, 2}, SmLanes{90, 128, 64},
                                 SmLanes{100, 128, 64}};

std::optional<Ceiling> of_lanes(const Peak& peak, const NcuKernel& kernel, std::size_t device) {
  if (peak.per_cycle != kFma32 && peak.per_cycle != kFma64) return std::nullopt;
  const auto capability = ncu_compute_capability(kernel);
  const auto found = std::ranges::find(kSmLanes, capability, &SmLanes::compute_capability);
  const double sms = attribute(kernel, kSms);
  const double clock_hz = attribute(kernel, kSmClock) * kHzPerKhz;
  if (found == kSmLanes.end() || sms <= 0 || clock_hz <= 0) return std::nullopt;
  const double lanes = peak.per_cycle == kFma32 ? found->f32 : found->f64;
  Ceiling ceiling = ceiling_of(peak, lanes * peak.scale * sms * clock_hz, device);
  ceiling.sm_clock_hz = clock_hz;
  ceiling.method = fmt::format("theoretical: {:g} operations per cycle of an SM x {:.0f} SMs x {:.0f} MHz",
                               lanes * peak.scale, sms, clock_hz / 1e6);
  return ceiling;
}

}  // namespace

std::optional<int> ncu_compute_capability(const NcuKernel& kernel) {
  constexpr int kMajorStep = 10;
  const int major = small_attribute(kernel, kMajor);
  return major > 0 ? std::optional(kMajorStep * major + small_attribute(kernel, kMinor)) : std::nullopt;
}

DeviceInfo ncu_device(const NcuKernel& kernel) {
  DeviceInfo device;
  device.name = kernel.device_name.empty() ? "unknown GPU" : kernel.device_name;
  device.compute_capability = ncu_compute_capability(kernel).value_or(0);
  device.sm_count = small_attribute(kernel, kSms);
  device.memory_bytes = static_cast<std::uint64_t>(attribute(kernel, kMemory));
  device.l2_bytes = static_cast<std::uint64_t>(attribute(kernel, kL2));
  device.memory_bus_bits = small_attribute(kernel, kBusBits);
  device.memory_clock_hz = attribute(kernel, kMemoryClock) * kHzPerKhz;
  device.sm_clock_hz = attribute(kernel, kSmClock) * kHzPerKhz;
  device.ecc_enabled = attribute(kernel, kEcc) > 0;
  return device;
}

std::vector<Ceiling> ncu_ceilings(const std::vector<const NcuKernel*>& kernels, std::size_t device) {
  std::vector<Ceiling> ceilings;
  for (const Peak& peak : kPeaks) {
    const bool is_known =
        std::ranges::any_of(ceilings, [&](const Ceiling& ceiling) { return ceiling.id == peak.id; });
    if (is_known) continue;
    auto ceiling = reported(peak, kernels, device);
    if (!ceiling && !kernels.empty()) {  // from the attributes of the GPU
      const NcuKernel& kernel = *kernels.front();
      ceiling = peak.id == "dram" ? dram_of_bus(kernel, device) : of_lanes(peak, kernel, device);
    }
    if (ceiling) ceilings.push_back(std::move(*ceiling));
  }
  return ceilings;
}

std::vector<std::string_view> ncu_device_metrics() {
  std::vector<std::string_view> names(kAttributes.begin(), kAttributes.end());
  for (const Peak& peak : kPeaks) {
    names.push_back(peak.per_cycle);
    names.push_back(peak.clock);
  }
  return names;
}

}  // namespace rooflinectl
