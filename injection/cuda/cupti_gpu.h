// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/cupti/host_configuration.h"
#include "collector/cupti/range_calls.h"
#include "injection/cuda/streams.h"
#include "injection/driver.h"
#include "injection/launches/loaded_code.h"
#include "injection/source_lines/pc_sampler.h"

namespace rooflinectl::injection {

/// Calls `finish_at_exit` (see CudaDriver) after a use of CUPTI in which its libraries may have made objects,
/// also where that use failed.
class FinishFirst {
 public:
  explicit FinishFirst(const std::function<void()>& finish_at_exit) : finish_at_exit_(finish_at_exit) {}
  ~FinishFirst() { finish_at_exit_(); }
  FinishFirst(const FinishFirst&) = delete;
  FinishFirst& operator=(const FinishFirst&) = delete;

 private:
  const std::function<void()>& finish_at_exit_;
};

/// A context of the process, counted with CUPTI's Range Profiler.
class CuptiGpu : public Gpu {
 public:
  /// `finish_at_exit`: as CudaDriver's.
  CuptiGpu(CUcontext context, int device, Streams& streams, LoadedCode& code, ProcessCalls calls,
           std::function<void()> finish_at_exit)
      : context_(context),
        device_(device),
        streams_(streams),
        code_(code),
        calls_(std::move(calls)),
        finish_at_exit_(std::move(finish_at_exit)) {}

  bool is_idle(bool of_all_devices) override {
    return streams_.are_idle(of_all_devices ? std::nullopt : std::optional(device_));
  }
  void trace(bool on) override { calls_.trace(on); }
  void deliver_trace() override { calls_.deliver_trace(); }
  void begin_pass(Pass pass, std::size_t ranges, bool only_within_ranges) override;
  std::vector<CountedRange> end_pass() override;
  std::vector<CountedRange> make_room() override;
  void abandon_pass() override;
  bool has_room() override { return ranges_.size() < most_ranges_; }
  void open_range(std::uint64_t range) override;
  void close_range() override;
  void begin_timeline() override { calls_.begin_timeline(); }
  bool is_sampled() override { return calls_.is_sampled(); }
  bool begin_lines() override;
  SourceLines end_lines() override;
  void abandon_lines() override;
  double now_s() override;
  void pause() override;

 private:
  /// Ranges between two times that room is made, which takes 40 ms. Each takes 1.5 MB of the program's
  /// memory, most of it for CUPTI, and a millisecond to allocate in each pass.
  static constexpr std::size_t kLeastRanges = 32;
  static constexpr std::size_t kMostRanges = 128;

  std::vector<CountedRange> decode();
  const cupti::HostConfiguration& configuration_of(Pass pass);

  const CUcontext context_;
  const int device_;
  Streams& streams_;
  LoadedCode& code_;
  const ProcessCalls calls_;
  const std::function<void()> finish_at_exit_;

  std::string chip_;  // empty before the first pass
  std::vector<std::uint8_t> availability_;
  std::map<Pass, cupti::HostConfiguration> configurations_;

  // What a pass needs, in the order in which it is made.
  const cupti::HostConfiguration* configuration_ = nullptr;
  std::vector<std::uint8_t> counter_data_;
  std::unique_ptr<cupti::EnabledProfiler> profiler_;
  bool only_within_ranges_ = false;  // the profiler is started
  std::size_t most_ranges_ = 0;
  std::vector<std::uint64_t> ranges_;  // by their names
  bool has_evaluated_ = false;
  bool has_started_in_range_ = false;

  std::unique_ptr<PcSampler> pc_sampler_;
};

}  // namespace rooflinectl::injection
