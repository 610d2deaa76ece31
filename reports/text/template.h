// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rooflinectl {

/// What stands in the places of a page's template.
using Filling = std::map<std::string, std::string, std::less<>>;

/// Replaces each `<!--rooflinectl:name-->` of `page`; what is put in is not looked at again. Each name must
/// be in `parts`.
std::string filled(std::string_view page, const Filling& parts);

}  // namespace rooflinectl
