// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "core/model/file_kernel.h"
#include "core/model/run.h"
#include "core/plan/kernel_call.h"

namespace rooflinectl {

/// A compiled kernel in the current device's memory, ready to be launched.
class LoadedKernel {
 public:
  /// Throws Error if the code cannot be read or loaded, or is not for this device.
  explicit LoadedKernel(const CompiledKernel& compiled);
  LoadedKernel(LoadedKernel&&) = default;
  LoadedKernel& operator=(LoadedKernel&&) = delete;

  /// Allows the launches that `call` asks for. Throws Error(usage) if the code, or the device, does not.
  void allow(const KernelCall& call);
  /// Enqueues a launch. `parameters`: where the value of each argument is.
  void launch(const KernelCall& call, std::span<void*> parameters, cudaStream_t stream) const;
  /// What it takes up on an SM, launched like that.
  std::optional<KernelResources> resources(const KernelCall& call) const;

 private:
  struct Unload {
    void operator()(cudaLibrary_t library) const { cudaLibraryUnload(library); }
  };

  const void* function() const { return kernel_; }

  std::unique_ptr<std::remove_pointer_t<cudaLibrary_t>, Unload> library_;
  cudaKernel_t kernel_ = nullptr;
  std::uint32_t shared_bytes_ = 0;  // the most dynamic ones that were allowed
  std::string name_;
};

}  // namespace rooflinectl
