// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

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

}  // namespace rooflinectl
