// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "reports/charts/plot.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// hollow: nothing shows through; outline: all that lies under it.
enum class MarkFill { filled, hollow, outline };

/// How a family is told from others: its place in `palette::kFamilies`, and a shape by its place in
/// `shape_names`.
struct FamilyLook {
  std::size_t colour = 0;
  std::size_t shape = 0;
};
FamilyLook look_of(std::size_t family);

/// `circle`, `triangle-up`: of every shape that marks have.
std::span<const std::string_view> shape_names();

/// The shape of the marks of a memory level, by its place in `shape_names`.
std::size_t shape_of(MemoryLevel level);

/// A mark of this shape.
Shape shaped_mark(std::size_t shape, Colour colour, Pixel centre, double radius, MarkFill fill);

/// The colour of a family of points.
Colour family_colour(std::size_t family);

/// The mark of a family, told from others by colour and by shape: the first 36 differ in one of them or both.
Shape family_mark(std::size_t family, Pixel centre, double radius, MarkFill fill);

/// The mark of a memory level, told from others by shape.
Shape level_mark(MemoryLevel level, Colour colour, Pixel centre, double radius, MarkFill fill);

/// Whether a line joins the marks of each point: among very many points the lines would hide the marks.
bool are_joined(const ChartModel& chart);

/// One point: its useful mark, its executed mark, the line between them if they are to be joined, its
/// interval if it is larger than the mark.
Group point_group(const Plot& plot, const ChartPoint& point, std::size_t index, double radius,
                  bool is_joined);

}  // namespace rooflinectl
