// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "analysis/recoverable.h"
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

/// What a kernel of the program has beyond other points: its launches, what each resource needs of its time,
/// and its roofs.
Json group(const Run& run, const RooflinePoint& point, KernelNames& names);

/// The program as a whole: figures, NVTX ranges, tables.
Json program(const Run& run, const ProgramUse& use, const KernelNames& names);

}  // namespace rooflinectl::page
