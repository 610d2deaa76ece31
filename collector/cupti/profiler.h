// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/counters/counters.h"
#include "core/counters/metrics.h"
#include "core/error.h"
#include "core/machine/catalogue.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// One launch to be counted.
struct CountedRange {
  /// Brings inputs and caches into the wanted state and synchronises; runs before every pass, not counted.
  std::function<void()> prepare;
  /// Launches and synchronises.
  std::function<void()> launch;
};

/// Gathers hardware counters on the current CUDA context. The implementation is a module that is loaded at
/// run time, so that a machine without CUPTI loses the counters and not the run.
class Profiler {
 public:
  virtual ~Profiler() = default;

  /// The chip's name, for example GH100.
  virtual const std::string& chip() const = 0;
  /// CUPTI's API version.
  virtual int version() const = 0;
  /// How often each range has to run.
  virtual int passes() const = 0;
  /// Our key → the hardware metric that it comes from on this chip.
  virtual const std::map<std::string, std::string>& metrics() const = 0;

  /// Runs every range `passes()` times, in order, and returns their counters in the same order. Every key of
  /// the catalogue is present, as a number or as unavailable with the reason. Throws Error(environment)
  /// naming the call that failed.
  virtual std::vector<Counters> count(const std::vector<CountedRange>& ranges) = 0;
};

/// What the module exports, as `rooflinectl_open_profiler` and `rooflinectl_describe_chips`.
using OpenProfiler = Profiler*(int device_index, const std::vector<Metric>& metrics);
using DescribeChips = void(const std::string& chip, std::vector<ChipCounters>& chips);

/// Opens a session for `metrics` on the device that is current. Throws Error(environment) with cause and
/// hint: CUPTI missing, no permission, another profiler attached, an unsupported device.
std::unique_ptr<Profiler> open_profiler(int device_index, const std::vector<Metric>& metrics);

/// The basic counter set on the chip of that name, or, with an empty name, on every chip that CUPTI knows.
/// Needs no GPU. Throws Error(environment) if CUPTI is missing, Error(usage) if it knows no such chip.
std::vector<ChipCounters> describe_chips(const std::string& chip);

/// A device that can be sampled. Times are of the system's monotonic clock.
class Sampler {
 public:
  virtual ~Sampler() = default;

  /// What is sampled.
  virtual record::SamplingBegun description() = 0;
  virtual void start() = 0;
  virtual void stop() = 0;
  /// The samples that were not taken yet, the oldest first. Called while the device is sampled, and once
  /// after that.
  virtual std::vector<record::Sample> take() = 0;
  /// What the board drew since the start, or since the last call; empty where nothing measures it.
  virtual std::vector<record::PowerReading> take_power() = 0;
};

/// What the module with CUPTI exports, as `rooflinectl_open_sampler`.
using OpenSampler = Sampler*(int device, const std::string& uuid, std::uint64_t interval_ns);

/// A sampler of a device, as CUDA numbers them, in a process that uses CUPTI for nothing else. Throws
/// Error(environment) with cause and hint: CUPTI missing, no permission, the counters in use, an unsupported
/// device.
std::unique_ptr<Sampler> open_sampler(int device, const std::string& uuid, std::uint64_t interval_ns);

}  // namespace rooflinectl

namespace rooflinectl::cupti {

/// Another process is counting on this device: later it may be free.
class CountersInUse : public Error {
 public:
  explicit CountersInUse(const Error& error) : Error(error) {}
};

}  // namespace rooflinectl::cupti
