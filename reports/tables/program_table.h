// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/recoverable.h"

/// What the terminal, `summary.md` and the page show about a profiled program besides its points.
namespace rooflinectl {

struct ProgramColumn {
  std::string_view title;
  bool is_number = false;
};

struct ProgramTable {
  std::string_view title;
  std::vector<ProgramColumn> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t left_out = 0;  ///< rows that would be too many
};

/// Busy and idle share, what was counted, what overlaps, what the trace did not see: one sentence each.
std::vector<std::string> program_sentences(const Run& run, const ProgramUse& program);

/// The groups that could save most, at most `most`.
ProgramTable recoverable_table(const ProgramUse& program, std::size_t most);

/// Those without a roof, with their share of the time and the reason; the longest first.
ProgramTable roofless_table(const ProgramUse& program, std::size_t most);

/// Time per use with its own intensity and performance, the first column titled `first`. All uses if there
/// are no more than `most`; else those that take most of the time, in the order of the tree.
ProgramTable use_table(std::string_view title, std::string_view first, const std::vector<RangeUse>& uses,
                       std::size_t most);

/// The same for NVTX ranges.
ProgramTable range_table(const ProgramUse& program, std::size_t most);

/// Copies and memsets with their bandwidth.
ProgramTable transfer_table(const ProgramUse& program);

/// Idle time by the length of the gaps, and by what ran after them, the most first. Empty where the device
/// was hardly idle, and where nothing is known about that.
ProgramTable gap_table(const ProgramUse& program);
ProgramTable idle_before_table(const ProgramUse& program, std::size_t most);

/// What could not be measured for the program, and what to do.
std::vector<std::string> program_problems(const Run& run);

}  // namespace rooflinectl
