// SPDX-License-Identifier: Apache-2.0
// CUPTI's activity interface: it asks for a buffer, fills it, and hands it back when it is flushed.

#include "collector/cupti/activity_trace.h"

#include <cupti.h>

#include <cstdint>
#include <cstdlib>

#include "collector/cupti/activity_records.h"
#include "collector/cupti/call.h"

namespace rooflinectl::cupti {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;
// Kernels one after the other. Recording concurrent ones costs each block about 80 ps, which made kernels of
// many blocks up to 9 % slower on an H200 (driver 580.159.04).
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_KERNEL, CUPTI_ACTIVITY_KIND_MEMSET};

// CUPTI calls back without a pointer of ours.
ActivityRecords records;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;  // as many as fit
}

template <typename Activity>
void add(const Activity& activity, const char* name) {
  records.add(activity.start, activity.end, name == nullptr ? "" : name);
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t used) {
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
  records.add_dropped(dropped);
  std::free(buffer);
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
    deliver();
    records.discard();
  }

  std::vector<TracedOperation> take() override {
    deliver();
    return records.take();
  }

 private:
  /// Returns when CUPTI has delivered all records of what has ended.
  static void deliver() { ROOFLINECTL_CUPTI(cuptiActivityFlushAll, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }
};

}  // namespace

}  // namespace rooflinectl::cupti

extern "C" [[gnu::visibility("default")]] rooflinectl::ActivityTrace* rooflinectl_open_activity_trace() {
  return new rooflinectl::cupti::CuptiActivityTrace();
}
