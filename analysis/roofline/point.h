// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/analysis.h"
#include "analysis/roofline/roof.h"

namespace rooflinectl {

/// The type in which most of the declared operations are done, else that of the accumulator.
Dtype precision_of(const Measurement& measurement);

/// The pipe that carries out operations of `precision`.
Bound pipe_of(Dtype precision);

/// The id of the ceiling of an atomic addition to one result of `measurement`: `atomic_f32`.
std::string atomic_ceiling_id(const Measurement& measurement);

/// The operations of f64 or f32 instructions, as counted. Nothing for other types, and where a counter that
/// they need is unavailable.
std::optional<Operations> counted_operations(const Counters& counters, Dtype precision);

/// Operations on Tensor Cores, as counted, and the time that they need at the measured ceilings.
struct TensorWork {
  double operations = 0;
  std::optional<double> time_s;            ///< nothing where a ceiling is missing
  std::string_view missing_ceiling;        ///< the missing one: `f16_tensor`
  std::vector<std::string_view> ceilings;  ///< of the types that were counted
  double relative_spread = 0;              ///< the largest of these ceilings
};
/// Nothing where they were not counted.
std::optional<TensorWork> tensor_work(const Measurement& measurement, const Ceilings& ceilings);

/// All floating-point operations that a point executed, or why that is not known. For a kernel of a profiled
/// program, which has no type declared, those of all types: FP64, FP32, and of the Tensor Cores. There is no
/// such number where FP16 or BF16 instructions outside of the Tensor Cores could be more than 1 % of them:
/// only instructions are counted, with one or two values each. Where instructions were not counted by type,
/// the operations of the Tensor Cores count as all of them if the others that the pipes executed could be no
/// more than 1 % of them.
struct ExecutedWork {
  std::optional<double> flops;
  std::string missing;  ///< empty where `flops` is there, and for integers
};
/// There are none where operations ran that the counters do not see: atomic additions, which L2 carries out,
/// or tensor instructions whose operations were not counted.
ExecutedWork executed_work(const Measurement& measurement);

/// The declared work; where several GPUs share it, the part of one of them, since all rates and roofs of a
/// point are those of one GPU.
Work work_of_one_gpu(const Measurement& measurement);

/// Whether there is a time to divide by.
bool is_timed(const Measurement& measurement);

/// The time that counts per launch are divided by, for a point that is timed: the median; for a program's
/// launches, which may differ and whose counters are means, the mean.
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
