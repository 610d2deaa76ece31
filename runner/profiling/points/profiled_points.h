// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/run.h"
#include "core/program/profile_record.h"

/// What kernels and groups of a profiled program are called in a run.
namespace rooflinectl {

/// The name of a kernel in a run: its demangled symbol, cut where it is longer than `kMaxSubjectLength`; for
/// a CUDA graph, `CUDA graph <symbol>`.
std::string subject_of(const record::Kernel& kernel);

/// `256`, `16x16`, `4x4x4`
std::string extent_text(const record::Extent& extent);

/// The axes of a group's point: `grid`, `block`, `shared`, `cluster`, `code` and `path`, as far as it has
/// them. `code`: which of the kernels with its name it is (`KernelCodes`); the first has no such axis, so
/// that it has the same name in a run without the others.
Axes axes_of(const record::Group& group, bool is_graph, std::uint64_t code, const std::string& path);

/// What a kernel uses of an SM's resources. Nothing for CUDA graphs, and where it is not known how many
/// blocks fit.
std::optional<KernelResources> resources_of(const record::Kernel& kernel, const record::Group& group);

std::uint64_t volume(const record::Extent& extent);

}  // namespace rooflinectl
