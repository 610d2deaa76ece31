// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct FT_FaceRec_;

/// A picture as a list of things to draw, in pixels, the origin at the top left. Everything that has to be
/// decided is decided when a scene is made; the encoders only draw it, so that all formats show the
/// same.
namespace rooflinectl {

struct Pixel {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  Pixel centre() const { return {(left + right) / 2, (top + bottom) / 2}; }
  bool contains(Pixel p) const { return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom; }
  bool contains(const Box& b) const {
    return b.left >= left && b.right <= right && b.top >= top && b.bottom <= bottom;
  }
  bool intersects(const Box& b) const {
    return b.left < right && left < b.right && b.top < bottom && top < b.bottom;
  }
  /// Whether any part of the segment from `a` to `b` lies inside.
  bool intersects(Pixel a, Pixel b) const;
  Box grown(double margin) const { return {left - margin, top - margin, right + margin, bottom + margin}; }
};

/// A square around `centre`.
inline Box square(Pixel centre, double half) {
  return Box{centre.x, centre.y, centre.x, centre.y}.grown(half);
}

/// 0xRRGGBB.
struct Colour {
  std::uint32_t rgb = 0;
  bool operator==(const Colour&) const = default;
};

/// Colours of everything that is not a family of points.
namespace palette {
inline constexpr Colour kPaper{0xffffff};
inline constexpr Colour kInk{0x1b1f24};
inline constexpr Colour kMuted{0x57606a};
inline constexpr Colour kGrid{0xe6e9ed};
inline constexpr Colour kGridMinor{0xf3f5f7};
inline constexpr Colour kAttainable{0xf7f9fc};
inline constexpr Colour kTrack{0xeceff3};
inline constexpr Colour kMemoryRoof{0x2f363d};
inline constexpr Colour kLeader{0xa8b0b9};
/// First those of Okabe and Ito's colours, which colour-blind readers can tell apart, that are dark enough
/// for a mark on white paper. Source: Wong, Points of view: Color blindness, Nature Methods 8, 441 (2011).
/// The last two, for what can bound a kernel, are as far from these for such readers.
inline constexpr std::array kFamilies = {Colour{0x0072b2}, Colour{0xd55e00}, Colour{0x009e73},
                                         Colour{0xcc79a7}, Colour{0xe69f00}, Colour{0x56b4e9},
                                         Colour{0x7a1030}, Colour{0x332288}};
}  // namespace palette

enum class Dash { solid, dashed, dotted };

struct Stroke {
  Colour colour;
  double width = 1;
  Dash dash = Dash::solid;
};

struct Polyline {
  std::vector<Pixel> points;
  Stroke stroke;
};

/// A closed shape, filled, outlined or both.
struct Polygon {
  std::vector<Pixel> points;
  std::optional<Colour> fill;
  std::optional<Stroke> stroke;
};

struct Circle {
  Pixel centre;
  double radius = 0;
  std::optional<Colour> fill;
  std::optional<Stroke> stroke;
};

enum class Weight { regular, semibold };
enum class Anchor { start, middle, end };
enum class Direction { horizontal, upwards };

struct TextStyle {
  double size = 13;
  Weight weight = Weight::regular;
  Colour colour = palette::kInk;
};

struct Text {
  std::string content;
  Pixel at;  ///< on the baseline, at the anchor
  TextStyle style;
  Anchor anchor = Anchor::start;
  Direction direction = Direction::horizontal;
};

using Shape = std::variant<Polyline, Polygon, Circle, Text>;

/// Shapes that belong together.
struct Group {
  std::string name = {};                  ///< `axes`, `roofs`, `point`, …
  std::optional<std::size_t> point = {};  ///< the point of the experiment that it shows, by its place there
  std::string title = {};                 ///< for screen readers, and as tooltip
  std::optional<Box> clip = {};
  std::vector<Shape> shapes = {};

  void add(Shape shape) { shapes.push_back(std::move(shape)); }
  void add_text(std::string content, Pixel at, const TextStyle& style, Anchor anchor = Anchor::start,
                Direction direction = Direction::horizontal) {
    add(Text{std::move(content), at, style, anchor, direction});
  }
  /// As much of `content` as fits into `width` pixels: see `fitted`.
  void add_fitted(std::string_view content, Pixel at, const TextStyle& style, double width,
                  Anchor anchor = Anchor::start);
};

struct Scene {
  double width = 0;
  double height = 0;
  std::string title;
  std::string description;
  std::vector<Group> groups;
  Colour paper = palette::kPaper;

  /// Draws `more` over what is there.
  void add(std::vector<Group> more);
};

/// Width of `text` in pixels in the font that comes with the tool.
double text_width(std::string_view text, const TextStyle& style);

/// The pixels that the letters of `text` may cover.
Box bounds(const Text& text);

/// Takes out the marks of points that a later mark of the same look covers to within half a pixel, which
/// nobody could see or point at: more than half of ten thousand points.
void remove_covered_marks(Scene& scene);

/// Whether a shape of `group` may reach out of its clip. A clip that cuts nothing is left out of every
/// format: one for each of ten thousand marks would make up much of a picture's size and drawing time.
bool is_cut(const Group& group);

/// `text`, or as much of it as fits into `width` pixels and an ellipsis: its beginning or, if it has an
/// ellipsis already, what is around that.
std::string fitted(std::string_view plain, const TextStyle& style, double width);

/// A rectangle.
Polygon rectangle(const Box& box, std::optional<Colour> fill, std::optional<Stroke> stroke = {});

/// How large a picture is: a file of its own, 1600 × 900, or as wide as the text column in which GitHub and
/// similar sites show it, without what is there as a table anyway.
enum class Extent { full, narrow };

/// A complete SVG document. Text stays text; the same scene gives the same bytes.
std::string to_svg(const Scene& scene);

/// The bytes of a PNG file, one pixel per unit of the scene. Throws Error(environment) if cairo or libpng
/// fails.
std::string to_png(const Scene& scene);

/// The bytes of a one-page PDF file, two units of the scene per point (800 × 450 points). Text stays text, in
/// the font that comes with the tool. Throws Error(environment) if cairo fails.
std::string to_pdf(const Scene& scene);

// The font that comes with the tool (Inter, in `font/`), so that text looks and measures the same on every
// machine.

struct Glyph {
  unsigned index = 0;  ///< in the face
  double advance = 0;  ///< over the font size
};

/// The glyphs of UTF-8 text. What is not UTF-8 becomes U+FFFD.
std::vector<Glyph> glyphs(std::string_view text, Weight weight);

/// FreeType's face; it lives as long as the program.
FT_FaceRec_* font_face(Weight weight);

}  // namespace rooflinectl
