// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// A short name for each of `points`, unique among them if the points are: the catalogue's label of the
/// subject (its id where two subjects share a label), then the values of the axes in which points of the same
/// subject differ: block size (`b128`), elements per thread (`e8`), size (`2^20`), dtype, cache state,
/// others.
std::vector<std::string> point_labels(const Catalogue& catalogue, const std::vector<PointId>& points);

/// Axes of kernels that a profiled program launched.
namespace axis {
inline constexpr std::string_view kGrid = "grid";        ///< blocks: `132`, `64x8`
inline constexpr std::string_view kCluster = "cluster";  ///< blocks of a cluster
inline constexpr std::string_view kShared = "shared";    ///< dynamic shared memory of a block, in bytes
inline constexpr std::string_view kCode = "code";        ///< which of the kernels with that name, from 2
inline constexpr std::string_view kPath = "path";        ///< names of the NVTX ranges, the outermost first
}  // namespace axis

/// Labels those of `points` that a profiled program launched, so that they differ: the kernel's short name;
/// where there are several groups of it, also as much of grid, block, cluster, shared memory, code, NVTX path
/// (its innermost ranges), rank and process as is needed to tell them apart.
void label_kernels(std::vector<RooflinePoint>& points, const Run& run);

/// ` grid 132 block 384 in step/forward`: all that tells groups of one kernel apart, to be added to a label.
std::string kernel_details(const RooflinePoint& point);

/// The place of the process that launched `measurement` among those of the program, from 1; nothing where it
/// is not known.
std::optional<std::size_t> process_number(const Run& run, const Measurement& measurement);

}  // namespace rooflinectl
