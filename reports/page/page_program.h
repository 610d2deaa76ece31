// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/program/operators.h"
#include "analysis/program/recoverable.h"
#include "reports/page/page_json.h"

/// What the page has of a profiled program beside its points.
namespace rooflinectl::page {

/// The full names of kernels: each is written once, since many groups have the same.
class KernelNames {
 public:
  std::size_t index_of(const std::string& name);
  /// In full and short.
  Json list() const;

 private:
  std::map<std::string, std::size_t> indices_;
  std::vector<std::string> names_;
};

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
  /// Of each node of the tree, its place in `scopes_`, or that of the nearest node around it that is there;
  /// the one after the last where none is.
  std::vector<std::optional<std::size_t>> places_;
};

/// What a kernel of the program has beyond other points: its launches, what each resource needs of its time,
/// and its roofs.
Json group(const Run& run, const RooflinePoint& point, KernelNames& names);

/// The program as a whole: figures, NVTX ranges, tables.
Json program(const Run& run, const ProgramUse& use, const KernelNames& names);

}  // namespace rooflinectl::page
