// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_manual.h"

namespace rooflinectl {

/// The page of one command for man(1), as man(7) describes its macros. `all`: rooflinectl itself and every
/// command, which the first one's page lists.
std::string man_page(const CommandManual& command, const std::vector<CommandManual>& all);

/// `rooflinectl-report`, or `rooflinectl`.
std::string man_page_name(const CommandManual& command);

}  // namespace rooflinectl
