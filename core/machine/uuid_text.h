// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace rooflinectl {

/// `GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`, as nvidia-smi prints the UUID of a device.
std::string uuid_text(std::span<const char, 16> bytes);

}  // namespace rooflinectl
