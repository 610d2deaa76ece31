// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace rooflinectl {

/// The variants and ceilings that the source tree had when this was built, from the names of their files.
extern const std::vector<std::string_view> kVariantIds;
extern const std::vector<std::string_view> kCeilingIds;

}  // namespace rooflinectl
