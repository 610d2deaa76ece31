// SPDX-License-Identifier: Apache-2.0
// CUPTI's activity interface: it asks for a buffer, fills it, and hands it back when it is flushed.

#include "collector/activity_trace.h"

#include <cupti.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "collector/cupti/call.h"

namespace rooflinectl::cupti {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;
constexpr double kNanosecondsPerSecond = 1e9;
// Kernels one after the other. The record of concurrent ones costs each block some 80 ps, which made kernels
// of many blocks up to 9 % slower on an H200 (driver 580.159.04).
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMSET};

struct Record {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
  std::string name;
};

// CUPTI calls back without a pointer of ours, and from a thread of its own.
std::mutex records_mutex;
std::vector<Record> records;
bool records_are_lost = false;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

/// Without both times, nothing is known of it.
template <typename Activity>
void add(const Activity& activity, const char* name) {
  if (activity.start == 0 || activity.end < activity.start) {
    records_are_lost = true;
    return;
  }
  records.push_back({activity.start, activity.end, name == nullptr ? "" : name});
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
  const std::lock_guard lock(records_mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_KERNEL) {
      const auto* const kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      add(*kernel, kernel->name);
    } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
      add(*reinterpret_cast<const CUpti_ActivityMemset4*>(record), "memset");
    }
  }
  std::size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(context, stream, &dropped);
  if (dropped > 0) records_are_lost = true;
  std::free(buffer);
}

std::vector<Record> sorted(std::vector<Record> by_arrival) {
  std::sort(by_arrival.begin(), by_arrival.end(),
            [](const Record& a, const Record& b) { return a.start_ns < b.start_ns; });
  return by_arrival;
}

class CuptiActivityTrace : public ActivityTrace {
 public:
  CuptiActivityTrace() {
    ROOFLINECTL_CUPTI(cuptiActivityRegisterCallbacks, give_buffer, take_buffer);
    for (const CUpti_ActivityKind kind : kKinds) ROOFLINECTL_CUPTI(cuptiActivityEnable, kind);
  }
  ~CuptiActivityTrace() override {
    for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  CuptiActivityTrace(const CuptiActivityTrace&) = delete;
  CuptiActivityTrace& operator=(const CuptiActivityTrace&) = delete;

  void discard() override {
    ROOFLINECTL_CUPTI(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(records_mutex);
    records.clear();
    records_are_lost = false;
  }

  std::vector<TracedOperation> take() override {
    ROOFLINECTL_CUPTI(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard lock(records_mutex);
    const std::vector<Record> taken = sorted(std::exchange(records, {}));
    if (std::exchange(records_are_lost, false)) {
      throw Error(ErrorKind::environment, "CUPTI dropped activity records", "run it again");
    }
    std::vector<TracedOperation> operations;
    for (const Record& record : taken) {
      operations.push_back(
          {record.name, static_cast<double>(record.end_ns - record.start_ns) / kNanosecondsPerSecond});
    }
    return operations;
  }
};

}  // namespace

}  // namespace rooflinectl::cupti

extern "C" rooflinectl::ActivityTrace* rooflinectl_open_activity_trace() {
  return new rooflinectl::cupti::CuptiActivityTrace();
}
