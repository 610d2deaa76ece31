// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/draw/scene.h"

namespace rooflinectl {

/// A complete SVG document. Text stays text; the same scene gives the same bytes.
std::string to_svg(const Scene& scene);

/// The bytes of a PNG file, one pixel per unit of the scene. Throws Error(environment) if cairo or libpng
/// fails.
std::string to_png(const Scene& scene);

/// The bytes of a one-page PDF file, two units of the scene per point (800 × 450 points). Text stays text, in
/// the font that comes with the tool. Throws Error(environment) if cairo fails.
std::string to_pdf(const Scene& scene);

}  // namespace rooflinectl
