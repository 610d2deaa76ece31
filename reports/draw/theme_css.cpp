// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme_css.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "reports/draw/theme.h"

namespace rooflinectl {
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
