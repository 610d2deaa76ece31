// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <optional>
#include <vector>

#include "core/model/profile_record.h"

namespace rooflinectl::injection {

/// A call of the driver that launches something.
struct LaunchCall {
  CUfunction function = nullptr;  ///< null where a graph is launched
  CUgraphExec graph = nullptr;
  CUstream stream = nullptr;  ///< the default streams by their own handles
  record::Extent grid{};
  record::Extent block{};
  std::optional<record::Extent> cluster;
  std::uint64_t dynamic_shared_bytes = 0;
};

/// The driver's functions that launch.
const std::vector<CUpti_CallbackId>& launching_functions();

/// What such a function was called with. Nothing for those that launch on several devices at once.
std::optional<LaunchCall> launch_call(CUpti_CallbackId function, const void* parameters);

}  // namespace rooflinectl::injection
