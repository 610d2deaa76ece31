// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme.h"

#include <fmt/format.h>

namespace rooflinectl {
namespace {

/// A colour of pages, as a custom property.
struct PageColour {
  std::string_view name;
  Colour light;
  Colour dark;
  std::optional<Colour> print = std::nullopt;  ///< of those that pictures have, too
};

constexpr PageColour kPageColours[] = {
    {"paper", palette::kPaper, {0x14181d}, Colour{0xffffff}},
    {"ink", palette::kInk, {0xe8ecf1}, Colour{0x000000}},
    {"muted", palette::kMuted, {0x9aa5b1}, Colour{0x303030}},
    {"grid", palette::kGrid, {0x2c333b}, Colour{0xdcdcdc}},
    {"grid-minor", palette::kGridMinor, {0x1f252b}, Colour{0xefefef}},
    {"roof", palette::kMemoryRoof, {0xcdd4dc}, Colour{0x000000}},
    {"faint", palette::kLeader, {0x5d6873}, Colour{0x8c8c8c}},
    {"attainable", palette::kAttainable, {0x1a2027}, Colour{0xffffff}},
    {"track", palette::kTrack, {0x2a313a}, Colour{0xe6e6e6}},
    // What only pages have: borders, panels, links, the row under the pointer, verdicts.
    {"line", {0xd0d7de}, {0x343b44}},
    {"soft", {0xf6f8fa}, {0x1b2027}},
    {"accent", {0x0969a8}, {0x6cb6ee}},
    {"highlight", {0xfff3c4}, {0x4a3d10}},
    {"good", {0x1a6b43}, {0x5fc794}},
    {"bad", {0xa13a00}, {0xf0935a}},
    // What bounds a kernel is unknown: apart from all other bounds, for colour-blind readers, too.
    {"unknown", palette::kMuted, {0x66717c}},
    // Lighter where the colour would be hard to see on dark paper.
    {"family-0", palette::kFamilies[0], {0x3d9be0}, Colour{0x000000}},
    {"family-1", palette::kFamilies[1], {0xf0772a}, Colour{0x606060}},
    {"family-2", palette::kFamilies[2], {0x2dbd92}, Colour{0x303030}},
    {"family-3", palette::kFamilies[3], {0xe093bf}, Colour{0x808080}},
    {"family-4", palette::kFamilies[4], {0xe69f00}, Colour{0x484848}},
    {"family-5", palette::kFamilies[5], {0x56b4e9}, Colour{0x707070}},
    {"family-6", palette::kFamilies[6], {0xf0e442}, Colour{0xa8a8a8}},
    {"family-7", palette::kFamilies[7], {0xa55eff}, Colour{0x181818}},
};

class Recolouring {
 public:
  explicit Recolouring(Theme theme) : theme_(theme) {}

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

std::string declarations(Theme theme) {
  std::string css = fmt::format("color-scheme: {};", to_string(theme));
  for (const PageColour& colour : kPageColours) {
    const Colour shown = theme == Theme::dark ? colour.dark : colour.light;
    css += fmt::format(" --{}: #{:06x};", colour.name, shown.rgb);
  }
  return css;
}

// Pictures have their colours as attributes, which any style sheet rule overrides: on a dark page they follow
// the page.
std::string rules_of_pictures() {
  std::string css;
  for (const PageColour& colour : kPageColours) {
    if (!colour.print) continue;
    for (const std::string_view attribute : {"fill", "stroke"}) {
      css += fmt::format("figure [{0}=\"#{1:06x}\"] {{ {0}: var(--{2}); }}\n", attribute, colour.light.rgb,
                         colour.name);
    }
  }
  return css;
}

}  // namespace

Colour in_theme(Colour colour, Theme theme) {
  if (theme == Theme::light) return colour;
  for (const PageColour& known : kPageColours) {
    if (known.print && known.light == colour) return theme == Theme::dark ? known.dark : *known.print;
  }
  return colour;
}

Scene themed(Scene scene, Theme theme) {
  if (theme == Theme::light) return scene;
  const Recolouring recolouring(theme);
  recolouring.recolour(scene.paper);
  for (Group& group : scene.groups) {
    for (Shape& shape : group.shapes) std::visit(recolouring, shape);
  }
  return scene;
}

std::string theme_css() {
  const std::string light = declarations(Theme::light);
  const std::string dark = declarations(Theme::dark);
  return fmt::format(R"(:root, [data-theme="light"] {{ {0} }}
[data-theme="dark"] {{ {1} }}
@media screen and (prefers-color-scheme: dark) {{
  :root:not([data-theme="light"]) {{ {1} }}
}}
@media print {{
  :root, :root[data-theme="dark"] {{ {0} }}
}}
{2})",
                     light, dark, rules_of_pictures());
}

}  // namespace rooflinectl
