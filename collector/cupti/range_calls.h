// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>
#include <vector>

struct CUpti_RangeProfiler_Object;

/// CUPTI's Range Profiler, call by call: user ranges, user replay. All functions throw Error(environment)
/// naming the call that failed.
namespace rooflinectl::cupti {

/// To be called before anything else here. Later calls do nothing.
void initialize_profiler();

/// Throws with the reason if the device or its configuration cannot be profiled.
void require_supported(int device_index);

/// `GH100`.
std::string chip_name(int device_index);

/// Which counters the device of `context` offers now, as `HostConfiguration` wants it; nullptr is the current
/// context. To be asked before a profiler is enabled.
std::vector<std::uint8_t> counter_availability(CUcontext context = nullptr);

/// The API version.
int cupti_version();

/// The profiler, enabled on a context for as long as this object lives.
class EnabledProfiler {
 public:
  /// nullptr is the current context.
  explicit EnabledProfiler(CUcontext context = nullptr);
  ~EnabledProfiler();
  EnabledProfiler(const EnabledProfiler&) = delete;
  EnabledProfiler& operator=(const EnabledProfiler&) = delete;

  /// Room for the counters of that many ranges.
  std::vector<std::uint8_t> make_counter_data(const std::vector<const char*>& metric_names,
                                              std::size_t range_count);
  /// Forgets the ranges that were decoded into it, so that there is room for others.
  void clear(std::vector<std::uint8_t>& counter_data);

  /// `config` and `counter_data` must stay where they are until `decode` has returned.
  void set_config(const std::vector<std::uint8_t>& config, std::vector<std::uint8_t>& counter_data,
                  std::size_t range_count);

  /// The first time takes 0.2 s and more with `range_count`; later times, after `stop`, 20 ms.
  void start();
  /// Returns whether every pass has been submitted.
  bool stop();

  /// Begins a range around what is launched from now on; waits until the device is idle. CUPTI 13.0 crashes
  /// when it stores a name of about 60 characters (55 are fine, 62 are not).
  void push(const std::string& name);
  /// Ends it; waits until the device is idle.
  void pop();

  /// Decodes what was counted into the counter data.
  void decode();

  /// The names of the decoded ranges, in the order of the counter data.
  std::vector<std::string> range_names(const std::vector<std::uint8_t>& counter_data);

 private:
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
};

}  // namespace rooflinectl::cupti
