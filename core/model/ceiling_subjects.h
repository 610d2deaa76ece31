// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rooflinectl {

/// The place of a `Ceiling::subject` among all subjects: the memory levels from DRAM to the SMs, then the
/// precisions from the widest to the narrowest; unknown subjects come last.
std::size_t subject_rank(std::string_view subject);

/// The precisions that compute ceilings can have, in that order.
std::vector<std::string_view> ceiling_precisions();

/// The name of a subject as people write it: `DRAM`, `FP32`. An unknown subject is its own name.
std::string_view subject_name(std::string_view subject);

}  // namespace rooflinectl
