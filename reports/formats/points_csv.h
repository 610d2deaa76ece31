// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace rooflinectl {

/// One row per point, RFC 4180; SI units, ratios between 0 and 1; a field is empty where there is no number.
/// The last columns are the counters, by their keys (`docs/metrics.md`); why one is unavailable stands in
/// `run.json`, under `counters` of the point. New columns are only ever added at the end.
std::string points_csv(const Analysis& analysis);

}  // namespace rooflinectl
