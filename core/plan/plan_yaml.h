// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

/// The text of the source of a kernel. Throws Error if it cannot be read.
using ReadSource = std::function<std::string(const std::string& path)>;

/// Reads a plan (`experiments.yaml`) and resolves its lists, globs and defaults against `catalogue`.
///
/// The points of an experiment are variants × dtypes × sizes × cache states × block sizes × elements per
/// thread: for each size, dtype and cache state all variants, in the order in which they are listed. A glob
/// stands for the variants that match it, in catalogue order, without those that the same list names
/// otherwise: a name is more specific than a glob, and the first of two globs wins. The same value twice in
/// one list is a mistake.
///
/// `primitives` lists ids, globs of them, families, or `all`; a plan that has them needs no experiment.
///
/// `kernels` describes kernels in files, whose paths are relative to the folder of the plan; without
/// `read_source` their texts stay empty. Experiments name them, or all of them are one.
///
/// Where the catalogue knows no more than ids (variants without dtypes: a build without CUDA), dtypes and
/// block sizes are taken on trust.
///
/// Throws Error(usage) with every mistake of the file, one per line: `<file_name>:<line>:<column>: <what is
/// wrong>`.
Plan parse_plan(std::string_view text, std::string_view file_name, const Catalogue& catalogue,
                const ReadSource& read_source = {});

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
