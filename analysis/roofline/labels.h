// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// A short name for each of `points`, unique among them if the points are: the catalogue's label of the
/// subject (its id where two subjects share a label), then the values of the axes in which points of the same
/// subject differ: block size (`b128`), elements per thread (`e8`), size (`2^20`), dtype, cache state,
/// others.
std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points);

}  // namespace rooflinectl
