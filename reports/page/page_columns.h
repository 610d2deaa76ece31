// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "reports/tables/point_table.h"

/// The table and the sentences that only the page has room for.
namespace rooflinectl {

/// `point_columns` with the family, the state of the caches and the theoretical roof.
std::span<const PointColumn> page_columns(bool with_energy);

/// What the column shows, where its title alone is too short: `fraction of measured roof`.
std::string_view column_name(const PointColumn& column);

/// The same in a sentence; empty if its name is clear enough.
std::string_view column_help(const PointColumn& column);

/// Which point is fastest and what bounds how many: `Nearest to the roof: V7, 97.2 % (dram-bound). …`.
std::string headline(const ExperimentAnalysis& experiment);

}  // namespace rooflinectl
