// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "core/model/dtype.h"

/// What variants over several GPUs work with. `collector/points/several_gpus.h` owns the memory and the
/// streams.
namespace rooflinectl::kernels {

/// The most GPUs that work on one sum: those of the largest hosts.
inline constexpr int kMostGpus = 16;

/// One of the GPUs that share a sum.
struct Member {
  int device = 0;  ///< as cudaSetDevice() takes it
  cudaStream_t stream = nullptr;
  cudaEvent_t arrived = nullptr;  ///< an event of this device, without timing
  /// Where the sum of its share is, of type `accumulator(dtype)`: in its own memory or that of the first
  /// member, whichever the variant asks for.
  void* d_partial = nullptr;
};

/// A member's flag, in a cache line of its own, in the memory of the first member.
struct alignas(128) ArrivalFlag {
  unsigned arrived;
};

/// The GPUs that share a sum. The first one gets the result.
struct Team {
  std::span<const Member> members;  ///< at most `kMostGpus`
  void* d_output = nullptr;         ///< one value of type `accumulator(dtype)`, in the memory of the first
  void* d_slots = nullptr;          ///< `kMostGpus` such values, in the memory of the first
  void* h_slots = nullptr;          ///< as many in pinned host memory
  /// `kMostGpus` flags in the memory of the first member, zero before the first launch; each launch leaves
  /// zeros.
  ArrivalFlag* d_flags = nullptr;
  /// Enqueues, on every member, the NCCL all-reduce that makes its sum the sum of all. Empty where the
  /// variant does not ask for it.
  std::function<void()> all_reduce;
};

/// How the sums of the members become one.
struct Gathering {
  /// Whether members write their sums into the slots of the first one, and not into their own memory.
  bool into_slots = false;
  bool needs_peer_access = true;
  bool needs_nccl = false;
  /// Enqueues the addition of all members' sums, each once its stream has reached this point, into the
  /// output. The first member's device is the current one, before and after.
  void (*enqueue)(const Team&, Dtype) = nullptr;
  /// Bytes that the first of `gpus` GPUs receives from the others without a detour through the host.
  double (*link_bytes)(Dtype, int gpus) = nullptr;
};

/// Makes the stream of the first member wait for the others.
void wait_for_members(const Team& team);

/// Enqueues, on the first member, the addition of these values in its own memory or that of peers, in their
/// order.
void enqueue_addition(const Team& team, Dtype dtype, std::span<const void* const> d_values);

}  // namespace rooflinectl::kernels
