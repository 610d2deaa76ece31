// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// Ceilings of a device that were measured before.
struct KnownCeilings {
  std::string uuid;  ///< of the device, like all that follows
  std::string driver_version;
  double sm_clock_hz = 0;        ///< nominal
  double launch_clock_hz = 0;    ///< SM clock at which empty kernels ran
  std::vector<std::string> ids;  ///< of the measured ones
  /// Those of them that were never counted: to be measured again where counters are available.
  std::vector<std::string> unconfirmed_ids;

  bool operator==(const KnownCeilings&) const = default;
};

/// The measured ceilings of `run`'s first device.
KnownCeilings known_ceilings(const Run& run);

/// The SM clock at which the empty kernels of `run` ran on its first device; 0 where it was not measured.
double launch_clock_hz(const Run& run);

/// Whether ceilings that were measured before still hold on `device`, where empty kernels run at
/// `launch_clock_hz`: the same GPU, driver and nominal clock, and the same clock to within 2 %.
bool hold(const KnownCeilings& known, const DeviceInfo& device, double launch_clock_hz);

/// Whether they may hold on `device` for all that is known without launching a kernel there: the same GPU and
/// driver. For whoever must not disturb the programs that use it, and so cannot learn the clock.
bool may_hold(const KnownCeilings& known, const DeviceInfo& device);

/// Whether `run` has a ceiling with the id, source and device of this one.
bool is_known(const Run& run, const Ceiling& ceiling);

/// Adds `ceiling` to `run`, unless it is known there.
void add_if_unknown(Run& run, Ceiling ceiling);

/// Whether counting would add nothing: the ceiling was counted, or is of a kind that is never counted.
bool is_confirmed(const Ceiling& ceiling);

}  // namespace rooflinectl
