// SPDX-License-Identifier: Apache-2.0
#include "injection/timelines.h"

#include <mutex>
#include <utility>

#include "injection/this_process.h"

namespace rooflinectl::injection {

Timelines::Timelines(const ProfileSettings& settings, Open open, Sink sink)
    : settings_(settings),
      open_(std::move(open)),
      sink_(std::move(sink)),
      is_captured_(settings.capture != Capture::cuda_profiler) {}

std::unique_ptr<SamplingThread> Timelines::thread_of(int device) {
  return std::make_unique<SamplingThread>([this, device] { return open_(device); },
                                          *settings_.timeline_interval_ns, sink_, now_ns);
}

void Timelines::begin(int device) {
  if (!settings_.timeline_interval_ns) return;
  reap();  // a device has one sampler at a time
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SamplingThread>& timeline = timelines_[device];
  if (!timeline && is_captured_) timeline = thread_of(device);
}

bool Timelines::is_sampled(int device) {
  const std::lock_guard lock(mutex_);
  const auto found = timelines_.find(device);
  return found != timelines_.end() && (!found->second || !found->second->has_failed());
}

void Timelines::end(int device) {
  const std::lock_guard lock(mutex_);
  const auto found = timelines_.find(device);
  if (found == timelines_.end()) return;
  if (found->second) {
    found->second->end();
    ending_.push_back(std::move(found->second));
  }
  timelines_.erase(found);
}

void Timelines::reap() {
  std::vector<std::unique_ptr<SamplingThread>> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::exchange(ending_, {});
  }
}

void Timelines::capture(bool is_on) {
  if (settings_.capture != Capture::cuda_profiler) return;
  reap();
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_captured_, is_on) == is_on) return;
    for (auto& [device, timeline] : timelines_) {
      if (is_on && !timeline) timeline = thread_of(device);
      if (!is_on && timeline && !timeline->has_failed()) ending_.push_back(std::move(timeline));
    }
  }
  reap();
}

void Timelines::finish() {
  std::map<int, std::unique_ptr<SamplingThread>> timelines;
  {
    const std::lock_guard lock(mutex_);
    timelines = std::exchange(timelines_, {});
  }
  timelines.clear();
  reap();
}

}  // namespace rooflinectl::injection
