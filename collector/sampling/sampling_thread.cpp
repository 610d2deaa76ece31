// SPDX-License-Identifier: Apache-2.0
#include "collector/sampling/sampling_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "core/error.h"
#include "core/program/timeline.h"

namespace rooflinectl {

namespace {

using std::chrono::nanoseconds;

/// There is room for five times as many, and a program that ends without notice loses what was not read.
constexpr std::uint64_t kSamplesRead = 100;
constexpr std::chrono::milliseconds kLongestPause{200};

}  // namespace

SamplingThread::SamplingThread(Open open, std::uint64_t interval_ns, Sink sink, Clock now_ns)
    : open_(std::move(open)), interval_ns_(interval_ns), sink_(std::move(sink)), now_ns_(std::move(now_ns)) {
  thread_ = own_thread([this] { sample(); });
}

SamplingThread::~SamplingThread() {
  end();
  thread_.join();
}

void SamplingThread::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ends_.notify_all();
}

void SamplingThread::sample() {
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
  } catch (const std::exception& error) {  // there may be no memory for samples, and the program continues
    const auto* const known = dynamic_cast<const Error*>(&error);
    has_failed_ = true;
    sink_(record::Problem{.group = std::nullopt,
                          .cause = fmt::format("{}: {}", kNoTimeline, error.what()),
                          .hint = known == nullptr ? "" : known->hint()});
  }
}

void SamplingThread::take(Sampler& sampler) {
  const record::Samples taken = {.device = device_, .samples = sampler.take()};
  if (!taken.samples.empty()) sink_(taken);
  const record::Power power = {.device = device_, .readings = sampler.take_power()};
  if (!power.readings.empty()) sink_(power);
}

bool SamplingThread::ends_within(nanoseconds time) {
  std::unique_lock lock(mutex_);
  return ends_.wait_for(lock, time, [this] { return is_ended_; });
}

}  // namespace rooflinectl
