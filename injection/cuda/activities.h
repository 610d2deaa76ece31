// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/program/profile_record.h"

namespace rooflinectl::injection {
struct SharedBuffers;
struct Subscription;
}  // namespace rooflinectl::injection

/// The trace of everything that runs on the devices of this process, for one subscription to CUPTI.
namespace rooflinectl::injection::activities {

/// CUPTI launches a kernel of its own, with this symbol, in a range around a graph.
inline constexpr std::string_view kKernelOfCupti = "WaitNs";

struct Kernel {
  std::uint32_t correlation = 0;  ///< of the call that launched it: the same for all kernels of a graph
  std::uint32_t stream = 0;
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::string_view symbol;
  record::Extent grid{};
  record::Extent block{};
  std::uint64_t dynamic_shared_bytes = 0;
  bool is_in_graph = false;
};

/// Is told what was traced, on a thread of CUPTI's or on one that calls `flush`.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void traced(const Kernel& kernel) = 0;
  virtual void traced(const record::Transfer& transfer) = 0;
  /// All records of a buffer have been delivered.
  virtual void delivered() = 0;
  virtual void lost(std::uint64_t count) = 0;
};

/// Of a trace that is shared with other tools.
SharedBuffers shared_buffers();

/// To be called before anything else here, but for `shared_buffers`. The listener must live until the process
/// ends. Throws Error(environment).
void set_listener(Listener& listener, const Subscription& subscription);

/// Begins to trace kernels before any is launched: PC sampling does not know those that were launched without
/// the trace. Throws Error(environment).
void enable_for_kernels();

/// Begins or ends the trace. Throws Error(environment).
void enable(bool on);

/// Delivers the buffers that are complete; with `is_all`, everything else too, as far as it is known.
void flush(bool is_all);

}  // namespace rooflinectl::injection::activities
