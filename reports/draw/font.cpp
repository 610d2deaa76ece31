// SPDX-License-Identifier: Apache-2.0
#include <ft2build.h>

#include "reports/draw/scene.h"
#include FT_FREETYPE_H

#include <unordered_map>

#include "core/error.h"
#include "core/text/printable.h"
#include "reports/draw/theme.h"

namespace rooflinectl {
namespace {

class Faces {
 public:
  Faces() {
    check(FT_Init_FreeType(&library_));
    regular_ = open(embedded::inter_regular());
    semibold_ = open(embedded::inter_semibold());
  }

  FT_Face operator[](Weight weight) const { return weight == Weight::regular ? regular_ : semibold_; }

 private:
  static void check(FT_Error error) {
    if (error != 0) throw Error(ErrorKind::environment, "FreeType cannot read the font of the tool");
  }

  FT_Face open(std::string_view file) {
    FT_Face face = nullptr;
    check(FT_New_Memory_Face(library_, reinterpret_cast<const FT_Byte*>(file.data()),
                             static_cast<FT_Long>(file.size()), 0, &face));
    return face;
  }

  FT_Library library_ = nullptr;
  FT_Face regular_ = nullptr;
  FT_Face semibold_ = nullptr;
};

Glyph load(char32_t character, Weight weight) {
  const FT_Face face = font_face(weight);
  const FT_UInt index = FT_Get_Char_Index(face, character);
  FT_Load_Glyph(face, index, FT_LOAD_NO_SCALE);
  return {index, static_cast<double>(face->glyph->metrics.horiAdvance) / face->units_per_EM};
}

// Loaded once: thousands of labels are measured again and again while they look for a place.
const Glyph& glyph(char32_t character, Weight weight) {
  static std::unordered_map<char32_t, Glyph> regular;
  static std::unordered_map<char32_t, Glyph> semibold;
  auto& known = weight == Weight::regular ? regular : semibold;
  const auto [entry, is_new] = known.try_emplace(character);
  if (is_new) entry->second = load(character, weight);
  return entry->second;
}

}  // namespace

FT_FaceRec_* font_face(Weight weight) {
  static const Faces& faces =
      *new Faces;  // never destroyed: cairo keeps references to the faces until the very end
  return faces[weight];
}

std::vector<Glyph> glyphs(std::string_view text, Weight weight) {
  std::vector<Glyph> result;
  for (const char32_t character : decode_utf8(text)) result.push_back(glyph(character, weight));
  return result;
}

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (const char32_t character : decode_utf8(text)) width += glyph(character, style.weight).advance;
  return width * style.size;
}

}  // namespace rooflinectl
