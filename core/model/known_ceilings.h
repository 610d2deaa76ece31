// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/model/ceiling_kind.h"
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

/// The place of a `Ceiling::subject` among all subjects: the memory levels from DRAM to the SMs, then the
/// precisions from the widest to the narrowest; unknown subjects come last.
std::size_t subject_rank(std::string_view subject);

/// The place of a ceiling among all: by kind, Tensor Cores after the other pipes, then by subject. The
/// operations of one subject share a place.
std::tuple<CeilingKind, bool, std::size_t> ceiling_rank(const Ceiling& ceiling);

/// The precisions that compute ceilings can have, in that order.
std::vector<std::string_view> ceiling_precisions();

/// The name of a subject as people write it: `DRAM`, `FP32`. An unknown subject is its own name.
std::string_view subject_name(std::string_view subject);

}  // namespace rooflinectl
