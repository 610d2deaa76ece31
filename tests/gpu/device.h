// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "collector/device/instruments.h"
#include "collector/points/verification.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

/// A test that is skipped, with the reason, where there is no GPU.
class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    if (devices == 0) GTEST_SKIP() << "no GPU";
  }
};

/// 90 for 9.0, of the current device.
inline int compute_capability() {
  cudaDeviceProp properties{};
  kernels::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  return properties.major * 10 + properties.minor;
}

/// All of a buffer but the first `skipped` bytes.
inline DeviceMemory memory_of(const DeviceBuffer& buffer, std::size_t skipped = 0) {
  return {.d_data = static_cast<std::byte*>(buffer.data()) + skipped, .bytes = buffer.bytes() - skipped};
}

/// The first `count` values of a buffer.
template <typename T>
std::vector<T> read(const void* d_values, std::size_t count) {
  std::vector<T> values(count);
  kernels::check(cudaMemcpy(values.data(), d_values, count * sizeof(T), cudaMemcpyDeviceToHost),
                 "cudaMemcpy");
  return values;
}

template <typename T>
std::vector<T> read(const DeviceBuffer& buffer, std::size_t count) {
  return read<T>(static_cast<const void*>(buffer.data()), count);
}

inline bool fits_in_device_memory(std::size_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  kernels::check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return bytes <= free_bytes;
}

/// Shared by all tests of a program, so that each data set is added up once.
inline kernels::ReferenceSums& references() {
  static kernels::ReferenceSums sums;
  return sums;
}

}  // namespace rooflinectl
