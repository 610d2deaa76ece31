// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme.h"

#include <algorithm>
#include <utility>

namespace rooflinectl {
namespace {

struct Counterpart {
  Colour light;
  Colour dark;
  Colour print;
};

constexpr std::array kCounterparts = {
    Counterpart{palette::kPaper, {0x14181d}, {0xffffff}},
    Counterpart{palette::kInk, {0xe8ecf1}, {0x000000}},
    Counterpart{palette::kMuted, {0x9aa5b1}, {0x303030}},
    Counterpart{palette::kGrid, {0x2c333b}, {0xdcdcdc}},
    Counterpart{palette::kGridMinor, {0x1f252b}, {0xefefef}},
    Counterpart{palette::kAttainable, {0x1a2027}, {0xffffff}},
    Counterpart{palette::kTrack, {0x2a313a}, {0xe6e6e6}},
    Counterpart{palette::kMemoryRoof, {0xcdd4dc}, {0x000000}},
    Counterpart{palette::kLeader, {0x5d6873}, {0x8c8c8c}},
    // Lighter where the colour would be hard to see on dark paper.
    Counterpart{palette::kFamilies[0], {0x3d9be0}, {0x000000}},
    Counterpart{palette::kFamilies[1], {0xf0772a}, {0x606060}},
    Counterpart{palette::kFamilies[2], {0x2dbd92}, {0x303030}},
    Counterpart{palette::kFamilies[3], {0xe093bf}, {0x808080}},
    Counterpart{palette::kFamilies[4], {0xe69f00}, {0x484848}},
    Counterpart{palette::kFamilies[5], {0x56b4e9}, {0x707070}},
    Counterpart{palette::kFamilies[6], {0xf0e442}, {0xa8a8a8}},
    Counterpart{palette::kFamilies[7], {0xa55eff}, {0x181818}},
};

class Painter {
 public:
  explicit Painter(Theme theme) : theme_(theme) {}

  void recolour(Colour& colour) const { colour = in_theme(colour, theme_); }

  void operator()(Polyline& line) const { recolour(line.stroke.colour); }
  void operator()(Polygon& polygon) const { recolour_area(polygon.fill, polygon.stroke); }
  void operator()(Circle& circle) const { recolour_area(circle.fill, circle.stroke); }
  void operator()(Text& text) const { recolour(text.style.colour); }

 private:
  void recolour_area(std::optional<Colour>& fill, std::optional<Stroke>& stroke) const {
    if (fill) recolour(*fill);
    if (stroke) recolour(stroke->colour);
  }

  Theme theme_;
};

}  // namespace

std::string_view to_string(Theme theme) {
  switch (theme) {
    case Theme::light:
      return "light";
    case Theme::dark:
      return "dark";
    case Theme::print:
      return "print";
  }
  return "?";
}

Colour in_theme(Colour colour, Theme theme) {
  if (theme == Theme::light) return colour;
  const auto found = std::find_if(kCounterparts.begin(), kCounterparts.end(),
                                  [&](const Counterpart& known) { return known.light == colour; });
  if (found == kCounterparts.end()) return colour;
  return theme == Theme::dark ? found->dark : found->print;
}

Scene themed(Scene scene, Theme theme) {
  if (theme == Theme::light) return scene;
  const Painter painter(theme);
  painter.recolour(scene.paper);
  for (Group& group : scene.groups) {
    for (Shape& shape : group.shapes) std::visit(painter, shape);
  }
  return scene;
}

}  // namespace rooflinectl
