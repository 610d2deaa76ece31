// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/program/operators.h"
#include "analysis/program/recoverable.h"
#include "analysis/timeline/timeline_view.h"
#include "reports/text/text_table.h"

namespace rooflinectl {

// What the terminal, `summary.md` and the page show about a profiled program besides its points.

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

/// For each quantity of a sampled device: its mean over the window, its maximum over the window's parts, its
/// roof, and the mean as a share of the roof.
Table strip_table(const DeviceView& view);

// Where to begin with a program: what costs it most time, why, and what to do.

/// In words.
struct LossText {
  std::string name;       ///< `GPU idle`
  std::string cost;       ///< `5.604 ms`: of a step, if the program has steps
  std::string cause;      ///< a sentence; empty for a kernel, which `explain` explains
  std::string next_step;  ///< likewise
};

LossText loss_text(const ProgramUse& program, const Loss& loss);

/// `5.615 ms (26.2 %)`: this share of a step, or of all time if there are no steps.
std::string time_and_share(const ProgramUse& program, double share);

/// `300 steps`, of all processes together; empty if there are no steps.
std::string steps_text(const ProgramUse& program);

/// `The GPU is idle 51 % of the time (510 µs of each 1 ms step), waiting for launches: … .
/// layer_norm_backward could save up to 70 µs (7 %).` Waiting in collectives and idle time are there if they
/// cost more than any kernel could save; if not, how the time is spread over kernels.
std::string program_headline(const ProgramUse& program);

/// The largest losses, at most `most`. Empty if kernels, each by itself, are all that there is: their table
/// says the same.
Table loss_table(const ProgramUse& program, std::size_t most);

// What reports show about the operators and modules of PyTorch that launched a program's kernels.

/// The operator with most of a group's time, and how many others launched it: `aten::copy_ +3`. Unavailable
/// where the trace does not have the group, empty where there is no trace.
std::string operator_text(const RooflinePoint& point);

/// The name of an operator, or a text in its place where something else launched kernels.
std::string operator_name(const std::string& name);

/// How much of the trace and of the run is matched, and what is not: a sentence each.
std::vector<std::string> operator_sentences(const OperatorUse& use);

/// Whether so little is matched that the trace seems to be of another program, or of other sizes.
bool is_foreign(const OperatorUse& use);

/// By the innermost operator: at most `most`, the longest first.
Table operator_table(const OperatorUse& use, std::size_t most);

/// By module: at most `most`, without the operators within them. Empty where the trace has no modules.
Table module_table(const OperatorUse& use, std::size_t most);

}  // namespace rooflinectl
