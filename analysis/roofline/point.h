// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/analysis.h"
#include "analysis/roofline/launch_times.h"
#include "analysis/roofline/roof.h"

namespace rooflinectl {

/// The type in which most of the declared operations are done, else that of the accumulator.
Dtype precision_of(const Measurement& measurement);

/// The pipe that carries out operations of `precision`.
Bound pipe_of(Dtype precision);

/// The id of the ceiling of an atomic addition to one result of `measurement`: `atomic_f32`.
std::string atomic_ceiling_id(const Measurement& measurement);

/// The declared work; where several GPUs share it, the part of one of them, since all rates and roofs of a
/// point are those of one GPU.
Work work_of_one_gpu(const Measurement& measurement);

/// Whether there is a time to divide by.
bool is_timed(const Measurement& measurement);

/// The time of `mean_launch`, by which counts per launch are divided, for a point that is timed.
double time_per_launch_s(const Measurement& measurement);

/// Whether it is a kernel of a collective that a program launched.
bool is_collective(const Measurement& measurement);

/// The lanes of a warp: instructions that pipes executed are counted per warp.
inline constexpr double kLanes = 32;

/// The SM clock that the point ran at: the median over the same samples as its time; for a kernel of a
/// profiled program, that of the launches that were counted. Nothing where no clock could be read.
std::optional<double> sm_clock_hz(const Measurement& measurement);

/// Everything about a point except its label.
RooflinePoint analyse_point(const Run& run, const Measurement& measurement);

}  // namespace rooflinectl
