// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "injection/cuda/graph_copies.h"
#include "injection/cuda/streams.h"
#include "injection/driver.h"
#include "injection/launches/loaded_code.h"
#include "injection/lock_order.h"

namespace rooflinectl::injection {

/// CUDA's driver and CUPTI.
class CudaDriver : public Driver {
 public:
  /// `finish_at_exit` sees to it that at exit all use of CUPTI ends before anything that CUPTI has made until
  /// it was called is destroyed.
  explicit CudaDriver(std::function<void()> finish_at_exit) : finish_at_exit_(std::move(finish_at_exit)) {}

  Streams& streams() { return streams_; }
  GraphCopies& graphs() { return graphs_; }

  /// Prepares for source lines to be sampled. To be called before modules are loaded. Throws.
  void sample_lines();

  /// A module or library was loaded from an image.
  void loaded(Handle module, const void* image);
  /// Machine code was loaded, which is there during this call. May be called within a call of ours.
  void loaded(std::string_view cubin);

  record::Device device_of(Handle context) override;
  record::Kernel kernel(const Launch& launch) override;
  std::optional<int> blocks_per_sm(const Launch& launch) override;
  void has_stream(Handle context, int device, Handle stream) override;
  std::unique_ptr<Gpu> gpu(Handle context, int device, ProcessCalls calls) override;
  std::unique_ptr<Sampler> sampler(int device, std::uint64_t interval_ns) override;
  void trace(bool on) override;
  void flush(bool is_all) override;
  std::string other_cupti() override;

 private:
  std::optional<std::uint64_t> code_of(CUfunction given, CUfunction loaded);

  const std::function<void()> finish_at_exit_;
  Streams streams_;
  GraphCopies graphs_;
  OrderedMutex<LockOrder::kernels> mutex_;
  std::unordered_map<Handle, std::uint64_t> digests_;  // of modules and libraries
  LoadedCode code_;
};

}  // namespace rooflinectl::injection
