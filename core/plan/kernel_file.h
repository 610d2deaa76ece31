// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// A source in CUDA or Python with what it is called in messages.
struct KernelFile {
  std::string path;
  std::string text;
};

/// Whether the source describes kernels in comments `// rooflinectl: …` (`#` in Python), or tries to: a
/// misspelt one counts.
bool has_description(std::string_view text);

/// The plan of sources that describe their kernels themselves: what follows `rooflinectl:` in their
/// comments is YAML, the members of a kernel of a plan, or `kernels` with several; beside them may be
/// settings of an experiment. A kernel that is alone in its file is called like the file.
///
/// Throws Error(usage) with every mistake, as `parse_plan`, or if a file has no description.
Plan parse_kernel_files(const std::string& name, const std::vector<KernelFile>& files,
                        const Catalogue& catalogue);

}  // namespace rooflinectl
