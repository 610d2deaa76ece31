// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace rooflinectl {

/// What the script of the page shows of a run, as JSON (`docs/schema/page.schema.json`): points, roofs,
/// tables and texts. All that is derived or formatted is so here; the script draws, sorts and filters.
std::string page_data(const Run& run, const Analysis& analysis);

}  // namespace rooflinectl
