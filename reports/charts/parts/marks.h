// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "reports/charts/model/family_look.h"
#include "reports/charts/parts/plot.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// hollow: nothing shows through; outline: everything beneath shows through.
enum class MarkFill { filled, hollow, outline };

/// `circle`, `triangle-up`: of every shape that marks have.
std::span<const std::string_view> shape_names();

/// The shape of the marks of a memory level, by its place in `shape_names`.
std::size_t shape_of(MemoryLevel level);

/// A mark of this shape.
Shape shaped_mark(std::size_t shape, Colour colour, Pixel centre, double radius, MarkFill fill);

/// The mark of a family, told from others by colour and by shape.
Shape family_mark(const FamilyLook& look, Pixel centre, double radius, MarkFill fill);

/// The mark of a memory level, told from others by shape.
Shape level_mark(MemoryLevel level, Colour colour, Pixel centre, double radius, MarkFill fill);

/// The roof of NVLink over a single point: a short line.
Shape link_roof_mark(double y, double middle);

/// For a program's kernel, an area in proportion to its share of the time, within what can be seen and does
/// not hide the others; for any other point `otherwise`.
double mark_radius(const ChartPoint& point, double otherwise);

/// Whether a line joins the marks of each point: among very many points the lines would hide the marks.
bool are_joined(const ChartModel& chart);

/// One point: its useful mark, its executed mark, the line between them if they are to be joined, its
/// interval if it is larger than the mark.
Group point_group(const Plot& plot, const ChartPoint& point, std::size_t index, double radius,
                  bool is_joined);

}  // namespace rooflinectl
