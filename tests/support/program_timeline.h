// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters/metrics.h"
#include "core/program/timeline.h"
#include "tests/support/program_run.h"

/// A timeline of `program_run`, made up as the run is.
namespace rooflinectl::constructed {

/// Steps one after the other, each with its ranges on the host a millisecond earlier; what the
/// device does is what the counters of the points show. A copy runs beside each step.
class TimelineOfProgram {
 public:
  explicit TimelineOfProgram(const Run& run) : run_(run) {}

  /// Samples of `interval_ns`, of which some are missing in the middle.
  Timeline make(int steps, std::uint64_t interval_ns) {
    device_.interval_ns = interval_ns;
    now_ns_ = kBeginNs;
    for (int step = 0; step < steps; ++step) add_step();
    range("evaluate", [&] {
      for (int i = 0; i < 4; ++i) launch(12);
    });
    add_samples();
    timeline_.devices.push_back(std::move(device_));
    std::stable_sort(timeline_.ranges.begin(), timeline_.ranges.end(),
                     [](const TimelineRange& a, const TimelineRange& b) { return a.start_ns < b.start_ns; });
    return std::move(timeline_);
  }

 private:
  static constexpr std::uint64_t kBeginNs = 1'500'000'000;
  static constexpr std::uint64_t kBetweenReadingsNs = 20'000'000;
  static constexpr std::uint64_t kHostAheadNs = 1'000'000;
  static constexpr std::uint64_t kBetweenLaunchesNs = 1200;

  const Measurement& measurement(std::size_t place) const { return run_.measurements[place]; }

  void launch(std::size_t place) {
    const auto duration_ns = static_cast<std::uint64_t>(1e9 * measurement(place).time->median_s);
    device_.launches.push_back({place, 0, now_ns_, duration_ns});
    now_ns_ += duration_ns + kBetweenLaunchesNs;
  }

  void range(const std::string& path, const std::function<void()>& inside) {
    const auto found = std::find(timeline_.paths.begin(), timeline_.paths.end(), path);
    const auto place = static_cast<std::size_t>(found - timeline_.paths.begin());
    if (found == timeline_.paths.end()) timeline_.paths.push_back(path);
    const std::uint64_t start_ns = now_ns_;
    inside();
    timeline_.ranges.push_back({place, 4711, start_ns - kHostAheadNs, now_ns_ - start_ns});
  }

  // Of `program_kernels`, as a step launches them.
  void add_step() {
    const std::uint64_t start_ns = now_ns_;
    range("step", [&] {
      range("step/forward", [&] {
        launch(9);
        for (int block = 0; block < 16; ++block) {
          range("step/forward/block", [&] {
            for (const std::size_t place : {4, 1, 2, 7, 7}) launch(place);
          });
        }
        launch(5);
        launch(0);
      });
      range("step/loss", [&] { launch(3); });
      range("step/backward", [&] {
        for (int block = 0; block < 16; ++block) launch(6);
      });
      now_ns_ += 150'000;  // the host reads the loss
      range("step/optimizer", [&] {
        launch(8);
        launch(10);
      });
    });
    device_.transfers.push_back({TransferKind::host_to_device, start_ns + 200'000, 47'500});
  }

  // Launches follow each other, so each sample has parts of some of them in a row.
  void add_samples() {
    using namespace sampled;
    device_.began_ns = kBeginNs - 2 * device_.interval_ns;
    const std::uint64_t interval_ns = device_.interval_ns;
    std::size_t first = 0;
    for (std::uint64_t start_ns = kBeginNs - interval_ns; start_ns < now_ns_; start_ns += interval_ns) {
      const std::uint64_t end_ns = start_ns + interval_ns;
      const bool is_missing = (start_ns - kBeginNs + interval_ns) / interval_ns % 700 > 690;
      const auto overlap = [&](std::uint64_t from_ns, std::uint64_t duration_ns) {
        const std::uint64_t from = std::max(from_ns, start_ns);
        const std::uint64_t to = std::min(from_ns + duration_ns, end_ns);
        return to > from ? static_cast<double>(to - from) : 0.0;
      };
      double read = 0;
      double written = 0;
      double l2 = 0;
      double tensor_s = 0;
      double fp32_s = 0;
      double active_ns = 0;
      while (first < device_.launches.size() &&
             device_.launches[first].start_ns + device_.launches[first].duration_ns <= start_ns) {
        ++first;
      }
      for (std::size_t i = first; i < device_.launches.size() && device_.launches[i].start_ns < end_ns; ++i) {
        const TimelineLaunch& launch = device_.launches[i];
        const double here_ns = overlap(launch.start_ns, launch.duration_ns);
        const double part = here_ns / static_cast<double>(launch.duration_ns);
        const auto counted = [&](std::string_view key) {
          return part * value_of(measurement(launch.measurement).counters, key).value_or(0);
        };
        active_ns += here_ns;
        read += counted(counter::kDramReadBytes);
        written += counted(counter::kDramWriteBytes);
        l2 += counted(counter::kL2Bytes);
        tensor_s += counted(counter::kTensorBf16Ops) / 900e12;
        fp32_s += (counted(counter::kFfma) + counted(counter::kFadd)) / 32.8e12;
      }
      double copied_ns = 0;
      for (const TimelineTransfer& transfer : device_.transfers) {
        copied_ns += overlap(transfer.start_ns, transfer.duration_ns);
      }
      if (is_missing) continue;
      constexpr double kCopyBytesPerNs = 41.9e6 / 1.9e6;
      const auto whole_ns = static_cast<double>(interval_ns);
      const auto add = [&](std::string_view key, double value) {
        device_.values[std::string(key)].push_back(value);
      };
      device_.start_ns.push_back(start_ns);
      device_.duration_ns.push_back(interval_ns);
      add(kDramReadBytes, read);
      add(kDramWriteBytes, written + copied_ns * kCopyBytesPerNs);
      add(kL2Bytes, l2);
      add(kPcieReadBytes, copied_ns * kCopyBytesPerNs);
      add(kPcieWriteBytes, 0);
      add(kSmActive, active_ns / whole_ns);
      add(kTensorActive, std::min(1.0, tensor_s * 1e9 / whole_ns));
      add(kFp32Issued, std::min(1.0, fp32_s * 1e9 / whole_ns));
      add(kFp64Active, 0);
      add(kWarps, 0.7 * active_ns / whole_ns);
      add(kSmClockHz, 1.98e9 - 1.2e8 * active_ns / whole_ns);
    }
    for (std::uint64_t at_ns = kBeginNs + kBetweenReadingsNs; at_ns < now_ns_; at_ns += kBetweenReadingsNs) {
      device_.power.push_back({at_ns, 400.0 + static_cast<double>(at_ns / kBetweenReadingsNs % 7) * 20});
    }
    for (const Metric& metric : sampled_metrics()) {
      const std::string key(metric.key);
      if (device_.values.contains(key)) {
        device_.metrics[key] = metric.names.front();
      } else {
        device_.left_out[key] = "not on this device";
      }
    }
  }

  const Run& run_;
  Timeline timeline_;
  DeviceTimeline device_;
  std::uint64_t now_ns_ = 0;
};

/// Ten steps at 20 µs.
inline Timeline program_timeline(const Run& run) {
  return TimelineOfProgram(run).make(10, 20'000);
}

}  // namespace rooflinectl::constructed
