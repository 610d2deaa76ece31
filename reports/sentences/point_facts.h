// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace rooflinectl {

/// A name and its text.
struct Fact {
  std::string name;
  std::string text;
};

/// What is known about a point beyond the columns of the page, for people to read; what bounds it, with its
/// share.
std::vector<Fact> point_facts(const RooflinePoint& point);

}  // namespace rooflinectl
