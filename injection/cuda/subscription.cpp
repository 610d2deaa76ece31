// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/subscription.h"

#include <dlfcn.h>

#include "collector/cupti/call.h"
#include "core/machine/loaded_library.h"
#include "injection/this_process.h"

namespace rooflinectl::injection {

namespace {

/// Our clock minus CUPTI's: of several readings, the one between which the least time passed.
std::optional<std::int64_t> clock_ahead_ns(const SharedFunctions& shared, CUpti_SubscriberHandle handle) {
  constexpr int kReadings = 5;
  std::optional<std::int64_t> ahead_ns;
  std::uint64_t least_ns = 0;
  for (int reading = 0; reading < kReadings; ++reading) {
    std::uint64_t cupti_ns = 0;
    const std::uint64_t before_ns = now_ns();
    if (shared.timestamp(handle, &cupti_ns) != CUPTI_SUCCESS) return std::nullopt;
    const std::uint64_t took_ns = now_ns() - before_ns;
    if (ahead_ns && took_ns >= least_ns) continue;
    least_ns = took_ns;
    ahead_ns = static_cast<std::int64_t>(before_ns + took_ns / 2 - cupti_ns);
  }
  return ahead_ns;
}

/// Nothing if a step is refused: a driver before r610 has none of this.
std::optional<Subscription> subscribe_beside_others(CUpti_CallbackFunc callback,
                                                    const SharedFunctions& shared,
                                                    const SharedBuffers& buffers) {
  SharedSubscriberParams params;
  params.name = "rooflinectl";
  params.allows_others = 1;
  Subscription subscription;
  if (shared.subscribe(&subscription.handle, callback, nullptr, &params) != CUPTI_SUCCESS)
    return std::nullopt;
  const auto ahead_ns = clock_ahead_ns(shared, subscription.handle);
  constexpr CUpti_ActivityKind kTried = CUPTI_ACTIVITY_KIND_MEMSET;
  const bool can_trace =
      ahead_ns &&
      shared.register_callbacks(subscription.handle, buffers.give, buffers.take) == CUPTI_SUCCESS &&
      shared.enable(subscription.handle, kTried, nullptr) == CUPTI_SUCCESS &&
      shared.disable(subscription.handle, kTried, nullptr) == CUPTI_SUCCESS;
  if (!can_trace) {
    cuptiUnsubscribe(subscription.handle);
    return std::nullopt;
  }
  subscription.shared = shared;
  subscription.clock_ahead_ns = *ahead_ns;
  return subscription;
}

}  // namespace

std::optional<SharedFunctions> shared_functions() {
  void* const library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  SharedFunctions found;
  const bool has_all =
      find_function(library, "cuptiSubscribe_v2", found.subscribe) &&
      find_function(library, "cuptiGetTimestamp_v2", found.timestamp) &&
      find_function(library, "cuptiActivityRegisterCallbacks_v2", found.register_callbacks) &&
      find_function(library, "cuptiActivityEnable_v2", found.enable) &&
      find_function(library, "cuptiActivityDisable_v2", found.disable) &&
      find_function(library, "cuptiActivityGetNextRecord_v2", found.next_record) &&
      find_function(library, "cuptiActivityGetNumDroppedRecords_v2", found.dropped_records);
  return has_all ? std::optional(found) : std::nullopt;
}

Subscription subscribe(CUpti_CallbackFunc callback, const std::optional<SharedFunctions>& shared,
                       const SharedBuffers& buffers) {
  if (shared) {
    if (const auto subscription = subscribe_beside_others(callback, *shared, buffers)) return *subscription;
  }
  Subscription subscription;
  ROOFLINECTL_CUPTI(cuptiSubscribe, &subscription.handle, callback, nullptr);
  return subscription;
}

}  // namespace rooflinectl::injection
