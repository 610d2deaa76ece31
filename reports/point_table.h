// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

/// The columns and sentences that the terminal, `summary.md` and the page share.
namespace rooflinectl {

struct PointColumn {
  std::string_view title;
  bool is_number = false;
  std::string (*text)(const RooflinePoint&) = nullptr;
  std::optional<double> (*value)(const RooflinePoint&) = nullptr;  ///< to sort by; null where the text sorts
};

/// Name, n, dtype, time, effective GB/s, intensities, fraction of roof, bound, flags.
std::span<const PointColumn> point_columns();

/// `V2 → V3: 1.03×, shared wavefronts per instruction 3.1 → 1.0`, with the first `most_moves` quantities that
/// moved and how many more did.
std::string step_text(const LadderStep& step, std::size_t most_moves);

/// A name and what stands beside it.
struct Fact {
  std::string name;
  std::string text;
};

/// Everything known of a point, as a person reads it.
std::vector<Fact> point_facts(const RooflinePoint& point);

/// The device and the software of the run.
std::vector<Fact> environment_facts(const Run& run);

/// One ceiling as a row: name, value, source, clock, spread, method.
struct CeilingRow {
  std::string name;
  std::string value;
  std::string source;
  std::string clock;
  std::string spread;
  std::string method;
};
std::vector<CeilingRow> ceiling_rows(const Run& run);

}  // namespace rooflinectl
