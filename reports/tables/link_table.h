// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/model/run.h"

/// The links between the devices of a run as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

struct LinkColumn {
  std::string title;
  bool is_number = false;
};

/// A matrix: a row for each device that bytes come from, a column for each that they go to.
struct LinkTable {
  std::string title;   ///< `Copy engine, one way, GB/s (% of NVLink in theory)`
  std::string method;  ///< what was copied, and how much the samples vary; empty where there is no value
  std::vector<LinkColumn> columns;
  std::vector<std::vector<std::string>> rows;  ///< none where there is no value
  std::vector<std::string> reasons;            ///< why pairs have no value, and which

  /// What a table has below it.
  std::vector<std::string> notes() const;
};

/// What the matrices mean.
inline constexpr std::string_view kLinkExplanation =
    "Rows: the device that bytes come from; columns: the device that they go to. Copied by a copy engine, "
    "loaded by threads of the target, or stored by threads of the source; one way, and both ways at once, "
    "where a number is the sum of both. Percentages are of all NVLinks of a device together, in theory.";

/// Each mover one way, then both ways; none where no links were measured.
std::vector<LinkTable> link_tables(const Run& run);

}  // namespace rooflinectl
