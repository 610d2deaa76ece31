// SPDX-License-Identifier: Apache-2.0
#include "collector/device/device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>

#include "collector/device/nvml.h"
#include "core/error.h"
#include "core/machine/environment.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

int attribute(cudaDeviceAttr name, int device) {
  int value = 0;
  kernels::check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
  return value;
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

/// CUDA's own library may be installed where there is no GPU; it then reports that the driver is too old.
bool has_kernel_driver() {
  return !driver_version().empty() || std::filesystem::exists("/dev/dxg");  // the latter on Windows
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
  if (result == cudaErrorInsufficientDriver && !has_kernel_driver()) {
    throw Error(ErrorKind::environment, "no NVIDIA kernel driver is loaded",
                "if the machine has an NVIDIA GPU, install its driver; in a container, expose the GPU "
                "(docker run --gpus all)");
  }
  if (result == cudaErrorInsufficientDriver) {
    int runtime = 0;
    cudaRuntimeGetVersion(&runtime);
    throw Error(ErrorKind::environment,
                fmt::format("the NVIDIA driver supports CUDA {}.{}, but this program needs CUDA {}.{}",
                            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10),
                "update the driver");
  }
  if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0)) {
    throw Error(
        ErrorKind::environment, "the NVIDIA driver finds no GPU",
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
    const std::string uuid = uuid_text(properties.uuid.bytes);
    if (selector == uuid || "GPU-" + selector == uuid) return i;
    known += fmt::format("\n  {}  {}  {}", i, uuid, properties.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no device '{}'", selector), "devices here:" + known);
}

DeviceInfo describe_device(int index) {
  cudaDeviceProp properties{};
  kernels::check(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");

  constexpr double kHertzPerKilohertz = 1e3;
  DeviceInfo device;
  device.name = properties.name;
  device.uuid = uuid_text(properties.uuid.bytes);
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

std::vector<DeviceInfo> devices_of(const std::vector<std::string>& uuids) {
  const int count = device_count();
  std::vector<DeviceInfo> devices;
  for (const std::string& uuid : uuids) devices.push_back(describe_device(device_index(uuid, count)));
  return devices;
}

double dram_bytes_per_second(const DeviceInfo& device) {
  return 2 * device.memory_clock_hz * device.memory_bus_bits / 8;
}

using kernels::check;

bool reach(int device, int other) {
  check(cudaSetDevice(device), "cudaSetDevice");
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, device, other), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  const cudaError_t enabled = cudaDeviceEnablePeerAccess(other, 0);
  if (enabled == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();
    return true;
  }
  check(enabled, "cudaDeviceEnablePeerAccess");
  return true;
}

std::optional<DeviceInfo> nvlink_peer(const DeviceInfo& device) {
  for (const DeviceInfo& other : all_devices()) {
    if (other.uuid == device.uuid || other.name != device.name) continue;
    if (are_on_nvlink(device.uuid, other.uuid) && reach(device.index, other.index)) return other;
  }
  check(cudaSetDevice(device.index), "cudaSetDevice");
  return std::nullopt;
}

}  // namespace rooflinectl
