// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace rooflinectl {

/// Name of the machine; `unknown` if it has none.
std::string host_name();

/// Linux's id for this boot of the system, the same in every container; empty if it cannot be read.
std::string boot_id();

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, as nvidia-smi prints the UUID of a device.
std::string uuid_text(std::span<const char, 16> bytes);

}  // namespace rooflinectl
