// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/machine/catalogue.h"
#include "core/program/launch.h"
#include "kernels/data.h"

/// How a kernel file describes its variant to the rest of the project, and the registry that the variant
/// enters.
namespace rooflinectl::kernels {

/// One reduction to be done.
struct Problem {
  Dtype dtype = Dtype::f32;
  std::uint64_t n = 0;          ///< elements; may be 0
  int block_size = 0;           ///< one of the variant's block sizes
  int elements_per_thread = 0;  ///< at least 1 where the variant lets the caller choose, else 0
  int gpus = 1;                 ///< that share the elements; 1 except for variants of several
};

/// A run of elements.
struct Share {
  std::uint64_t begin = 0;
  std::uint64_t n = 0;
};

/// What GPU number `gpu` of those that share the elements has to do: equal parts, or the first ones one
/// element larger where that is impossible.
Share share_of(const Problem& problem, int gpu);

/// Loads of input that a thread has issued by the time it waits for the first of them.
struct IndependentLoads {
  int count = 0;
  std::size_t bytes = 0;  ///< of each
};

/// Device memory of one launch.
struct Buffers {
  void* d_input = nullptr;   ///< `n` elements of `dtype`; aligned to the element size only
  void* d_output = nullptr;  ///< one value (scalar) or one per block (partials), of type `accumulator(dtype)`
  /// `workspace_bytes` bytes, aligned to 256. They are zeroed once, before the first of a series of launches
  /// for one problem; each launch finds what the one before it left.
  void* d_workspace = nullptr;
};

// What variants over several GPUs work with. `collector/points/several_gpus.h` owns the memory and the
// streams.

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

/// A variant: its description and the functions that run it.
struct Variant {
  VariantInfo info;
  /// Grid and block of the main kernel; a grid of 0 where there is nothing to launch.
  LaunchShape (*shape)(const Problem&) = nullptr;
  /// What a thread asks for at once, as far as there is enough input. Nothing where the source is not ours.
  IndependentLoads (*loads)(const Problem&) = nullptr;
  /// The work that the algorithm cannot avoid.
  Work (*work)(const Problem&) = nullptr;
  /// Input elements that each partial result covers, in order; unused for a scalar output.
  std::uint64_t (*elements_per_partial)(const Problem&) = nullptr;
  /// The longest chain of dependent additions between an input element and the result that is read back: the
  /// h of the error bound γ_h (see `kernels/reference.h`).
  std::uint64_t (*longest_chain)(const Problem&) = nullptr;
  /// Enqueues everything that one complete result needs on `stream`, the zeroing of its output included.
  std::function<void(const Problem&, const Buffers&, cudaStream_t)> launch;
  /// What the elements are combined with.
  Operation operation = Operation::sum;
  /// Device memory that a launch needs besides input and output; null where it needs none.
  std::size_t (*workspace_bytes)(const Problem&) = nullptr;
  /// `launch` waits for the device, or its gathering may, as NCCL does when it connects the GPUs: neither can
  /// be captured into a graph.
  bool waits_for_device = false;
  /// For a variant over several GPUs, each of which does `launch` on its share: how their results become one.
  std::optional<Gathering> gathering;
  const char* file = "";  ///< the source that registers it, which Registration fills in
};

/// Device memory that a launch needs besides input and output.
inline std::size_t workspace_bytes(const Variant& variant, const Problem& problem) {
  return variant.workspace_bytes == nullptr ? 0 : variant.workspace_bytes(problem);
}

/// `kCount` loads of one element each.
template <int kCount>
IndependentLoads element_loads(const Problem& problem) {
  return {.count = kCount, .bytes = size_bytes(problem.dtype)};
}

/// `kCount` loads of 16 bytes each, the most that one instruction of a thread brings.
template <int kCount>
IndependentLoads pack_loads(const Problem&) {
  return {.count = kCount, .bytes = 16};
}

/// The variant's shape with the bytes that a block has in flight: threads × loads × bytes of each, but no
/// more than the block's share of the input.
LaunchShape launch_shape(const Variant& variant, const Problem& problem);

/// Number of values that a launch writes to its output.
std::uint64_t output_count(const Variant& variant, const Problem& problem);

/// Every variant linked into the program, sorted by id, numbers by value.
const std::vector<Variant>& all_variants();

/// Nothing if there is no such variant.
const Variant* find_variant(std::string_view id);

/// A namespace-scope object of this type in a kernel's file is all it takes to register the kernel. Ends the
/// program if another file has registered the id.
struct Registration {
  explicit Registration(Variant variant, const char* file = __builtin_FILE());
};

/// The work of a sum that reads `n` elements and writes `outputs` results: n − outputs additions.
Work sum_work(const Problem& problem, std::uint64_t outputs);

}  // namespace rooflinectl::kernels
