// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/counters/counters.h"

namespace rooflinectl {

enum class Verdict { agrees, differs, unavailable };

/// What the two numbers of an agreement are.
enum class ComparedUnit { count, operations, instructions, wavefronts, bytes, ratio, seconds };

/// `operations`, `instructions`, `wavefronts`, `bytes`, `ratio`, `s`; empty for a count
std::string_view to_string(ComparedUnit unit);

/// One number of ours and the number that it should be.
struct Agreement {
  std::string subject;   ///< what was run: the id of a known work, or the range name of a point
  std::string quantity;  ///< key of a counter, or a derived quantity: `fadd`, `dram_bytes`, `time`
  ComparedUnit unit = ComparedUnit::count;
  CounterValue ours = CounterValue::unavailable("not measured");
  CounterValue reference = CounterValue::unavailable("not measured");
  double tolerance = 0;     ///< the largest difference that still agrees
  bool is_relative = true;  ///< `tolerance` is a fraction of `reference`; else in the unit of the numbers
  std::string note;         ///< why the tolerance is what it is, or why there is no verdict; may be empty

  /// unavailable if one of the numbers is; agrees if they differ by at most `tolerance`.
  Verdict verdict() const;

  bool operator==(const Agreement&) const = default;
};

/// Kernels of known work, counted: can this machine's counters be trusted?
struct SelfTest {
  std::string reason;                 ///< why nothing was tested; empty if something was
  double wall_s = 0;                  ///< how long it took
  std::vector<Agreement> agreements;  ///< `reference` is the known work

  /// Nothing differs and something agrees.
  bool passed() const;

  bool operator==(const SelfTest&) const = default;
};

/// With what a run is checked: Nsight Compute, Nsight Systems (their programs have these names); in runs of
/// earlier versions also CUPTI's record of what ran on the GPU.
enum class CrossCheckTool { ncu, nsys, activity };

/// The points of a run, measured again by another profiler.
struct CrossCheck {
  CrossCheckTool tool = CrossCheckTool::ncu;
  std::string version;                ///< of the tool, as it states it; empty if unknown
  std::string source;                 ///< the command that was run, or the file that was read
  std::string reason;                 ///< why nothing could be compared; empty if something was
  std::string hint;                   ///< what to do, if something could not be compared
  std::vector<Agreement> agreements;  ///< `reference` is the tool's number

  bool operator==(const CrossCheck&) const = default;
};

}  // namespace rooflinectl
