// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/analysis.h"

/// What stands above and below a picture.
namespace rooflinectl {

/// The device at this place in the run, when it was measured, and what the points have in common.
std::string subtitle(const Run& run, std::size_t place, const std::vector<RooflinePoint>& points);

/// `rooflinectl 0.1.0 (4fa4437848f1)`
std::string tool_text(const Run& run);

/// How the numbers came about: `measured`, `replayed`, where it applies `declared, not counted`, and which
/// points are missing.
std::string provenance(const Run& run, const ExperimentAnalysis& experiment);

/// `incomplete, 2 of 14 points are missing: V7, V8`, with the first few names; empty where none is.
std::string missing_text(const ExperimentAnalysis& experiment);

/// What a headline calls the devices: `NVIDIA H200`, `2 × NVIDIA H200`, `a recording of NVIDIA H200`.
std::string device_text(const Run& run);

/// What a headline begins with where the numbers are not those of a complete, current run: `Replayed: `,
/// `Incomplete: `, `Replayed, incomplete: `; else nothing.
std::string headline_prefix(const Run& run, bool is_incomplete);

}  // namespace rooflinectl
