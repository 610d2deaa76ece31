// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "analysis/roofline/bound.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// How a family of points is told from others: its colour, by its place in `palette::kFamilies`, and its
/// shape, by its place in `shape_names`. Without a colour it is grey.
struct FamilyLook {
  std::optional<std::size_t> colour = 0;
  std::size_t shape = 0;
};

/// The look of the family with this place among the others: the first 36 differ in colour, shape or both.
FamilyLook look_of(std::size_t family);

/// The look of a program's kernels with this bound, in every picture and on the page; grey where it is
/// unknown. There are more bounds than colours that can be told apart: what calls for the same remedy shares
/// one, and differs in shape.
FamilyLook look_of(Bound bound);

/// The colour of a look.
Colour family_colour(const FamilyLook& look);

/// Points that have a look in common.
struct Family {
  std::string name;
  FamilyLook look;
};

}  // namespace rooflinectl
