// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/compare/comparison.h"
#include "core/json/json.h"

/// What comparisons, gates and histories have in common as JSON.
namespace rooflinectl::compared {

/// Name, start, host, device and versions of a run.
serial::Json run_json(const AnalysedRun& analysed);

/// Experiment, subject and axes.
serial::Json point_json(const PointId& id);

/// A ratio of times with its interval, and both times with theirs.
serial::Json change_json(const TimeChange& change);

/// `{"name": …, "from": …, "to": …}` for each.
serial::Json environment_json(const std::vector<EnvironmentChange>& changes);

}  // namespace rooflinectl::compared
