// SPDX-License-Identifier: Apache-2.0
#include "core/program/profile_settings.h"

namespace rooflinectl {

std::string_view to_string(Pass pass) {
  switch (pass) {
    case Pass::memory:
      return "memory";
    case Pass::operations:
      return "operations";
    case Pass::tensor:
      return "tensor";
    case Pass::pipes:
      return "pipes";
    case Pass::tensor_bf16:
      return "tensor_bf16";
    case Pass::tensor_f16:
      return "tensor_f16";
    case Pass::tensor_tf32:
      return "tensor_tf32";
    case Pass::tensor_i8:
      return "tensor_i8";
    case Pass::tensor_f64:
      return "tensor_f64";
    case Pass::stalls:
      return "stalls";
  }
  return "?";
}

std::string_view to_string(NvtxScope scope) {
  switch (scope) {
    case NvtxScope::process:
      return "process";
    case NvtxScope::thread:
      return "thread";
  }
  return "?";
}

std::optional<CaptureChoice> capture_from(std::string_view text) {
  constexpr std::string_view kRange = "nvtx:";
  if (text == to_string(Capture::all)) return CaptureChoice{};
  if (text == to_string(Capture::cuda_profiler)) return CaptureChoice{.capture = Capture::cuda_profiler};
  if (!text.starts_with(kRange) || text.size() == kRange.size()) return std::nullopt;
  return CaptureChoice{.capture = Capture::nvtx, .range = std::string(text.substr(kRange.size()))};
}

std::string_view to_string(Capture capture) {
  switch (capture) {
    case Capture::all:
      return "all";
    case Capture::cuda_profiler:
      return "cuda-profiler";
    case Capture::nvtx:
      return "nvtx";
  }
  return "?";
}

}  // namespace rooflinectl
