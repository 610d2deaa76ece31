// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "reports/charts/layouts/layouts.h"
#include "reports/draw/scene.h"
#include "reports/text/markup.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::chart_svg_test {
namespace {

using testing::HasSubstr;
using testing::Not;

Scene scene_of(const Run& run) {
  return chart_scene(chart_model(run, analyse(run).experiments.front()));
}

/// Whether every tag is closed in order and no `<` stands outside a tag.
bool is_balanced(std::string_view xml) {
  std::vector<std::string> open;
  while (true) {
    const std::size_t begin = xml.find('<');
    if (begin == std::string_view::npos) return open.empty();
    const std::size_t end = xml.find('>', begin);
    if (end == std::string_view::npos) return false;
    const std::string_view tag = xml.substr(begin + 1, end - begin - 1);
    if (tag.find('<') != std::string_view::npos) return false;
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.emplace_back(tag.substr(0, tag.find(' ')));
    }
    xml.remove_prefix(end + 1);
  }
}

TEST(Svg, IsWellFormedAndTheSameEveryTime) {
  const std::string svg = to_svg(scene_of(constructed::run()));
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_TRUE(svg == to_svg(scene_of(constructed::run())));
}

TEST(Svg, NamesAreTextAndNeverMarkup) {
  auto run = constructed::run();
  run.catalogue.variants[3].label = "<script>alert(1)</script>";
  run.plan.experiments[0].title = "a < b & \"c\"";
  run.devices[0].name = "<b>device</b>";
  const std::string svg = to_svg(scene_of(run));
  EXPECT_TRUE(is_balanced(svg));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; &quot;c&quot;"));
}

TEST(Svg, TextKeepsItsMeasuredWidth) {
  Scene scene{200, 100, "t", "d", {}};
  scene.groups.push_back({.name = "labels", .shapes = {Text{"V3", {10, 20}, {14}}}});
  EXPECT_THAT(to_svg(scene), HasSubstr("lengthAdjust=\"spacingAndGlyphs\">V3</text>"));
  const std::string width = std::to_string(text_width("V3", {14})).substr(0, 4);
  EXPECT_THAT(to_svg(scene), HasSubstr("textLength=\"" + width));
}

TEST(Svg, MarksAndRowsCarryTheirPoint) {
  Scene scene{200, 100, "t", "d", {}};
  scene.groups.push_back({.name = "point", .point = 7, .title = "V7"});
  EXPECT_THAT(to_svg(scene), HasSubstr("<g class=\"point\" data-point=\"7\"><title>V7</title>"));
}

TEST(EscapeMarkup, ReplacesWhatXmlForbids) {
  EXPECT_EQ(escape_markup("a\x01"
                          "b\xff"),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
  EXPECT_EQ(escape_markup("µ – 2×"), "µ – 2×");
  EXPECT_EQ(escape_markup("\xc0\xbc"), "\xef\xbf\xbd\xef\xbf\xbd") << "an overlong < is not a <";
}

TEST(Png, HasTheSizeOfTheScene) {
  const std::string png = to_png(Scene{320, 200, "t", "d", {}});
  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x01\x40\0\0\0\xc8", 8));
}

}  // namespace
}  // namespace rooflinectl::chart_svg_test
