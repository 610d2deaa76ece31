// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace rooflinectl::injection {

/// How CUPTI 13.3 declares the parameters of `cuptiSubscribe_v2`; headers of 13.0 lack the last one.
struct SharedSubscriberParams {
  std::size_t struct_bytes = sizeof(SharedSubscriberParams);
  const char* name = nullptr;
  char* other_name = nullptr;
  std::size_t other_name_bytes = 0;
  std::uint8_t allows_others = 0;
  std::uint8_t padding[7] = {};
};

/// The functions of CUPTI for one of several tools in a process that trace, each with buffers of its own.
/// CUPTI 13.3 has all of them, and serves several with driver r610 and later. Records have the same layout as
/// for a tool that is alone.
struct SharedFunctions {
  using GiveBuffer = void(CUPTIAPI*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records,
                                     void* information);
  using TakeBuffer = void(CUPTIAPI*)(std::uint8_t* buffer, std::size_t size, std::size_t used,
                                     void* information);

  CUptiResult(CUPTIAPI* subscribe)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void* user,
                                   SharedSubscriberParams*) = nullptr;
  CUptiResult(CUPTIAPI* timestamp)(CUpti_SubscriberHandle, std::uint64_t* ns) = nullptr;
  CUptiResult(CUPTIAPI* register_callbacks)(CUpti_SubscriberHandle, GiveBuffer, TakeBuffer) = nullptr;
  CUptiResult(CUPTIAPI* enable)(CUpti_SubscriberHandle, CUpti_ActivityKind, void* configuration) = nullptr;
  CUptiResult(CUPTIAPI* disable)(CUpti_SubscriberHandle, CUpti_ActivityKind, void* configuration) = nullptr;
  CUptiResult(CUPTIAPI* next_record)(CUpti_SubscriberHandle, std::uint8_t* buffer, std::size_t used,
                                     CUpti_Activity** record) = nullptr;
  CUptiResult(CUPTIAPI* dropped_records)(CUpti_SubscriberHandle, CUcontext, std::uint32_t stream,
                                         std::size_t* dropped) = nullptr;
};

/// By which a shared trace is delivered.
struct SharedBuffers {
  SharedFunctions::GiveBuffer give = nullptr;
  SharedFunctions::TakeBuffer take = nullptr;
};

/// Those of the CUPTI that the process has loaded; nothing if it lacks one.
std::optional<SharedFunctions> shared_functions();

struct Subscription {
  CUpti_SubscriberHandle handle = nullptr;
  std::optional<SharedFunctions> shared;  ///< nothing if it is the only one that CUPTI allows
  /// Our clock ahead of that of a shared trace, when it began: if the system's clock is set meanwhile, later
  /// times are off by as much.
  std::int64_t clock_ahead_ns = 0;
};

/// Shares CUPTI with the program's own tools if `shared` has what that needs and the driver allows it; else,
/// other tools of the process are refused from then on. Throws Error(environment) if another tool came first.
Subscription subscribe(CUpti_CallbackFunc callback, const std::optional<SharedFunctions>& shared,
                       const SharedBuffers& buffers);

}  // namespace rooflinectl::injection
