// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

/// Numbers as a reader lists them: `0–3, 7, 9` for 0, 1, 2, 3, 7, 9; ascending, each once.
std::string number_ranges(std::vector<int> numbers);

}  // namespace rooflinectl
