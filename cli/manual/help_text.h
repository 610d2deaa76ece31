// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace rooflinectl {

/// What `--help` and `rooflinectl help` print about `command`: rooflinectl itself or one of its commands. No
/// line is longer than 80 characters.
std::string help_text(const CLI::App& command);

}  // namespace rooflinectl
