// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/machine/environment.h"

namespace rooflinectl {

/// This machine, and the environment variables of this process that `is_recorded`. What cannot be read is
/// empty.
Environment host_environment();

/// Whether the environment variable `name` can change what is measured and therefore belongs in `run.json`.
bool is_recorded(std::string_view name);

}  // namespace rooflinectl
