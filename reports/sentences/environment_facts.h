// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/model/run.h"
#include "reports/sentences/point_facts.h"

namespace rooflinectl {

/// What a sceptic would ask about a run: device and its settings, software, host, command, plan.
std::vector<Fact> environment_facts(const Run& run);

}  // namespace rooflinectl
