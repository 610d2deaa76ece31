// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// The bytes of a PNG file, one pixel per unit of the scene. Throws Error(environment) if cairo or libpng
/// fails.
std::string to_png(const Scene& scene);

}  // namespace rooflinectl
