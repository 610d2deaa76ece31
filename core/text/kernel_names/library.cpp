// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/text/kernel_name.h"
#include "core/text/kernel_names/kernel_names.h"

namespace rooflinectl {
namespace {

using namespace kernel_names;

/// The first namespace of a kernel.
constexpr std::array<std::string_view, 15> kNamespaces = {
    "at",     "at_cuda_detail", "c10",      "cub",     "cublas", "cublasLt", "cudnn",        "cufft",
    "curand", "cusolver",       "cusparse", "cutlass", "flash",  "thrust",   "pytorch_flash"};

/// What the names of kernels without a namespace begin with.
constexpr std::array<std::string_view, 18> kBeginnings = {"nvjet_",
                                                          "cutlass_",
                                                          "cutlass3x_",
                                                          "volta_",
                                                          "turing_",
                                                          "ampere_",
                                                          "sm80_xmma_",
                                                          "sm86_xmma_",
                                                          "sm89_xmma_",
                                                          "sm90_xmma_",
                                                          "sm100_xmma_",
                                                          "cudnn_",
                                                          "splitKreduce_kernel",
                                                          "regular_fft",
                                                          "vector_fft",
                                                          "multi_bluestein_fft",
                                                          "nccl",
                                                          "cupy_"};

/// What stands among the template arguments of kernels without a namespace of their own.
constexpr std::array<std::string_view, 2> kArguments = {"at::native::", "cublas"};

}  // namespace

bool is_library_kernel(std::string_view demangled) {
  const CppName name = parse_cpp_name(demangled);
  const std::string_view first = name.parts.empty() ? demangled : name.parts.front().text;
  return std::find(kNamespaces.begin(), kNamespaces.end(), first) != kNamespaces.end() ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return first.starts_with(beginning); }) ||
         std::any_of(kArguments.begin(), kArguments.end(),
                     [&](std::string_view argument) { return contains(demangled, argument); });
}

bool is_generated_kernel(std::string_view demangled, std::string_view path) {
  constexpr std::array<std::string_view, 5> kOfInductor = {"triton_poi_", "triton_red_", "triton_per_",
                                                           "triton_tem_", "triton_for_"};
  if (is_library_kernel(demangled)) return false;
  return contains(path, "XlaModule:") ||
         std::any_of(kOfInductor.begin(), kOfInductor.end(),
                     [&](std::string_view beginning) { return demangled.starts_with(beginning); });
}

}  // namespace rooflinectl
