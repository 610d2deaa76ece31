// SPDX-License-Identifier: Apache-2.0
#include "core/model/known_ceilings.h"

#include <cmath>
#include <utility>

namespace rooflinectl {

KnownCeilings known_ceilings(const Run& run) {
  KnownCeilings known;
  known.uuid = run.device().uuid;
  known.driver_version = run.device().driver_version;
  known.sm_clock_hz = run.device().sm_clock_hz;
  known.launch_clock_hz = launch_clock_hz(run);
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.source != CeilingSource::measured || ceiling.device != Run::kFirstDevice) continue;
    known.ids.push_back(ceiling.id);
    if (!is_confirmed(ceiling)) known.unconfirmed_ids.push_back(ceiling.id);
  }
  return known;
}

double launch_clock_hz(const Run& run) {
  const Ceiling* launch = find_ceiling(run, ceiling_id::kLaunch, CeilingSource::measured, Run::kFirstDevice);
  return launch == nullptr ? 0 : launch->sm_clock_hz.value_or(0);
}

bool hold(const KnownCeilings& known, const DeviceInfo& device, double launch_clock_hz) {
  constexpr double kSameClock = 0.02;
  return may_hold(known, device) && known.sm_clock_hz == device.sm_clock_hz &&
         std::abs(known.launch_clock_hz - launch_clock_hz) <= kSameClock * known.launch_clock_hz;
}

bool may_hold(const KnownCeilings& known, const DeviceInfo& device) {
  return known.uuid == device.uuid && known.driver_version == device.driver_version;
}

bool is_known(const Run& run, const Ceiling& ceiling) {
  return find_ceiling(run, ceiling.id, ceiling.source, ceiling.device) != nullptr;
}

void add_if_unknown(Run& run, Ceiling ceiling) {
  if (!is_known(run, ceiling)) run.ceilings.push_back(std::move(ceiling));
}

bool is_confirmed(const Ceiling& ceiling) {
  return ceiling.confirmation || ceiling.source == CeilingSource::theoretical || !is_roof(ceiling.kind);
}

}  // namespace rooflinectl
