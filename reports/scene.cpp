// SPDX-License-Identifier: Apache-2.0
#include "reports/scene.h"

#include <algorithm>

#include "reports/font.h"
#include "reports/utf8.h"

namespace rooflinectl {
namespace {

// Heights above and below the baseline over the font size: Inter's tallest letters and deepest descenders.
constexpr double kAscent = 0.76;
constexpr double kDescent = 0.21;

}  // namespace

// Liang and Barsky's clipping: the part of the segment inside all four sides is not empty.
bool Box::intersects(Pixel a, Pixel b) const {
  double enter = 0;
  double leave = 1;
  const auto clip = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double t = distance / direction;
    (direction < 0 ? enter : leave) = direction < 0 ? std::max(enter, t) : std::min(leave, t);
    return enter <= leave;
  };
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  return clip(-dx, a.x - left) && clip(dx, right - a.x) && clip(-dy, a.y - top) && clip(dy, bottom - a.y);
}

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (const Glyph& glyph : glyphs(text, style.weight)) width += glyph.advance;
  return width * style.size;
}

Box bounds(const Text& text) {
  const double width = text_width(text.content, text.style);
  const double before = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? width / 2 : width;
  const double up = kAscent * text.style.size;
  const double down = kDescent * text.style.size;
  const auto [x, y] = text.at;
  if (text.direction == Direction::upwards) return {x - up, y - width + before, x + down, y + before};
  return {x - before, y - up, x - before + width, y + down};
}

std::string fitted(std::string_view text, const TextStyle& style, double width) {
  if (text_width(text, style) <= width) return std::string(text);
  constexpr std::string_view kEllipsis = "…";
  const std::u32string characters = decode_utf8(text);
  const std::vector<Glyph> letters = glyphs(text, style.weight);  // one for each character
  double room = width - text_width(kEllipsis, style);
  std::size_t kept = 0;
  while (kept < letters.size() && letters[kept].advance * style.size <= room) {
    room -= letters[kept].advance * style.size;
    ++kept;
  }
  return encode_utf8(std::u32string_view(characters).substr(0, kept)) + std::string(kEllipsis);
}

Polygon rectangle(const Box& box, std::optional<Colour> fill, std::optional<Stroke> stroke) {
  return {{{box.left, box.top}, {box.right, box.top}, {box.right, box.bottom}, {box.left, box.bottom}},
          fill,
          stroke};
}

}  // namespace rooflinectl
