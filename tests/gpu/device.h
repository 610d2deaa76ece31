// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "collector/verification.h"
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

/// Device memory that frees itself.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
    kernels::check(cudaMalloc(&d_data_, bytes), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(d_data_); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  void* data() const { return d_data_; }
  /// All of it but the first `skipped` bytes.
  DeviceMemory memory(std::size_t skipped = 0) const {
    return {.d_data = static_cast<std::byte*>(d_data_) + skipped, .bytes = bytes_ - skipped};
  }

  /// The first `count` values.
  template <typename T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    kernels::check(cudaMemcpy(values.data(), d_data_, count * sizeof(T), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
    return values;
  }

 private:
  void* d_data_ = nullptr;
  std::size_t bytes_;
};

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
