// SPDX-License-Identifier: Apache-2.0
#include "collector/file_kernels/loaded_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/points/prepared_point.h"
#include "core/error.h"
#include "core/files/files.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

dim3 dim3_of(const Dimensions& size) {
  return {size[0], size[1], size[2]};
}

std::uint64_t volume_of(const Dimensions& size) {
  return std::uint64_t{size[0]} * size[1] * size[2];
}

}  // namespace

LoadedKernel::LoadedKernel(const CompiledKernel& compiled) : name_(compiled.function) {
  const std::string code = read_file(compiled.file);
  cudaLibrary_t library = nullptr;
  kernels::check(cudaLibraryLoadData(&library, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                 fmt::format("loading {}", name_));
  library_.reset(library);
  kernels::check(cudaLibraryGetKernel(&kernel_, library, compiled.symbol.c_str()),
                 fmt::format("looking for {} in {}", compiled.symbol, compiled.file));
}

void LoadedKernel::allow(const KernelCall& call) {
  cudaFuncAttributes attributes{};
  kernels::check(cudaFuncGetAttributes(&attributes, function()), fmt::format("loading {}", name_));
  const std::uint64_t threads = volume_of(call.block);
  if (threads > static_cast<std::uint64_t>(attributes.maxThreadsPerBlock)) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot have blocks of {} threads: with its {} registers per thread, at most {}",
                    name_, threads, attributes.numRegs, attributes.maxThreadsPerBlock));
  }
  int device = 0;
  int most_shared_bytes = 0;
  kernels::check(cudaGetDevice(&device), "cudaGetDevice");
  kernels::check(cudaDeviceGetAttribute(&most_shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                 "cudaDeviceGetAttribute");
  const std::size_t shared_bytes = attributes.sharedSizeBytes + call.shared_bytes;
  if (shared_bytes > static_cast<std::size_t>(most_shared_bytes)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} needs {} bytes of shared memory per block; this device has {}", name_,
                            shared_bytes, most_shared_bytes));
  }
  // Calls that were allowed before stay so: points with different ones take turns.
  shared_bytes_ = std::max(shared_bytes_, call.shared_bytes);
  kernels::check(cudaKernelSetAttributeForDevice(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(shared_bytes_), device),
                 "cudaKernelSetAttributeForDevice");
  constexpr std::uint64_t kPortableCluster = 8;
  if (volume_of(call.cluster) > kPortableCluster) {
    kernels::check(
        cudaKernelSetAttributeForDevice(kernel_, cudaFuncAttributeNonPortableClusterSizeAllowed, 1, device),
        "cudaKernelSetAttributeForDevice");
  }
}

void LoadedKernel::launch(const KernelCall& call, std::span<void*> parameters, cudaStream_t stream) const {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {call.cluster[0], call.cluster[1], call.cluster[2]};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3_of(call.grid);
  config.blockDim = dim3_of(call.block);
  config.dynamicSmemBytes = call.shared_bytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = volume_of(call.cluster) > 1 ? 1 : 0;
  kernels::check(cudaLaunchKernelExC(&config, function(), parameters.data()),
                 fmt::format("launch of {}", name_));
}

std::optional<KernelResources> LoadedKernel::resources(const KernelCall& call) const {
  const auto resources =
      resources_of_kernel(function(), static_cast<int>(volume_of(call.block)), call.shared_bytes);
  cudaGetLastError();
  return resources;
}

}  // namespace rooflinectl
