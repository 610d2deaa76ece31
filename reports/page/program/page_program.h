// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/operators.h"
#include "analysis/program/recoverable.h"
#include "analysis/timeline/timeline_view.h"
#include "reports/model/report_model.h"
#include "reports/page/page_parts.h"

/// What the page has about a profiled program besides its points.
namespace rooflinectl::page {

/// The full names of kernels: many groups have the same one.
using KernelNames = Numbered<std::string>;

/// The operators and modules of PyTorch that launched the program's kernels. Places refer to these lists.
class OperatorView {
 public:
  explicit OperatorView(const OperatorUse& use);
  /// Both lists, and how they were found.
  Json lists() const;
  /// Adds those of a group to its data.
  void add_to(Json& group, const GroupOperators& operators) const;

 private:
  const OperatorUse& use_;
  std::map<std::string, std::size_t> operators_;
  std::vector<const RangeUse*> scopes_;
  /// For each node of the tree, its place in `scopes_`, or that of the innermost node around it that is
  /// there; the place after the last where none is.
  std::vector<std::optional<std::size_t>> places_;
};

/// What a kernel of the program has in addition to other points: its launches, what each resource needs of
/// its time, and its roofs.
Json group(const Run& run, const RooflinePoint& point, KernelNames& names);

/// The program as a whole: figures, losses, NVTX ranges, tables. `points` are those of `use`.
Json program(const Run& run, const std::vector<RooflinePoint>& points, const ProgramUse& use,
             const KernelNames& names);

/// The ranks of a program side by side: sentences, tables, time by rank and phase, and what their devices did
/// over time.
Json ranks(const ReportModel& report);

/// The samples of an experiment's device, what ran meanwhile, and its phases. Launches name their points by
/// the places in `experiment`.
Json timeline(const Run& run, const ExperimentAnalysis& experiment, const Timeline& timeline,
              const DeviceView& view);

}  // namespace rooflinectl::page
