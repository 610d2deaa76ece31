// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "reports/draw/scene.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
namespace {

// A hundredth of a pixel is enough; trailing zeros are dropped.
std::string pixels(double value) {
  const double rounded = std::round(value * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0.0 : rounded);
}

std::string hex(Colour colour) {
  return fmt::format("#{:06x}", colour.rgb);
}

std::string point_list(const std::vector<Pixel>& points) {
  return format::joined(
      points, " ", [](const Pixel& point) { return fmt::format("{},{}", pixels(point.x), pixels(point.y)); });
}

std::string stroke_attributes(const Stroke& stroke) {
  std::string text =
      fmt::format(R"( stroke="{}" stroke-width="{}")", hex(stroke.colour), pixels(stroke.width));
  if (stroke.dash == Dash::dashed) text += R"( stroke-dasharray="7 4")";
  if (stroke.dash == Dash::dotted) text += R"( stroke-dasharray="2 3")";
  return text;
}

std::string area_attributes(const std::optional<Colour>& fill, const std::optional<Stroke>& stroke) {
  return fmt::format(R"( fill="{}"{})", fill ? hex(*fill) : "none", stroke ? stroke_attributes(*stroke) : "");
}

class Writer {
 public:
  std::string take() { return std::move(svg_); }

  void open(const Scene& scene) {
    svg_ += fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
        R"(role="img" font-family="Inter, 'Helvetica Neue', Arial, sans-serif">)"
        "\n",
        pixels(scene.width), pixels(scene.height));
    svg_ += fmt::format("<title>{}</title>\n<desc>{}</desc>\n", escape_markup(scene.title),
                        escape_markup(scene.description));
    svg_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", pixels(scene.width),
                        pixels(scene.height), hex(scene.paper));
  }

  void close() { svg_ += "</svg>\n"; }

  // A clip is a nested viewport: unlike a clipPath it needs no id, which would have to be unique in a page of
  // charts.
  void write(const Group& group) {
    svg_ += fmt::format(R"(<g class="{}")", escape_markup(group.name));
    if (group.point) svg_ += fmt::format(R"( data-point="{}")", *group.point);
    svg_ += '>';
    if (!group.title.empty()) svg_ += fmt::format("<title>{}</title>", escape_markup(group.title));
    const bool has_viewport = is_cut(group);
    if (has_viewport) {
      const Box& box = *group.clip;
      svg_ += fmt::format(R"(<svg x="{0}" y="{1}" width="{2}" height="{3}" viewBox="{0} {1} {2} {3}">)",
                          pixels(box.left), pixels(box.top), pixels(box.width()), pixels(box.height()));
    }
    svg_ += '\n';
    for (const Shape& shape : group.shapes) std::visit(*this, shape);
    svg_ += has_viewport ? "</svg></g>\n" : "</g>\n";
  }

  void operator()(const Polyline& line) {
    svg_ += fmt::format("<polyline points=\"{}\" fill=\"none\"{}/>\n", point_list(line.points),
                        stroke_attributes(line.stroke));
  }

  void operator()(const Polygon& polygon) {
    svg_ += fmt::format("<polygon points=\"{}\"{}/>\n", point_list(polygon.points),
                        area_attributes(polygon.fill, polygon.stroke));
  }

  void operator()(const Circle& circle) {
    svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", pixels(circle.centre.x),
                        pixels(circle.centre.y), pixels(circle.radius),
                        area_attributes(circle.fill, circle.stroke));
  }

  // textLength holds the width that the layout counted on, whatever font the viewer has.
  void operator()(const Text& text) {
    constexpr std::string_view kAnchors[] = {"start", "middle", "end"};
    const std::string x = pixels(text.at.x);
    const std::string y = pixels(text.at.y);
    svg_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" fill="{}")", x, y, pixels(text.style.size),
                        hex(text.style.colour));
    if (text.style.weight == Weight::semibold) svg_ += R"( font-weight="600")";
    if (text.anchor != Anchor::start) {
      svg_ += fmt::format(R"( text-anchor="{}")", kAnchors[static_cast<std::size_t>(text.anchor)]);
    }
    if (text.direction == Direction::upwards) svg_ += fmt::format(" transform=\"rotate(-90 {} {})\"", x, y);
    svg_ += fmt::format(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
                        pixels(text_width(text.content, text.style)), escape_markup(text.content));
  }

 private:
  std::string svg_;
};

}  // namespace

std::string to_svg(const Scene& scene) {
  Writer writer;
  writer.open(scene);
  for (const Group& group : scene.groups) writer.write(group);
  writer.close();
  return writer.take();
}

}  // namespace rooflinectl
