// SPDX-License-Identifier: Apache-2.0
#include "collector/timing/common_timer.h"

#include <utility>

#include "collector/device/instruments.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

using kernels::check;

namespace {

/// An event on the device that is current.
cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreate");
  return event;
}

void select_device(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
}

}  // namespace

struct CommonTimer::Events {
  Events() = default;
  ~Events() {
    cudaEventDestroy(begin);
    for (const cudaEvent_t end : ends) cudaEventDestroy(end);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  std::unique_ptr<EventTimer> timer;  ///< of the first stream
  cudaEvent_t begin = nullptr;        ///< on the first stream
  std::vector<cudaEvent_t> ends;      ///< on each of the others
};

CommonTimer::CommonTimer(std::vector<DeviceStream> streams)
    : streams_(std::move(streams)), events_(std::make_unique<Events>()) {
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    events_->ends.push_back(make_event());
  }
  select_device(streams_.front().device);
  events_->begin = make_event();
  events_->timer = std::make_unique<EventTimer>();
}

CommonTimer::~CommonTimer() = default;

double CommonTimer::seconds(std::uint64_t delay_ns, const std::function<void()>& enqueue) {
  const DeviceStream& first = streams_.front();
  select_device(first.device);
  enqueue_delay(delay_ns, first.stream);
  check(cudaEventRecord(events_->begin, first.stream), "cudaEventRecord");
  events_->timer->start(first.stream);
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    check(cudaStreamWaitEvent(streams_[i].stream, events_->begin), "cudaStreamWaitEvent");
  }
  enqueue();
  for (std::size_t i = 1; i < streams_.size(); ++i) {
    select_device(streams_[i].device);
    check(cudaEventRecord(events_->ends[i - 1], streams_[i].stream), "cudaEventRecord");
  }
  select_device(first.device);
  for (const cudaEvent_t end : events_->ends) {
    check(cudaStreamWaitEvent(first.stream, end), "cudaStreamWaitEvent");
  }
  events_->timer->stop(first.stream);
  check(cudaStreamSynchronize(first.stream), "cudaStreamSynchronize");
  return events_->timer->seconds();
}

}  // namespace rooflinectl
