// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/machine/link.h"

namespace rooflinectl {

/// Measures how fast bytes go from each of these devices, named by their UUIDs, to each other one: by a copy
/// engine, by loads and by stores, one way and both ways at once. A pair that cannot do one of them has the
/// reason in its place. With `counters`, the transfers run once more while those of NVLink count.
///
/// Throws Error(environment) if there is no driver, no GPU, or too little memory; Error(usage) if there is no
/// such device.
std::vector<LinkBandwidth> measure_links(const std::vector<std::string>& uuids, bool counters);

}  // namespace rooflinectl
