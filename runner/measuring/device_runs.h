// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <vector>

#include "core/error.h"
#include "core/model/run.h"
#include "runner/measuring/measure.h"

namespace rooflinectl {

/// A device to measure on, and who receives the progress there.
struct ObservedDevice {
  DeviceInfo device;
  MeasureObserver observer;
};

/// What became of measuring a plan on a device.
struct DeviceAttempt {
  std::optional<MeasureResult> result;
  std::optional<Error> error;    ///< why there is none
  std::filesystem::path folder;  ///< that `result` is in, or what there is instead; empty if there is nothing
};

/// Measures `request` for the run in `folder`, which `observer` is told in place of `request.output`. Only
/// one thread at a time calls the observer. Throws nothing that goes wrong there.
DeviceAttempt attempt_on_device(const MeasureRequest& request, const MeasureObserver& observer,
                                const std::filesystem::path& folder, std::mutex& one_at_a_time);

// One run over several devices: each is measured by `measure`, in a folder of its own within that of the run,
// which is removed once its results are in `run.json`. A device on which nothing can be measured is a loss,
// and not in the run, unless the user stopped it: then it is there to be resumed.

/// Measures `request.plan` on each of `devices`, one after the other; or `together`: the ceilings on one
/// after the other, since they are what each delivers alone, then everything else on all of them at once. No
/// two observers are called at the same time. `request.device` is not used. Throws Error for a folder that
/// cannot be made, or that another program writes to; the first device's error if nothing could be measured
/// on any: then nothing is left behind; Error(environment) as `measure` if the disk is full.
MeasureResult measure_on_devices(const MeasureRequest& request, const std::vector<ObservedDevice>& devices,
                                 bool together);

/// Measures the ceilings of `request.plan` on each of `devices`, one after the other, then the links between
/// them and collectives over all of them: one run. Links and collectives that cannot be measured are losses,
/// too. Throws likewise.
MeasureResult measure_ceilings(const MeasureRequest& request, const std::vector<DeviceInfo>& devices,
                               const MeasureObserver& observer);

/// Adds what was measured on other devices alone to `run`, where the first of them is at `place`.
void add_device_run(Run& run, std::size_t place, const Run& measured);
/// What was counted counts, whichever device it was on.
void take_counter_session(Run& run, const CounterSession& session);

}  // namespace rooflinectl
