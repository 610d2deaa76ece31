// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/json/rules.h"
#include "core/program/profile_settings.h"

namespace rooflinectl::serial {

template <>
inline constexpr auto kValues<Pass> = kPasses;
template <>
inline constexpr auto kValues<NvtxScope> = std::array{NvtxScope::process, NvtxScope::thread};
template <>
inline constexpr auto kValues<Capture> = std::array{Capture::all, Capture::cuda_profiler, Capture::nvtx};

void fields(auto& f, Is<ProfileSettings> auto& settings) {
  f("records", settings.records);
  f.optional("cupti", settings.cupti);
  f("samples", settings.samples, AtLeast{1});
  f.optional("kernel", settings.kernel);
  f.optional("nvtx", settings.nvtx);
  f("nvtx_scope", settings.nvtx_scope);
  f("capture", settings.capture);
  f.optional("capture_range", settings.capture_range);
  f.optional("skip", settings.skip);
  f.optional("limit", settings.limit);
  f.optional("whole_graphs", settings.whole_graphs);
  f("passes", settings.passes);
  f.optional("only", settings.only);
  f.optional("known_s", settings.known_s);
  f.optional("timeline_interval_ns", settings.timeline_interval_ns);
}

}  // namespace rooflinectl::serial
