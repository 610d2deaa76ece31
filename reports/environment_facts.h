// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/run.h"
#include "reports/point_table.h"

namespace rooflinectl {

/// What a sceptic asks of a run: device and its settings, software, host, command, plan.
std::vector<Fact> environment_facts(const Run& run);

}  // namespace rooflinectl
