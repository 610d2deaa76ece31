// SPDX-License-Identifier: Apache-2.0
#include "injection/cuda/activities.h"

#include <cupti.h>

#include <cstdlib>
#include <exception>

#include "collector/cupti/call.h"
#include "injection/cuda/subscription.h"
#include "injection/this_process.h"

namespace rooflinectl::injection::activities {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;
// Of the kinds for kernels, only this one lets kernels run concurrently.
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET};

Listener* listener = nullptr;
Subscription subscription;

/// By our clock.
std::uint64_t ours(std::uint64_t cupti_ns) {
  return cupti_ns + static_cast<std::uint64_t>(subscription.clock_ahead_ns);
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

TransferKind kind_of(const CUpti_ActivityMemcpy6& copy) {
  switch (copy.copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
      return copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? TransferKind::pageable_to_device
                                                                 : TransferKind::host_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
      return copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? TransferKind::device_to_pageable
                                                                 : TransferKind::device_to_host;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
      return TransferKind::device_to_device;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return TransferKind::peer_to_peer;
    default:
      return TransferKind::other;
  }
}

template <typename Activity>
void tell_transfer(const Activity& activity, TransferKind kind) {
  if (activity.start == 0 || activity.end < activity.start) return listener->lost(1);
  listener->traced(record::Transfer{.kind = kind,
                                    .device = static_cast<int>(activity.deviceId),
                                    .bytes = activity.bytes,
                                    .start_ns = ours(activity.start),
                                    .duration_ns = activity.end - activity.start});
}

record::Extent extent(std::int32_t x, std::int32_t y, std::int32_t z) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
}

void tell_kernel(const CUpti_ActivityKernel10& kernel) {
  if (kernel.start == 0 || kernel.end < kernel.start) return listener->lost(1);
  listener->traced(Kernel{.correlation = kernel.correlationId,
                          .stream = kernel.streamId,
                          .start_ns = ours(kernel.start),
                          .end_ns = ours(kernel.end),
                          .symbol = kernel.name == nullptr ? "" : kernel.name,
                          .grid = extent(kernel.gridX, kernel.gridY, kernel.gridZ),
                          .block = extent(kernel.blockX, kernel.blockY, kernel.blockZ),
                          .dynamic_shared_bytes = static_cast<std::uint64_t>(kernel.dynamicSharedMemory),
                          .is_in_graph = kernel.graphId != 0});
}

void tell(const CUpti_Activity& activity) {
  switch (activity.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return tell_kernel(reinterpret_cast<const CUpti_ActivityKernel10&>(activity));
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(activity);
      return tell_transfer(copy, kind_of(copy));
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return tell_transfer(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(activity),
                           TransferKind::peer_to_peer);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return tell_transfer(reinterpret_cast<const CUpti_ActivityMemset4&>(activity), TransferKind::set);
    default:
      return;
  }
}

/// Tells what is in a buffer, of which `next` gets record after record, and frees it.
template <typename Next, typename CountLost>
void tell_all(std::uint8_t* buffer, Next next, CountLost lost) {
  try {
    CUpti_Activity* activity = nullptr;
    while (next(&activity) == CUPTI_SUCCESS) tell(*activity);
    if (const std::size_t dropped = lost(); dropped > 0) listener->lost(dropped);
    listener->delivered();
  } catch (const std::exception&) {
    listener->lost(1);  // at least; the program continues
  }
  std::free(buffer);
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
  tell_all(
      buffer, [&](CUpti_Activity** activity) { return cuptiActivityGetNextRecord(buffer, used, activity); },
      [&] {
        std::size_t dropped = 0;
        return cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS ? dropped : 0;
      });
}

void CUPTIAPI give_shared_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records, void*) {
  give_buffer(buffer, size, most_records);
}

void CUPTIAPI take_shared_buffer(std::uint8_t* buffer, std::size_t, std::size_t used, void*) {
  if (!subscription.shared) return std::free(buffer);  // of the trial in `subscribe`
  tell_all(
      buffer,
      [&](CUpti_Activity** activity) {
        return subscription.shared->next_record(subscription.handle, buffer, used, activity);
      },
      [] {
        std::size_t dropped = 0;
        const CUptiResult result =
            subscription.shared->dropped_records(subscription.handle, nullptr, 0, &dropped);
        return result == CUPTI_SUCCESS ? dropped : 0;
      });
}

std::uint64_t CUPTIAPI timestamp() {
  return now_ns();
}

}  // namespace

SharedBuffers shared_buffers() {
  return {.give = give_shared_buffer, .take = take_shared_buffer};
}

void set_listener(Listener& told, const Subscription& of) {
  listener = &told;
  subscription = of;
  if (subscription.shared) return;  // which has what it needs
  ROOFLINECTL_CUPTI(cuptiActivityRegisterTimestampCallback, timestamp);
  ROOFLINECTL_CUPTI(cuptiActivityRegisterCallbacks, give_buffer, take_buffer);
}

void enable_for_kernels() {
  ROOFLINECTL_CUPTI(cuptiActivityEnable, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
}

void enable(bool on) {
  for (const CUpti_ActivityKind kind : kKinds) {
    if (const auto& shared = subscription.shared) {
      const auto change = on ? shared->enable : shared->disable;
      cupti::check(change(subscription.handle, kind, nullptr),
                   on ? "cuptiActivityEnable_v2" : "cuptiActivityDisable_v2");
    } else if (on) {
      ROOFLINECTL_CUPTI(cuptiActivityEnable, kind);
    } else {
      ROOFLINECTL_CUPTI(cuptiActivityDisable, kind);
    }
  }
}

void flush(bool is_all) {
  cuptiActivityFlushAll(is_all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

}  // namespace rooflinectl::injection::activities
