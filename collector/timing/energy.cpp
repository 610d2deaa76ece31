// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>

#include "collector/timing/timing.h"
#include "core/elapsed.h"

namespace rooflinectl {

namespace {

using Clock = std::chrono::steady_clock;

/// Time for power and clocks to settle.
constexpr double kWarmUpSeconds = 0.3;
constexpr double kMeasuredSeconds = 1.5;
/// A meter that stands still for this long under load does not work.
constexpr double kRenewalLimitSeconds = 1.0;
/// Duration of the launches that are enqueued between two readings of the meter.
constexpr double kBatchSeconds = 0.005;
constexpr double kMostPerBatch = 4096;

/// Keeps the device busy with one work.
class Load {
 public:
  Load(const TimedWork& work, const std::function<void()>& synchronize)
      : work_(work), synchronize_(synchronize) {
    const Clock::time_point start = Clock::now();
    run_batch();
    batch_ = static_cast<int>(std::clamp(kBatchSeconds / seconds_since(start), 1.0, kMostPerBatch));
  }

  void run_for(double seconds) {
    for (const Clock::time_point start = Clock::now(); seconds_since(start) < seconds;) run_batch();
  }

  /// Returns when all of the launches are done.
  void run_batch() {
    const Clock::time_point start = Clock::now();
    for (int number = 0; number < batch_; ++number) work_.launch(number % work_.launches_per_graph);
    synchronize_();
    busy_s_ += seconds_since(start);
    launches_ += batch_;
  }

  double seconds_per_launch() const { return busy_s_ / static_cast<double>(launches_); }

 private:
  const TimedWork& work_;
  const std::function<void()>& synchronize_;
  int batch_ = 1;
  double busy_s_ = 0;
  long long launches_ = 0;
};

/// The meter just after it was renewed.
struct Reading {
  double joules = 0;
  Clock::time_point time;
};

std::optional<Reading> next_renewal(const EnergyMeter& meter, Load& load) {
  const std::optional<double> before = meter();
  for (const Clock::time_point start = Clock::now(); seconds_since(start) < kRenewalLimitSeconds;) {
    load.run_batch();
    const std::optional<double> now = meter();
    if (!before || !now) return std::nullopt;
    if (*now != *before) return Reading{*now, Clock::now()};
  }
  return std::nullopt;
}

EnergyResult unavailable(const char* reason) {
  EnergyResult result;
  result.joules = CounterValue::unavailable(reason);
  return result;
}

constexpr const char* kNoMeter = "the GPU or its driver has no energy meter (NVML)";

}  // namespace

EnergyResult measure_energy(const EnergyMeter& meter, const TimedWork& work,
                            const std::function<void()>& synchronize) {
  if (work.prepare) {
    return unavailable(
        "the launch destroys its input, and restoring it between launches would cost energy too");
  }
  Load warm_up(work, synchronize);
  warm_up.run_for(kWarmUpSeconds);
  Load load(work, synchronize);
  const std::optional<Reading> first = next_renewal(meter, load);
  if (!first) return unavailable(kNoMeter);
  load.run_for(kMeasuredSeconds);
  const std::optional<Reading> last = next_renewal(meter, load);
  if (!last) return unavailable(kNoMeter);

  EnergyResult result;
  result.duration_s = std::chrono::duration<double>(last->time - first->time).count();
  result.mean_power_w = (last->joules - first->joules) / result.duration_s;
  result.joules = CounterValue::measured(result.mean_power_w * load.seconds_per_launch());
  return result;
}

}  // namespace rooflinectl
