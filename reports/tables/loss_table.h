// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "analysis/program/losses.h"
#include "reports/text/table.h"

/// Where to begin with a program: what costs it most time, why, and what to do.
namespace rooflinectl {

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

}  // namespace rooflinectl
