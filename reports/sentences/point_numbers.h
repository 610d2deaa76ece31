// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/analysis.h"

/// What columns of points are sorted by: nothing where it is unknown, or for another kind of point.
namespace rooflinectl::point_numbers {

/// Median of a launch, in seconds, like all times here.
std::optional<double> time_s(const RooflinePoint& point);
std::optional<double> n_elements(const RooflinePoint& point);
std::optional<double> gpus(const RooflinePoint& point);
/// For the busiest memory level.
std::optional<double> limit_utilisation(const RooflinePoint& point);

// For kernels of a profiled program.
/// Of the GPU time.
std::optional<double> share(const RooflinePoint& point);
std::optional<double> total_s(const RooflinePoint& point);
std::optional<double> recoverable_s(const RooflinePoint& point);
std::optional<double> recoverable_per_step_s(const RooflinePoint& point);
std::optional<double> launches(const RooflinePoint& point);
std::optional<double> p95_s(const RooflinePoint& point);
std::optional<double> mean_s(const RooflinePoint& point);
/// The share of a launch's time that its operations on Tensor Cores need at the measured ceiling.
std::optional<double> tensor_share(const RooflinePoint& point);
std::optional<double> occupancy(const RooflinePoint& point);
/// Per thread.
std::optional<double> registers(const RooflinePoint& point);

// Where energy was measured.
/// Per launch.
std::optional<double> joules(const RooflinePoint& point);
std::optional<double> power_w(const RooflinePoint& point);
/// Useful operations, or bytes where the work has none.
std::optional<double> work_per_joule(const RooflinePoint& point);

}  // namespace rooflinectl::point_numbers
