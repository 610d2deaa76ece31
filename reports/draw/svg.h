// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// A complete SVG document. Text stays text; the same scene gives the same bytes.
std::string to_svg(const Scene& scene);

/// `text` for use in XML and HTML, between tags and in quoted attributes. Characters that XML does not allow
/// become U+FFFD.
std::string escape_markup(std::string_view text);

}  // namespace rooflinectl
