// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "reports/draw/theme_css.h"

namespace rooflinectl::theme_test {
namespace {

double channel(Colour colour, int shift) {
  const double value = (colour.rgb >> shift & 0xffU) / 255.0;
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// Relative luminance and contrast ratio, WCAG 2.1.
double luminance(Colour colour) {
  return 0.2126 * channel(colour, 16) + 0.7152 * channel(colour, 8) + 0.0722 * channel(colour, 0);
}

double contrast(Colour a, Colour b) {
  const auto [darker, lighter] = std::minmax({luminance(a), luminance(b)});
  return (lighter + 0.05) / (darker + 0.05);
}

TEST(Theme, LeavesAPictureAsItIsInLight) {
  for (const Colour colour : palette::kFamilies) EXPECT_EQ(in_theme(colour, Theme::light), colour);
}

TEST(Theme, RecoloursEveryKindOfShape) {
  const Colour ink = palette::kInk;
  const Stroke stroke = {ink, 1};
  Scene scene;
  scene.groups.push_back({.shapes = {Polyline{{}, stroke}, Polygon{{}, ink, stroke},
                                     Circle{{}, 1, ink, stroke}, Text{"text", {}, {.colour = ink}}}});
  const Scene dark = themed(scene, Theme::dark);
  const std::vector<Shape>& shapes = dark.groups[0].shapes;
  const Colour expected = in_theme(ink, Theme::dark);
  ASSERT_NE(expected, ink);
  EXPECT_EQ(std::get<Polyline>(shapes[0]).stroke.colour, expected);
  EXPECT_EQ(*std::get<Polygon>(shapes[1]).fill, expected);
  EXPECT_EQ(std::get<Polygon>(shapes[1]).stroke->colour, expected);
  EXPECT_EQ(*std::get<Circle>(shapes[2]).fill, expected);
  EXPECT_EQ(std::get<Circle>(shapes[2]).stroke->colour, expected);
  EXPECT_EQ(std::get<Text>(shapes[3]).style.colour, expected);
}

TEST(Theme, TextsAndMarksStandOutFromThePaper) {
  for (const Theme theme : kThemes) {
    const Colour paper = in_theme(palette::kPaper, theme);
    EXPECT_GT(contrast(in_theme(palette::kInk, theme), paper), 7) << to_string(theme);
    EXPECT_GT(contrast(in_theme(palette::kMuted, theme), paper), 4.5) << to_string(theme);
    for (const Colour family : palette::kFamilies) {
      EXPECT_GT(contrast(in_theme(family, theme), paper), 2) << to_string(theme) << ' ' << family.rgb;
    }
  }
}

TEST(Theme, FamiliesDifferFromEachOther) {
  for (const Theme theme : kThemes) {
    std::set<std::uint32_t> colours;
    for (const Colour family : palette::kFamilies) colours.insert(in_theme(family, theme).rgb);
    EXPECT_EQ(colours.size(), palette::kFamilies.size()) << to_string(theme);
  }
}

TEST(Theme, PrintUsesGreysOnly) {
  using namespace palette;
  std::vector<Colour> colours = {kPaper,      kInk,   kMuted,      kGrid,  kGridMinor,
                                 kAttainable, kTrack, kMemoryRoof, kLeader};
  colours.insert(colours.end(), kFamilies.begin(), kFamilies.end());
  for (const Colour colour : colours) {
    const std::uint32_t rgb = in_theme(colour, Theme::print).rgb;
    EXPECT_TRUE((rgb & 0xffU) == (rgb >> 8 & 0xffU) && (rgb & 0xffU) == rgb >> 16) << std::hex << colour.rgb;
  }
}

TEST(ThemeCss, HasTheColoursOfThePictures) {
  const std::string css = theme_css();
  const auto count = [&](const std::string& text) {
    int found = 0;
    for (std::size_t at = css.find(text); at != std::string::npos; at = css.find(text, at + 1)) ++found;
    return found;
  };
  // Light: chosen, and in print. Dark: chosen, and by the setting of the system.
  EXPECT_EQ(count("--paper: #ffffff;"), 2);
  EXPECT_EQ(count("--paper: #14181d;"), 2);
  for (std::size_t i = 0; i < palette::kFamilies.size(); ++i) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Colour colour = in_theme(palette::kFamilies.at(i), theme);
      EXPECT_GE(count(fmt::format("--family-{}: #{:06x};", i, colour.rgb)), 2) << to_string(theme);
    }
  }
}

}  // namespace
}  // namespace rooflinectl::theme_test
