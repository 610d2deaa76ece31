// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/cuda_driver.h"

#include <cupti_version.h>
#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "collector/cupti/range_calls.h"
#include "collector/sampling/device_sampler.h"
#include "core/machine/environment.h"
#include "injection/cuda/activities.h"
#include "injection/cuda/cupti_gpu.h"
#include "injection/launches/loaded_code.h"

namespace rooflinectl::injection {

namespace {

template <typename Object>
Object* as(Handle handle) {
  return static_cast<Object*>(const_cast<void*>(handle));
}

std::string uuid_of(CUdevice device) {
  CUuuid id{};
  if (cuDeviceGetUuid_v2(&id, device) != CUDA_SUCCESS) return "";
  return uuid_text(id.bytes);
}

int attribute(CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  return cuFuncGetAttribute(&value, attribute, function) == CUDA_SUCCESS ? value : 0;
}

/// The function behind a handle that a launch was given, which may also be that of a context-independent
/// kernel.
CUfunction loaded_function(CUfunction function) {
  CUfunction of_kernel = nullptr;
  const bool is_kernel =
      cuKernelGetFunction(&of_kernel, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS &&
      of_kernel != nullptr;
  return is_kernel ? of_kernel : function;
}

}  // namespace

void CudaDriver::sample_lines() {
  use_own_digests();
  activities::enable_for_kernels();
  code_.keep_lines();
}

void CudaDriver::loaded(Handle module, const void* image) {
  const auto digest = image_digest(image);
  const std::lock_guard lock(mutex_);
  if (digest) {
    digests_[module] = *digest;
  } else {
    digests_.erase(module);  // an earlier one had this handle
  }
}

void CudaDriver::loaded(std::string_view cubin) {
  code_.add(cubin);
}

record::Device CudaDriver::device_of(Handle /*context*/) {
  CUdevice device = 0;
  cuCtxGetDevice(&device);
  return {.device = device, .uuid = uuid_of(device), .chip = "", .cupti_version = cupti::cupti_version()};
}

record::Kernel CudaDriver::kernel(const Launch& launch) {
  require_no_lock_of_launches();
  const RelaxedCapture relaxed;
  auto* const given = as<CUfunc_st>(launch.function);
  const CUfunction loaded = loaded_function(given);
  cuFuncLoad(loaded);
  const auto bytes = [&](CUfunction_attribute which) {
    return static_cast<std::uint64_t>(attribute(loaded, which));
  };
  const auto known = launch.symbol == nullptr ? std::nullopt : code_.of(launch.symbol);
  return {.symbol = launch.symbol == nullptr ? "?" : launch.symbol,
          .registers_per_thread = attribute(loaded, CU_FUNC_ATTRIBUTE_NUM_REGS),
          .static_shared_bytes = bytes(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          .local_bytes_per_thread = bytes(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
          .code = code_of(given, loaded),
          .tensor_instructions = known ? std::optional(known->tensor_instructions) : std::nullopt,
          .has_half_arithmetic = known ? std::optional(known->has_half_arithmetic) : std::nullopt};
}

/// By the library of a context-independent kernel, or else by the module.
std::optional<std::uint64_t> CudaDriver::code_of(CUfunction given, CUfunction loaded) {
  std::vector<Handle> holders;
  CUlibrary library = nullptr;
  if (given != loaded && cuKernelGetLibrary(&library, reinterpret_cast<CUkernel>(given)) == CUDA_SUCCESS)
    holders.push_back(library);
  CUmodule module = nullptr;
  if (cuFuncGetModule(&module, loaded) == CUDA_SUCCESS) holders.push_back(module);
  const std::lock_guard lock(mutex_);
  for (const Handle holder : holders) {
    const auto digest = digests_.find(holder);
    if (digest != digests_.end()) return digest->second;
  }
  return std::nullopt;
}

std::optional<int> CudaDriver::blocks_per_sm(const Launch& launch) {
  require_no_lock_of_launches();
  const RelaxedCapture relaxed;
  const auto threads = launch.block[0] * launch.block[1] * launch.block[2];
  int blocks = 0;
  const bool is_known = launch.function != nullptr && threads > 0 &&
                        cuOccupancyMaxActiveBlocksPerMultiprocessor(
                            &blocks, loaded_function(as<CUfunc_st>(launch.function)),
                            static_cast<int>(threads), launch.dynamic_shared_bytes) == CUDA_SUCCESS;
  return is_known ? std::optional(blocks) : std::nullopt;
}

void CudaDriver::has_stream(Handle context, int device, Handle stream) {
  streams_.add(as<CUctx_st>(context), device, as<CUstream_st>(stream));
}

std::unique_ptr<Gpu> CudaDriver::gpu(Handle context, int device, ProcessCalls calls) {
  streams_.add(as<CUctx_st>(context), device, CU_STREAM_LEGACY);
  return std::make_unique<CuptiGpu>(as<CUctx_st>(context), device, streams_, code_, std::move(calls),
                                    finish_at_exit_);
}

std::unique_ptr<Sampler> CudaDriver::sampler(int device, std::uint64_t interval_ns) {
  const FinishFirst finish_first(finish_at_exit_);
  return std::make_unique<DeviceSampler>(device, uuid_of(device), interval_ns);
}

void CudaDriver::trace(bool on) {
  activities::enable(on);
}

std::string CudaDriver::other_cupti() {
  struct Search {
    std::filesystem::path ours;
    std::string found;
  } search;
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&cuptiGetVersion), &info) != 0) search.ours = info.dli_fname;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t /*size*/, void* data) {
        auto& [ours, found] = *static_cast<Search*>(data);
        const std::filesystem::path file = library->dlpi_name;
        std::error_code error;
        const bool is_other = file.filename().string().starts_with("libcupti.so") &&
                              !std::filesystem::equivalent(file, ours, error);
        if (is_other) found = file.string();
        return is_other ? 1 : 0;
      },
      &search);
  return search.found;
}

void CudaDriver::flush(bool is_all) {
  require_no_lock_of_launches();
  activities::flush(is_all);
}

}  // namespace rooflinectl::injection
