// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/run.h"
#include "runner/watching/watched_device.h"

namespace rooflinectl {

/// Sampled rates as OpenMetrics 1.0 text, for Prometheus: one gauge for each quantity, one line for each
/// device of `run` that has it. Quantities that DCGM defines alike have the names, units and labels of
/// NVIDIA's dcgm-exporter. `rates` is parallel to the devices; a device without samples has no line.
std::string openmetrics_text(const Run& run, const std::vector<std::optional<SampledRates>>& rates);

/// What `openmetrics_text` is served as.
inline constexpr const char* kOpenMetricsType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

}  // namespace rooflinectl
