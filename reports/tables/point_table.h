// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "core/model/point_id.h"
#include "reports/sentences/point_numbers.h"
#include "reports/text/text_table.h"

/// The columns that the terminal, `summary.md` and the page share.
namespace rooflinectl {

/// Where a column is shown. The page has room for all of them.
enum class ColumnPlace { everywhere, page };

/// Which points a column applies to.
enum class ColumnOf {
  all,
  variants,      ///< our own kernels: what is declared for them, and how they were timed
  energy,        ///< those whose energy was measured
  program,       ///< kernels of a profiled program
  several_gpus,  ///< those whose elements several GPUs can share
  operators,     ///< those of a program for which there is also a trace of PyTorch
};

/// The kinds of points that a table holds.
struct PointKinds {
  bool has_variants = false;
  bool has_energy = false;
  bool has_program = false;
  bool has_several_gpus = false;
  bool has_operators = false;

  bool operator==(const PointKinds&) const = default;
};
PointKinds kinds_of(const ExperimentAnalysis& experiment);
/// For all experiments together.
PointKinds kinds_of(const Analysis& analysis);

struct PointColumn {
  std::string_view title;
  ColumnPlace place = ColumnPlace::everywhere;
  ColumnOf of = ColumnOf::all;
  std::string (*text)(const RooflinePoint&) = nullptr;
  std::string_view name = {};           ///< the title in full, for the page; empty where the title is that
  std::string_view help = {};           ///< what it shows, in a sentence, for the page
  std::string_view role = {};           ///< what else the page uses it for; empty where it only shows it
  const PointNumber* number = nullptr;  ///< what it shows, or is sorted by; null where the text sorts
  bool is_number = false;               ///< stands at the right

  std::string cell(const RooflinePoint& point) const {
    return text != nullptr ? text(point) : number->text_of(point);
  }
};

/// Name, n, dtype, how it was timed, time, effective GB/s, intensities, fraction of roof, bound, limiting
/// level, flags; with energy also joules per launch, mean power and useful work per joule; for a program's
/// kernels, share of the time, launches, and what could be gained. A row for each of `shown`.
Table point_table(const ExperimentAnalysis& experiment, const std::vector<std::size_t>& shown);

/// The columns of the page: the same with the family, the cache state and the theoretical roof.
std::vector<PointColumn> page_columns(const PointKinds& kinds);

/// Points that are yet to be measured, for a terminal: what runs, then a column for each axis that one of
/// them has, in the order of the axes. A cell is empty where the point has no such axis, and for the block
/// size 0, which is the kernel's own. Each line begins with `indent`; empty where there are no points.
std::string axis_table(const std::vector<PointId>& points, std::string_view indent = {});

}  // namespace rooflinectl
