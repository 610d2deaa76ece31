// SPDX-License-Identifier: Apache-2.0
#include "reports/draw/scene.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl {
namespace {

// Heights above and below the baseline over the font size: Inter's tallest letters and deepest descenders.
constexpr double kAscent = 0.76;
constexpr double kDescent = 0.21;

// Mitred corners reach further out than half the stroke: up to ten halves, by cairo's default limit.
constexpr double kMitreReach = 5;

double reach_of(const std::optional<Stroke>& stroke) {
  return stroke ? kMitreReach * stroke->width : 0;
}

bool contains_all(const Box& box, const std::vector<Pixel>& points) {
  return std::ranges::all_of(points, [&](Pixel point) { return box.contains(point); });
}

struct IsInside {
  Box box;

  bool operator()(const Polyline& line) const {
    return contains_all(box.grown(-reach_of(line.stroke)), line.points);
  }
  bool operator()(const Polygon& polygon) const {
    return contains_all(box.grown(-reach_of(polygon.stroke)), polygon.points);
  }
  bool operator()(const Circle& circle) const {
    return box.grown(-circle.radius - reach_of(circle.stroke)).contains(circle.centre);
  }
  bool operator()(const Text& text) const { return box.contains(bounds(text)); }
};

// What a mark looks like and where it lies, to half a pixel.
class Look {
 public:
  explicit Look(const Group& group) : key_(group.name) {
    for (const Shape& shape : group.shapes) {
      add(static_cast<std::int32_t>(shape.index()));
      std::visit(*this, shape);
    }
  }

  std::string take() { return std::move(key_); }

  void operator()(const Polyline& line) {
    add(line.points);
    add(line.stroke);
  }
  void operator()(const Polygon& polygon) {
    add(polygon.points);
    add(polygon.fill);
    add(polygon.stroke);
  }
  void operator()(const Circle& circle) {
    add(std::vector{circle.centre});
    add(circle.radius);
    add(circle.fill);
    add(circle.stroke);
  }
  void operator()(const Text& text) {
    add(std::vector{text.at});
    key_ += text.content;
  }

 private:
  void add(std::int32_t number) { key_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(double pixels) { add(static_cast<std::int32_t>(std::lround(2 * pixels))); }
  void add(Colour colour) { add(static_cast<std::int32_t>(colour.rgb)); }
  void add(const Stroke& stroke) {
    add(stroke.colour);
    add(stroke.width);
    add(static_cast<std::int32_t>(stroke.dash));
  }
  void add(const std::vector<Pixel>& points) {
    for (const Pixel& point : points) {
      add(point.x);
      add(point.y);
    }
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    add(static_cast<std::int32_t>(value.has_value()));
    if (value) add(*value);
  }

  std::string key_;
};

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

Box bounds(const Text& text) {
  const double width = text_width(text.content, text.style);
  const double before = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? width / 2 : width;
  const double up = kAscent * text.style.size;
  const double down = kDescent * text.style.size;
  const auto [x, y] = text.at;
  if (text.direction == Direction::upwards) return {x - up, y - width + before, x + down, y + before};
  return {x - before, y - up, x - before + width, y + down};
}

void Group::add_fitted(std::string_view content, Pixel at, const TextStyle& style, double width,
                       Anchor anchor) {
  add_text(fitted(content, style, width), at, style, anchor);
}

void Scene::add(std::vector<Group> more) {
  std::ranges::move(more, std::back_inserter(groups));
}

void remove_covered_marks(Scene& scene) {
  std::unordered_set<std::string> looks;
  const auto is_seen = [&](const Group& group) {
    return !group.name.starts_with("point") || looks.insert(Look(group).take()).second;
  };
  std::vector<Group> seen;  // the last first
  for (auto group = scene.groups.rbegin(); group != scene.groups.rend(); ++group) {
    if (is_seen(*group)) seen.push_back(std::move(*group));
  }
  scene.groups.assign(std::make_move_iterator(seen.rbegin()), std::make_move_iterator(seen.rend()));
}

bool is_cut(const Group& group) {
  return group.clip && !std::ranges::all_of(group.shapes, [&](const Shape& shape) {
           return std::visit(IsInside{*group.clip}, shape);
         });
}

std::string fitted(std::string_view plain, const TextStyle& style, double width) {
  const std::string text = typeset(plain);
  if (text_width(text, style) <= width) return text;
  constexpr std::string_view kEllipsis = "…";
  const std::u32string characters = decode_utf8(text);
  const std::vector<Glyph> letters = glyphs(text, style.weight);  // one for each character
  double room = width - text_width(kEllipsis, style);
  std::size_t kept = 0;
  // Where something is left out already, more is: one gap is enough.
  const std::size_t gap = characters.find(U'…');
  std::size_t end = gap == std::u32string::npos ? letters.size() : gap + 1;
  if (gap != std::u32string::npos) {
    const auto advance = [&](std::size_t i) { return letters[i].advance * style.size; };
    double needed = 0;
    for (std::size_t i = 0; i < letters.size(); ++i) needed += i == gap ? 0 : advance(i);
    kept = gap;
    while (needed > room && (kept > 0 || end < letters.size())) {
      needed -= kept >= letters.size() - end ? advance(--kept) : advance(end++);
    }
  } else {
    while (kept < letters.size() && letters[kept].advance * style.size <= room) {
      room -= letters[kept].advance * style.size;
      ++kept;
    }
  }
  const std::u32string_view all = characters;
  return encode_utf8(all.substr(0, kept)) + std::string(kEllipsis) + encode_utf8(all.substr(end));
}

Polygon rectangle(const Box& box, std::optional<Colour> fill, std::optional<Stroke> stroke) {
  return {{{box.left, box.top}, {box.right, box.top}, {box.right, box.bottom}, {box.left, box.bottom}},
          fill,
          stroke};
}

}  // namespace rooflinectl
