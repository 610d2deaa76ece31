// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// The time of a point from those of its launches, in seconds and in the order of their starts; there is at
/// least one. Of more than `kept`, the result has that many: in the order of their lengths, evenly spread
/// from the shortest to the longest.
TimeResult time_of_launches(const std::vector<double>& times, std::size_t kept);

}  // namespace rooflinectl
