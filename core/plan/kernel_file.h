// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// A CUDA source with what it is called in messages.
struct KernelFile {
  std::string path;
  std::string text;
};

/// Whether the source describes kernels in comments `// rooflinectl: …`.
bool has_description(std::string_view text);

/// The plan of sources that describe their kernels themselves: what follows `// rooflinectl:` on its lines is
/// YAML, the members of a kernel of a plan, or `kernels` with several; beside them may be settings of an
/// experiment. A kernel that is alone in its file is called like the file.
///
/// Throws Error(usage) with every mistake, as `parse_plan`, or if a file has no description.
Plan parse_kernel_files(const std::string& name, const std::vector<KernelFile>& files,
                        const Catalogue& catalogue);

}  // namespace rooflinectl
