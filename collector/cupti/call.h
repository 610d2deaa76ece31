// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti_result.h>

#include "collector/cupti/profiler.h"
#include "core/error.h"

namespace rooflinectl::cupti {

/// What a failed CUPTI call means to the user: the call, the result, its cause, and a hint.
Error error_of(CUptiResult result, const char* call);

/// Throws `error_of` unless the call succeeded, as CountersInUse where that is what it means.
inline void check(CUptiResult result, const char* call) {
  if (result == CUPTI_ERROR_HARDWARE_BUSY) throw CountersInUse(error_of(result, call));
  if (result != CUPTI_SUCCESS) throw error_of(result, call);
}

}  // namespace rooflinectl::cupti

/// Calls a CUPTI function and checks its result.
#define ROOFLINECTL_CUPTI(function, ...) ::rooflinectl::cupti::check(function(__VA_ARGS__), #function)

/// Declares a zeroed parameter structure of CUPTI and states its size, as every call wants it.
#define ROOFLINECTL_CUPTI_PARAMS(type, name) \
  type name{};                               \
  name.structSize = type##_STRUCT_SIZE
