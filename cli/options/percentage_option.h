// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/commands.h"

namespace rooflinectl {

/// Adds an option that takes percent, `5`, `5%` or `0.5 %`, and sets `ratio`, 0.05, whose value is the
/// default. Nothing below 0 or above 1000 % is taken.
void add_percentage_option(CLI::App& command, const std::string& name, double& ratio,
                           const std::string& description);

}  // namespace rooflinectl
