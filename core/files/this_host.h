// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rooflinectl {

/// Name of the machine; `unknown` if it has none.
std::string host_name();

/// What Linux calls this start of the system, in every container alike; empty if it cannot be read.
std::string boot_id();

}  // namespace rooflinectl
