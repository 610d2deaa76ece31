// SPDX-License-Identifier: Apache-2.0
#include "core/program/profile_settings.h"

#include "core/enum_names.h"

namespace rooflinectl {

std::string_view to_string(Pass pass) {
  return enumerator_name(pass);
}

std::string_view to_string(NvtxScope scope) {
  return enumerator_name(scope);
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
