// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/counters.h"

namespace rooflinectl {

/// A metric of a kernel, in bytes, seconds, hertz, or the unit that Nsight Compute gives it: percent stay
/// percent. Unavailable, with the reason, where its unit is not known or its number can be read in two ways.
struct NcuValue {
  CounterValue value = CounterValue::unavailable("not in the file");
  double rounding = 0;  ///< how far the printed number may lie from the counted one; 0 for whole counts

  bool operator==(const NcuValue&) const = default;
};

/// One kernel that Nsight Compute profiled.
struct NcuKernel {
  std::string range;  ///< the NVTX range of the domain `rooflinectl` that it ran in; empty if none is given
  std::string kernel;
  std::string process;  ///< its id; empty if none is given, likewise below
  std::string grid;     ///< `1024`, `16x16`
  std::string block;
  std::map<std::string, NcuValue, std::less<>> metrics;  ///< by the names of the hardware metrics

  bool operator==(const NcuKernel&) const = default;
};

/// Reads what `ncu --csv` prints, with `--page raw` (a row per kernel, a column per metric) or `--page
/// details` (a row per metric), in units of any size. Lines that are no part of a table are passed over.
///
/// Throws Error(environment) if the text holds an error of ncu in place of a table: no permission, no kernel
/// profiled; Error(usage) if it holds neither, or a table that is not laid out like one of ncu's.
std::vector<NcuKernel> read_ncu_csv(std::string_view text);

/// Throws Error(environment) with cause and hint if ncu's output reports an error.
void check_ncu_messages(std::string_view text);

}  // namespace rooflinectl
