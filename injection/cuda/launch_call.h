// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti_callbacks.h>

#include <optional>
#include <vector>

#include "injection/launches/launch.h"

namespace rooflinectl::injection {

/// The driver's functions that launch.
const std::vector<CUpti_CallbackId>& launching_functions();

/// What such a function was called with, except context, symbol and correlation. Nothing for those that
/// launch on several devices at once.
std::optional<Launch> launch_call(CUpti_CallbackId function, const void* parameters);

}  // namespace rooflinectl::injection
