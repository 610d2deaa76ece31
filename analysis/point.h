// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/analysis.h"
#include "analysis/roof.h"

namespace rooflinectl {

/// The type of the measured operations: the declared one, else that of the accumulator.
Dtype precision_of(const Measurement& measurement);

/// Counted operations in `precision`. Nothing for integers, and where a counter that they need is
/// unavailable.
std::optional<Operations> executed_operations(const Counters& counters, Dtype precision);

/// Whether there is a time to divide by.
bool is_timed(const Measurement& measurement);

/// The SM clock that the point ran at: the median over the samples that its time is the median of. Nothing
/// where no clock could be read.
std::optional<double> sm_clock_hz(const Measurement& measurement);

/// Everything of a point but its label.
RooflinePoint analyse_point(const Run& run, const Measurement& measurement);

}  // namespace rooflinectl
