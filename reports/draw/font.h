// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "reports/draw/scene.h"

struct FT_FaceRec_;

/// The font that comes with the tool (Inter, in `font/`), so that text looks and measures the same on every
/// machine.
namespace rooflinectl {

struct Glyph {
  unsigned index = 0;  ///< in the face
  double advance = 0;  ///< over the font size
};

/// The glyphs of UTF-8 text. What is not UTF-8 becomes U+FFFD.
std::vector<Glyph> glyphs(std::string_view text, Weight weight);

/// FreeType's face; it lives as long as the program.
FT_FaceRec_* font_face(Weight weight);

}  // namespace rooflinectl
