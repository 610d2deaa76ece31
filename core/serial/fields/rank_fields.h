// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/json/rules.h"
#include "core/machine/ranks.h"
#include "core/serial/fields/plan_fields.h"

namespace rooflinectl::serial {

void fields(auto& f, Is<ProgramHost> auto& host) {
  f("name", host.name);
  f.optional("boot_id", host.boot_id);
  f("clock_ns", host.clock_ns);
  f.optional("uncertainty_s", host.uncertainty_s);
}

void fields(auto& f, Is<ProgramProcess> auto& process) {
  f("id", process.id);
  f.optional("rank", process.rank);
  f.optional("ranks", process.ranks, AtLeast{1});
  f("host", process.host);
  f("devices", process.devices);
  f.optional_rows("collectives", process.collectives, &CollectiveLaunch::kernel, &CollectiveLaunch::start_ns,
                  &CollectiveLaunch::duration_ns);
  f.optional_rows("holds", process.holds, &Hold::start_ns, &Hold::duration_ns);
}

void fields(auto& f, Is<CollectiveKernel> auto& kernel) {
  f("subject", kernel.subject);
  f.optional("path", kernel.path);
  f.optional("bytes", kernel.bytes);
}

void fields(auto& f, Is<RankGroup> auto& group) {
  f("experiment", group.point.experiment);
  fields(f, group.point);
  f.rows("ranks", group.ranks, &RankLaunches::process, &RankLaunches::count, &RankLaunches::traced,
         &RankLaunches::total_s, &RankLaunches::median_s, &RankLaunches::ci_low_s, &RankLaunches::ci_high_s,
         &RankLaunches::overlapped_s);
}

}  // namespace rooflinectl::serial
