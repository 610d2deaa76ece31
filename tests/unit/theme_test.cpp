// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/theme.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "reports/charts/model/chart_model.h"

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

using Three = std::array<double, 3>;
using Matrix = std::array<Three, 3>;

Three times(const Matrix& matrix, const Three& vector) {
  Three result{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) result.at(i) += matrix.at(i).at(j) * vector.at(j);
  }
  return result;
}

/// Of linear RGB: as everybody sees it, and as readers without long or middle wavelength cones do. Source:
/// Machado, Oliveira and Fernandes, A physiologically-based model for simulation of color vision deficiency,
/// IEEE TVCG 15, 1291 (2009), severity 1.
constexpr std::array kEyes = {
    Matrix{Three{1, 0, 0}, Three{0, 1, 0}, Three{0, 0, 1}},
    Matrix{Three{0.152286, 1.052583, -0.204868}, Three{0.114503, 0.786281, 0.099216},
           Three{-0.003882, -0.048116, 1.051998}},
    Matrix{Three{0.367322, 0.860646, -0.227968}, Three{0.280085, 0.672501, 0.047413},
           Three{-0.011820, 0.042940, 0.968881}}};

/// CIE 1976 L*a*b* of a colour, white D65.
Three lab(Colour colour, const Matrix& eye) {
  Three linear = times(eye, {channel(colour, 16), channel(colour, 8), channel(colour, 0)});
  for (double& value : linear) value = std::clamp(value, 0.0, 1.0);
  Three xyz = times(
      Matrix{Three{0.4124, 0.3576, 0.1805}, Three{0.2126, 0.7152, 0.0722}, Three{0.0193, 0.1192, 0.9505}},
      linear);
  constexpr Three kWhite = {0.9505, 1, 1.089};
  for (std::size_t i = 0; i < 3; ++i) {
    const double ratio = xyz.at(i) / kWhite.at(i);
    xyz.at(i) = ratio > 0.008856 ? std::cbrt(ratio) : 7.787 * ratio + 16.0 / 116;
  }
  const auto [x, y, z] = xyz;
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(Colour a, Colour b, const Matrix& eye) {
  const auto [l1, a1, b1] = lab(a, eye);
  const auto [l2, a2, b2] = lab(b, eye);
  return std::hypot(l1 - l2, a1 - a2, b1 - b2);
}

TEST(Theme, LatencyTailAndLaunchOverheadAreApartForEveryReader) {
  constexpr std::array kBounds = {Bound::latency, Bound::tail, Bound::launch_overhead, Bound::dram,
                                  Bound::tensor};
  for (const Theme theme : kThemes) {
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Colour a = in_theme(family_colour(look_of(kBounds.at(i))), theme);
        const Colour b = in_theme(family_colour(look_of(kBounds.at(j))), theme);
        for (const Matrix& eye : kEyes) {
          EXPECT_GT(difference(a, b, eye), theme == Theme::print ? 8 : 18)
              << to_string(theme) << ' ' << to_string(kBounds.at(i)) << ' ' << to_string(kBounds.at(j));
        }
      }
    }
  }
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
