// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "collector/cupti/host_configuration.h"
#include "collector/cupti/range_calls.h"
#include "collector/injection/session.h"
#include "collector/injection/streams.h"

namespace rooflinectl::injection {

/// A context of the process, counted with CUPTI's Range Profiler.
class CuptiGpu : public Gpu {
 public:
  /// `trace` begins or ends the trace of the process for this context; the others are those of `Gpu`.
  CuptiGpu(CUcontext context, int device, const Streams& streams, std::function<void(bool)> trace,
           std::function<void()> begin_timeline, std::function<bool()> is_sampled);

  bool is_idle() override { return streams_.are_idle(); }
  void trace(bool on) override { trace_(on); }
  void begin_pass(Pass pass, std::size_t ranges) override;
  std::vector<CountedRange> end_pass() override;
  bool is_full() override { return ranges_.size() >= most_ranges_; }
  void open_range(std::uint64_t range) override;
  void close_range() override;
  void begin_timeline() override { begin_timeline_(); }
  bool is_sampled() override { return is_sampled_(); }
  double now_s() override;
  void pause() override;

 private:
  /// Ranges of one pass; each takes 1.5 MB of the program's memory, most of it for CUPTI, and a millisecond
  /// to allocate.
  static constexpr std::size_t kLeastRanges = 64;
  static constexpr std::size_t kMostRanges = 352;

  const cupti::HostConfiguration& configuration_of(Pass pass);

  const CUcontext context_;
  const int device_;
  const Streams& streams_;
  const std::function<void(bool)> trace_;
  const std::function<void()> begin_timeline_;
  const std::function<bool()> is_sampled_;

  std::string chip_;  // empty before the first pass
  std::vector<std::uint8_t> availability_;
  std::map<Pass, cupti::HostConfiguration> configurations_;

  // What a pass needs, in the order in which it is made.
  const cupti::HostConfiguration* configuration_ = nullptr;
  std::vector<std::uint8_t> counter_data_;
  std::unique_ptr<cupti::EnabledProfiler> profiler_;
  std::size_t most_ranges_ = 0;
  std::vector<std::uint64_t> ranges_;  // by their names
};

}  // namespace rooflinectl::injection
