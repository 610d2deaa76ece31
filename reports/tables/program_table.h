// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/recoverable.h"
#include "reports/text/table.h"

/// What the terminal, `summary.md` and the page show about a profiled program besides its points.
namespace rooflinectl {

/// Busy and idle share, what was counted, what overlaps, what the trace did not see: one sentence each.
std::vector<std::string> program_sentences(const Run& run, const ProgramUse& program);

/// The groups that could save most, at most `most`.
Table recoverable_table(const ProgramUse& program, std::size_t most);

/// Those without a roof, with their share of the time and the reason; the longest first.
Table roofless_table(const ProgramUse& program, std::size_t most);

/// Time per use with its own intensity and performance, the first column titled `first`. All uses if there
/// are no more than `most`; else those that take most of the time, in the order of the tree.
Table use_table(std::string_view title, std::string_view first, const std::vector<RangeUse>& uses,
                std::size_t most);

/// The same for NVTX ranges.
Table range_table(const ProgramUse& program, std::size_t most);

/// Copies and memsets with their bandwidth.
Table transfer_table(const ProgramUse& program);

/// Idle time by the length of the gaps, and by what ran after them, the most first. Empty where the device
/// was hardly idle, and where nothing is known about that.
Table gap_table(const ProgramUse& program);
Table idle_before_table(const ProgramUse& program, std::size_t most);

/// What could not be measured for the program, and what to do.
std::vector<std::string> program_problems(const Run& run);

}  // namespace rooflinectl
