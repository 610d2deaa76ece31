// SPDX-License-Identifier: Apache-2.0
// Kernels that wait for kernels of other devices, by the names in the public sources of their libraries.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/program/application.h"

namespace rooflinectl {

namespace {

/// A kernel by its own name, without those of the types it is instantiated with.
struct KnownKernel {
  std::string_view name_space;  ///< one of those that it is in; empty for names that say enough
  std::string_view name;        ///< whole, or how it begins if it ends with `*`
  std::string_view ending = {};
};

constexpr std::array kOfNccl = {
    KnownKernel{"", "ncclDevKernel*"},      // from 2.19 on
    KnownKernel{"", "ncclSymDevKernel_*"},  // on symmetric memory, in 2.27
    KnownKernel{"", "ncclSymkDevKernel_*"},
    KnownKernel{"", "ncclKernel_*"},
};

constexpr std::array kOfOthers = {
    // vLLM, SGLang, FlashInfer: custom_all_reduce.cuh
    KnownKernel{"", "cross_device_reduce_*"},
    KnownKernel{"", "cross_device_all_gather*"},
    KnownKernel{"", "mnnvl_lamport_all_gather"},
    KnownKernel{"", "mnnvl_lamport_reduce_scatter"},

    // TensorRT-LLM, and copies of its kernels in FlashInfer and SGLang: customAllReduceKernels.cu,
    // communicationKernels/. PyTorch's intra_node_comm.cu has kernels of the same names.
    KnownKernel{"", "oneShotAllReduceKernel"},
    KnownKernel{"", "twoShotAllReduceKernel"},
    KnownKernel{"", "hybridCubeMeshAllReduceKernel"},
    KnownKernel{"", "lowPrecisionTwoShotAllReduceKernel"},
    KnownKernel{"", "one_shot_all_reduce_norm_kernel"},
    KnownKernel{"", "one_shot_prenorm_all_reduce_norm_kernel"},
    KnownKernel{"", "lamport_style_one_shot_all_reduce_norm_kernel"},
    KnownKernel{"", "allreduce_fusion_kernel_*"},
    KnownKernel{"", "moereduce_allreduce_fusion_kernel_*"},
    KnownKernel{"", "moefinalize_allreduce_fusion_kernel_*"},
    KnownKernel{"", "oneshotAllreduceFusionKernel"},
    KnownKernel{"", "twoshotAllreduceKernel"},
    KnownKernel{"", "rmsNormLamport"},
    KnownKernel{"", "moeAllToAllKernel"},
    KnownKernel{"", "moeA2ADispatchKernel"},
    KnownKernel{"", "moeA2ACombineKernel"},
    KnownKernel{"", "helixAllToAllKernel"},

    // PyTorch's symmetric memory: CUDASymmetricMemoryOps.cu, CUDASymmetricMemory.cu; in Triton, Megatron-LM's
    // and others
    KnownKernel{"", "one_shot_all_reduce_kernel"},
    KnownKernel{"", "two_shot_all_reduce_kernel"},
    KnownKernel{"", "two_shot_all_reduce_kernel_inplace"},
    KnownKernel{"", "multimem_all_reduce_kernel"},
    KnownKernel{"", "multimem_one_shot_all_reduce_kernel"},
    KnownKernel{"", "multimem_one_shot_reduce_kernel"},
    KnownKernel{"", "multimem_all_gather_kernel"},
    KnownKernel{"", "multimem_reduce_scatter_kernel"},
    KnownKernel{"symmetric_memory", "barrier_kernel"},
    KnownKernel{"symmetric_memory", "multimem_barrier_kernel"},
    KnownKernel{"symmetric_memory", "put_signal_kernel"},
    KnownKernel{"symmetric_memory", "wait_signal_kernel"},

    // NVSHMEM: src/host/stream
    KnownKernel{"", "barrier_on_stream_kernel*"},
    KnownKernel{"", "sync_on_stream_kernel*"},
    KnownKernel{"", "alltoall_on_stream_kernel"},
    KnownKernel{"", "broadcast_on_stream_kernel"},
    KnownKernel{"", "fcollect_on_stream_kernel"},
    KnownKernel{"", "rdxn_on_stream_kernel"},
    KnownKernel{"", "reducescatter_on_stream_kernel"},
    KnownKernel{"", "nvshmemi_*", "_on_stream_kernel"},

    // DeepEP: csrc/kernels, deep_ep/include/deep_ep/impls
    KnownKernel{"deep_ep", "dispatch"},
    KnownKernel{"deep_ep", "combine"},
    KnownKernel{"deep_ep", "barrier"},
    KnownKernel{"deep_ep", "notify_dispatch"},
    KnownKernel{"deep_ep", "cached_notify*"},
    KnownKernel{"deep_ep", "clean_low_latency_buffer"},
    KnownKernel{"deep_ep", "dispatch_impl"},
    KnownKernel{"deep_ep", "combine_impl"},
    KnownKernel{"deep_ep", "barrier_impl"},
    KnownKernel{"deep_ep", "hybrid_dispatch_impl"},
    KnownKernel{"deep_ep", "hybrid_combine_impl"},
    KnownKernel{"deep_ep", "pp_send_impl"},
    KnownKernel{"deep_ep", "pp_recv_impl"},
};

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_mangled_name(char c) {
  return is_decimal(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

/// Takes `beginning` from `text` if it begins with it.
bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

/// `4vllm26cross_device_reduce_1stageI…` as `vllm`, `cross_device_reduce_1stage`; where it `is_nested` in no
/// namespace, only the first: its parameters follow.
std::vector<std::string_view> mangled_names(std::string_view text, bool is_nested) {
  std::vector<std::string_view> names;
  do {
    take(text, "L");  // of a static function
    std::size_t size = 0;
    std::size_t digits = 0;
    while (digits < text.size() && is_decimal(text[digits]) && size < text.size())
      size = 10 * size + static_cast<std::size_t>(text[digits++] - '0');
    text.remove_prefix(digits);
    if (size == 0 || size > text.size()) break;
    names.push_back(text.substr(0, size));
    text.remove_prefix(size);
  } while (is_nested);
  return names;
}

/// `void vllm::cross_device_reduce_1stage<…` as `vllm`, `cross_device_reduce_1stage`.
std::vector<std::string_view> demangled_names(std::string_view text) {
  std::vector<std::string_view> names;
  take(text, "void ");
  do {
    if (take(text, "(anonymous namespace)") || take(text, "<unnamed>")) continue;
    const auto end = std::ranges::find_if_not(text, is_of_mangled_name);
    const auto size = static_cast<std::size_t>(end - text.begin());
    if (size == 0) break;
    names.push_back(text.substr(0, size));
    text.remove_prefix(size);
  } while (take(text, "::"));
  return names;
}

/// The namespaces of a kernel, and its name.
std::vector<std::string_view> names_of(std::string_view symbol) {
  if (!take(symbol, "_Z")) return demangled_names(symbol);
  const bool is_nested = take(symbol, "N");
  return mangled_names(symbol, is_nested);
}

bool is_one_of(std::string_view symbol, const auto& known) {
  const std::vector<std::string_view> names = names_of(symbol);
  if (names.empty()) return false;
  std::string_view name = names.back();
  // As Python marks what is private.
  while (take(name, "_")) {
  }
  return std::ranges::any_of(known, [&](const KnownKernel& kernel) {
    const bool is_beginning = kernel.name.ends_with('*');
    const std::string_view wanted = kernel.name.substr(0, kernel.name.size() - (is_beginning ? 1 : 0));
    if (is_beginning ? !name.starts_with(wanted) : name != wanted) return false;
    if (!name.ends_with(kernel.ending)) return false;
    return kernel.name_space.empty() || std::ranges::find(names, kernel.name_space) != names.end();
  });
}

}  // namespace

bool is_of_nccl(std::string_view symbol) {
  return is_one_of(symbol, kOfNccl);
}

bool is_collective(std::string_view symbol) {
  return is_of_nccl(symbol) || is_one_of(symbol, kOfOthers);
}

}  // namespace rooflinectl
