// SPDX-License-Identifier: Apache-2.0
#include "collector/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>

#include "core/error.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  kernels::check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// The version of the kernel driver, for example 580.159.04; empty where it cannot be read.
std::string driver_version() {
  std::ifstream file("/sys/module/nvidia/version");
  std::string version;
  if (file >> version) return version;
  // NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...
  std::ifstream proc("/proc/driver/nvidia/version");
  for (std::string word; proc >> word;) {
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  }
  return {};
}

int device_count() {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) {
    throw Error(ErrorKind::environment, "no NVIDIA driver was found",
                "install the driver; in a container, expose the GPU (docker run --gpus all)");
  }
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaErrorInsufficientDriver) {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    throw Error(ErrorKind::environment,
                fmt::format("the NVIDIA driver supports CUDA {}.{}, this program needs CUDA {}.{}",
                            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10),
                "update the driver");
  }
  if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0)) {
    throw Error(
        ErrorKind::environment, "the NVIDIA driver shows no GPU",
        "check nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, expose the GPU (docker run --gpus all)");
  }
  kernels::check(result, "cudaGetDeviceCount");
  return count;
}

int device_index(const std::string& selector, int count) {
  int index = -1;
  const char* end = selector.data() + selector.size();
  const auto [parsed, error] = std::from_chars(selector.data(), end, index);
  if (error == std::errc() && parsed == end && index >= 0 && index < count) return index;

  std::string known;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    kernels::check(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
    const std::string uuid = uuid_text(properties.uuid);
    if (selector == uuid || "GPU-" + selector == uuid) return i;
    known += fmt::format("\n  {}  {}  {}", i, uuid, properties.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no device '{}'", selector), "devices here:" + known);
}

/// FP32 additions, multiplications or multiply-adds that one SM completes per cycle.
std::optional<int> fp32_lanes_per_sm(int compute_capability) {
  switch (compute_capability) {
    case 75:
    case 80:
      return 64;
    case 86:
    case 87:
    case 89:
    case 90:
    case 100:
    case 103:
    case 110:
    case 120:
    case 121:
      return 128;
    default:
      return std::nullopt;
  }
}

DeviceInfo describe_device(int index) {
  cudaDeviceProp properties{};
  kernels::check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");

  constexpr double kHertzPerKilohertz = 1e3;
  DeviceInfo device;
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid);
  device.index = index;
  device.compute_capability = properties.major * 10 + properties.minor;
  device.sm_count = properties.multiProcessorCount;
  device.memory_bytes = properties.totalGlobalMem;
  device.l2_bytes = static_cast<std::uint64_t>(properties.l2CacheSize);
  device.memory_bus_bits = properties.memoryBusWidth;
  device.memory_clock_hz = attribute(cudaDevAttrMemoryClockRate, index) * kHertzPerKilohertz;
  device.sm_clock_hz = attribute(cudaDevAttrClockRate, index) * kHertzPerKilohertz;
  device.ecc_enabled = properties.ECCEnabled != 0;
  device.driver_version = driver_version();
  kernels::check(cudaDriverGetVersion(&device.cuda_driver_version), "cudaDriverGetVersion");
  kernels::check(cudaRuntimeGetVersion(&device.cuda_runtime_version), "cudaRuntimeGetVersion");
  return device;
}

}  // namespace

DeviceInfo select_device(const std::string& selector) {
  const int index = device_index(selector, device_count());
  kernels::check(cudaSetDevice(index), "cudaSetDevice");
  return describe_device(index);
}

std::vector<DeviceInfo> all_devices() {
  std::vector<DeviceInfo> devices(static_cast<std::size_t>(device_count()));
  for (std::size_t i = 0; i < devices.size(); ++i) devices[i] = describe_device(static_cast<int>(i));
  return devices;
}

std::vector<Ceiling> theoretical_ceilings(const DeviceInfo& device) {
  std::vector<Ceiling> ceilings;
  Ceiling dram;
  dram.id = "dram";
  dram.kind = CeilingKind::bandwidth;
  dram.source = CeilingSource::theoretical;
  dram.subject = "dram";
  dram.value = 2 * device.memory_clock_hz * device.memory_bus_bits / 8;
  dram.method = fmt::format("2 x {:.0f} MHz x {} bit", device.memory_clock_hz / 1e6, device.memory_bus_bits);
  ceilings.push_back(dram);

  const std::optional<int> lanes = fp32_lanes_per_sm(device.compute_capability);
  if (!lanes) return ceilings;
  for (const int flops_per_lane : {2, 1}) {
    Ceiling fp32;
    fp32.operation = flops_per_lane == 2 ? "fma" : "add";
    fp32.id = "f32_" + fp32.operation;
    fp32.kind = CeilingKind::compute;
    fp32.source = CeilingSource::theoretical;
    fp32.subject = "f32";
    fp32.value = flops_per_lane * *lanes * device.sm_count * device.sm_clock_hz;
    fp32.sm_clock_hz = device.sm_clock_hz;
    fp32.method = fmt::format("{} x {} lanes x {} SMs x {:.0f} MHz", flops_per_lane, *lanes, device.sm_count,
                              device.sm_clock_hz / 1e6);
    ceilings.push_back(fp32);
  }
  return ceilings;
}

}  // namespace rooflinectl
