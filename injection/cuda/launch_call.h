// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>
#include <cupti_callbacks.h>

#include <optional>
#include <span>
#include <vector>

#include "injection/launches/launch.h"

namespace rooflinectl::injection {

/// The driver's functions that launch.
const std::vector<CUpti_CallbackId>& launching_functions();

/// What such a function was called with, except context, symbol and correlation. Nothing for those that
/// launch on several devices at once.
std::optional<Launch> launch_call(CUpti_CallbackId function, const void* parameters);

/// That of a launch with these attributes, if it has one.
std::optional<record::Extent> cluster_of(std::span<const CUlaunchAttribute> attributes);

/// Lets the call that is being made launch another graph. Returns whether it launches one.
bool launch_instead(CUpti_CallbackId function, const void* parameters, CUgraphExec executable);

}  // namespace rooflinectl::injection
