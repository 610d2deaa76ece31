// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/page/page_json.h"
#include "reports/tables/point_table.h"

/// What the page presents its content with, whatever the run: columns, words, marks.
namespace rooflinectl::page {

Json columns(const PointKinds& kinds);

/// The words for what can bound a point.
Json bounds();

/// The shapes of marks, each with its outline as the path of an SVG around the origin.
Json shapes();

/// The memory levels, from DRAM inwards.
Json levels();

/// The families with what tells them apart.
Json families(const std::vector<Family>& all);

}  // namespace rooflinectl::page
