// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "reports/page.h"

namespace rooflinectl {

/// What a reader without JavaScript sees: `pictures` (SVG, one per experiment), tables, steps, ceilings and
/// environment as HTML.
std::string page_without_script(const Run& run, const Analysis& analysis,
                                const std::vector<PagePictures>& pictures,
                                const std::string& primitives_picture);

}  // namespace rooflinectl
