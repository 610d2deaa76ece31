// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// A complete SVG document. Text stays text; the same scene gives the same bytes.
std::string to_svg(const Scene& scene);

}  // namespace rooflinectl
