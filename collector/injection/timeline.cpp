// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/timeline.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/model/timeline.h"

namespace rooflinectl::injection {

namespace {

using std::chrono::nanoseconds;

/// There is room for five times as many, and a program that ends without notice loses what was not read.
constexpr std::uint64_t kSamplesRead = 100;
constexpr std::chrono::milliseconds kLongestPause{200};

}  // namespace

Timeline::Timeline(Open open, std::uint64_t interval_ns, Sink sink, Clock now_ns)
    : open_(std::move(open)), interval_ns_(interval_ns), sink_(std::move(sink)), now_ns_(std::move(now_ns)) {
  // The program's signals are for its own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { sample(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Timeline::~Timeline() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

void Timeline::sample() {
  try {
    const std::unique_ptr<Sampler> sampler = open_();
    record::SamplingBegun begun = sampler->description();
    device_ = begun.device;
    sampler->start();
    begun.at_ns = now_ns_();
    sink_(begun);
    if (const auto window_s = sampling_window_s(interval_ns_)) {
      ends_within(std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(*window_s)));
    } else {
      const nanoseconds pause =
          std::min<nanoseconds>(nanoseconds(kSamplesRead * interval_ns_), kLongestPause);
      while (!ends_within(pause)) take(*sampler);
    }
    sampler->stop();
    take(*sampler);
  } catch (const Error& error) {
    sink_(record::Problem{.group = std::nullopt,
                          .cause = fmt::format("{}: {}", kNoTimeline, error.what()),
                          .hint = error.hint()});
  }
}

void Timeline::take(Sampler& sampler) {
  const record::Samples taken = {.device = device_, .samples = sampler.take()};
  if (!taken.samples.empty()) sink_(taken);
}

bool Timeline::ends_within(nanoseconds time) {
  std::unique_lock lock(mutex_);
  return ends_.wait_for(lock, time, [this] { return is_ended_; });
}

}  // namespace rooflinectl::injection
