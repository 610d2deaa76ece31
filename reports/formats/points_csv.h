// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "core/model/run.h"

namespace rooflinectl {

/// Which runs have a given column.
enum class CsvColumnOf {
  all,
  program,   ///< those with the kernels of a profiled program
  operators  ///< those that are shown with a trace of PyTorch, too
};

struct CsvColumn {
  std::string_view name;
  std::string_view meaning;  ///< with the unit; names in backquotes
  CsvColumnOf of = CsvColumnOf::all;
};

/// The columns before those of counters, in their order.
std::vector<CsvColumn> points_csv_columns();

/// One row per point, RFC 4180; SI units, ratios between 0 and 1; a field is empty where there is no number.
/// The last columns are the counters, by their keys (`docs/metrics.md`); the reason why one is unavailable is
/// in `run.json`, under `counters` of the point. New columns are only ever added at the end.
std::string points_csv(const Analysis& analysis);

/// A row per primitive, numbers in full. Empty where none was to be measured.
std::string primitives_csv(const Run& run);

}  // namespace rooflinectl
