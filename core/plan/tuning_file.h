// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"
#include "core/plan/kernel_file.h"
#include "core/plan/plan_yaml.h"

namespace rooflinectl {

/// Whether a file of JSON describes the tuning of a kernel.
bool is_tuning_file(std::string_view text);

/// The plan of a T1 file, the JSON in which auto-tuners (Kernel Tuner, KTT, BAT) describe a kernel and its
/// parameters: each combination of their values that meets the conditions is a point. What is measured is
/// what Kernel Tuner 1.3 launches: parameters are macros, and with `ProblemSize` the grid is that divided by
/// `GridDivX` …, else `GlobalSize`. Sources are looked for where the file is, and in the folder above.
///
/// Throws Error(usage) with every mistake, as `parse_plan`, and with all that a plan cannot have.
Plan parse_tuning_file(const std::string& name, const KernelFile& file, const Catalogue& catalogue,
                       const ReadSource& read_source = {});

}  // namespace rooflinectl
