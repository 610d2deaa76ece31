// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/enum_names.h"

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

}  // namespace

std::string_view to_string(Theme theme) {
  return enumerator_name(theme);
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
  const Recolouring recolouring(theme);
  recolouring.recolour(scene.paper);
  for (Group& group : scene.groups) {
    for (Shape& shape : group.shapes) std::visit(recolouring, shape);
  }
  return scene;
}

namespace {

struct Property {
  std::string_view name;
  Colour light;
  Colour dark;
  bool of_pictures = false;
};

Property of_pictures(std::string_view name, Colour colour) {
  return {name, colour, in_theme(colour, Theme::dark), true};
}

const std::array kProperties = {
    of_pictures("paper", palette::kPaper),
    of_pictures("ink", palette::kInk),
    of_pictures("muted", palette::kMuted),
    of_pictures("grid", palette::kGrid),
    of_pictures("grid-minor", palette::kGridMinor),
    of_pictures("roof", palette::kMemoryRoof),
    of_pictures("faint", palette::kLeader),
    of_pictures("attainable", palette::kAttainable),
    of_pictures("track", palette::kTrack),
    // What only pages have: borders, panels, links, the row under the pointer, verdicts.
    Property{"line", {0xd0d7de}, {0x343b44}},
    Property{"soft", {0xf6f8fa}, {0x1b2027}},
    Property{"accent", {0x0969a8}, {0x6cb6ee}},
    Property{"highlight", {0xfff3c4}, {0x4a3d10}},
    Property{"good", {0x1a6b43}, {0x5fc794}},
    Property{"bad", {0xa13a00}, {0xf0935a}},
    // What bounds a kernel is unknown: apart from all other bounds, for colour-blind readers, too.
    Property{"unknown", palette::kMuted, {0x66717c}},
};

std::string declarations(Theme theme) {
  std::string css = fmt::format("color-scheme: {};", to_string(theme));
  for (const Property& property : kProperties) {
    const Colour colour = theme == Theme::dark ? property.dark : property.light;
    css += fmt::format(" --{}: #{:06x};", property.name, colour.rgb);
  }
  for (std::size_t i = 0; i < palette::kFamilies.size(); ++i) {
    css += fmt::format(" --family-{}: #{:06x};", i, in_theme(palette::kFamilies.at(i), theme).rgb);
  }
  return css;
}

// Pictures have their colours as attributes, which any style sheet rule overrides: on a dark page they follow
// the page.
std::string rules_of_pictures() {
  std::string css;
  const auto add = [&](Colour colour, const std::string& name) {
    for (const std::string_view attribute : {"fill", "stroke"}) {
      css += fmt::format("figure [{0}=\"#{1:06x}\"] {{ {0}: var(--{2}); }}\n", attribute, colour.rgb, name);
    }
  };
  for (const Property& property : kProperties) {
    if (property.of_pictures) add(property.light, std::string(property.name));
  }
  for (std::size_t i = 0; i < palette::kFamilies.size(); ++i) {
    add(palette::kFamilies.at(i), fmt::format("family-{}", i));
  }
  return css;
}

}  // namespace

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
