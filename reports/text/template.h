// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rooflinectl {

/// What fills the places in a page's template.
using Filling = std::map<std::string, std::string, std::less<>>;

/// Replaces each `<!--rooflinectl:name-->` of `page`; what is inserted is not searched again. Each name must
/// be in `parts`.
std::string filled(std::string_view page, const Filling& parts);

}  // namespace rooflinectl
