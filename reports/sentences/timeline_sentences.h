// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/timeline/timeline_view.h"

namespace rooflinectl {

/// What a reader must know about the samples of a device: how long, how often, what is missing; and whether
/// they agree with what was counted.
std::vector<std::string> timeline_sentences(const DeviceView& view);

/// Where its phases begin and end, or why there are none.
std::string phase_sentence(const DeviceView& view);

}  // namespace rooflinectl
