// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/model/run.h"
#include "reports/text/table.h"

/// The links between the devices of a run as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// What the matrices mean.
inline constexpr std::string_view kLinkExplanation =
    "Rows: the device that bytes come from; columns: the device that they go to. Copied by a copy engine, "
    "loaded by threads of the target, or stored by threads of the source; one way, and both ways at once, "
    "where a number is the sum of both. Percentages are relative to the theoretical bandwidth of all NVLinks "
    "of a device together.";

/// Each mover one way, then both ways: a matrix with a row for each device that bytes come from, and a column
/// for each that they go to. None where no links were measured.
std::vector<Table> link_tables(const Run& run);

}  // namespace rooflinectl
