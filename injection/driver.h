// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "collector/sampling/sampling_thread.h"
#include "core/program/profile_record.h"
#include "injection/launch.h"
#include "injection/launches/counting_session.h"

namespace rooflinectl::injection {

/// What a context's `Gpu` asks of the process.
struct ProcessCalls {
  std::function<void(bool on)> trace;
  std::function<void()> deliver_trace;
  std::function<void()> begin_timeline;
  std::function<bool()> is_sampled;
};

/// What `Process` asks of CUDA's driver and of CUPTI. None of it is called under a lock that launching
/// threads take. Throws Error(environment) where a comment says so.
class Driver {
 public:
  virtual ~Driver() = default;

  virtual record::Device device_of(Handle context) = 0;
  /// What is known about the function of a launch, whose code is loaded now rather than in the launch.
  virtual record::Kernel kernel(const Launch& launch) = 0;
  /// Blocks of the launch that fit on an SM at once.
  virtual std::optional<int> blocks_per_sm(const Launch& launch) = 0;
  /// The context has this stream.
  virtual void has_stream(Handle context, int device, Handle stream) = 0;

  virtual std::unique_ptr<Gpu> gpu(Handle context, int device, ProcessCalls calls) = 0;
  /// Throws. Runs on a thread of its own.
  virtual std::unique_ptr<Sampler> sampler(int device, std::uint64_t interval_ns) = 0;

  /// Switches the trace. Throws.
  virtual void trace(bool on) = 0;
  /// Delivers what was traced: buffers that are complete, or everything.
  virtual void flush(bool is_all) = 0;
  /// The file of a CUPTI that the program uses beside ours; empty if there is none.
  virtual std::string other_cupti() = 0;
};

}  // namespace rooflinectl::injection
