// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/subscription.h"

#include <dlfcn.h>

#include "collector/cupti/call.h"
#include "injection/this_process.h"

namespace rooflinectl::injection {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Subscription> subscribe_beside_others(CUpti_CallbackFunc callback,
                                                    const SharedFunctions& shared) {
  SharedSubscriberParams params;
  params.name = "rooflinectl";
  params.allows_others = 1;
  Subscription subscription = {.shared = shared};
  if (shared.subscribe(&subscription.handle, callback, nullptr, &params) != CUPTI_SUCCESS)
    return std::nullopt;
  std::uint64_t cupti_ns = 0;
  if (shared.timestamp(subscription.handle, &cupti_ns) != CUPTI_SUCCESS) {
    cuptiUnsubscribe(subscription.handle);
    return std::nullopt;
  }
  subscription.clock_ahead_ns = static_cast<std::int64_t>(now_ns() - cupti_ns);
  return subscription;
}

}  // namespace

std::optional<SharedFunctions> shared_functions() {
  void* const library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  SharedFunctions found;
  const bool has_all = find(library, "cuptiSubscribe_v2", found.subscribe) &&
                       find(library, "cuptiGetTimestamp_v2", found.timestamp) &&
                       find(library, "cuptiActivityRegisterCallbacks_v2", found.register_callbacks) &&
                       find(library, "cuptiActivityEnable_v2", found.enable) &&
                       find(library, "cuptiActivityDisable_v2", found.disable) &&
                       find(library, "cuptiActivityGetNextRecord_v2", found.next_record);
  return has_all ? std::optional(found) : std::nullopt;
}

Subscription subscribe(CUpti_CallbackFunc callback, const std::optional<SharedFunctions>& shared) {
  if (shared) {
    if (const auto subscription = subscribe_beside_others(callback, *shared)) return *subscription;
  }
  Subscription subscription;
  ROOFLINECTL_CUPTI(cuptiSubscribe, &subscription.handle, callback, nullptr);
  return subscription;
}

}  // namespace rooflinectl::injection
