// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "reports/charts/model/chart_model.h"
#include "reports/draw/scene.h"

namespace rooflinectl {

/// Whether kernels of a program have no place on the roofline, since they execute no floating-point
/// operations or none were counted, but do have one in the strip.
bool has_bandwidth_strip(const ChartModel& chart);

/// These kernels, by the share of the DRAM bandwidth that they reach, in `frame`.
std::vector<Group> bandwidth_strip(const Box& frame, const ChartModel& chart);

}  // namespace rooflinectl
