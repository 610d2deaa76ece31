// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"

namespace rooflinectl {

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
/// Where the catalogue knows no more than ids (variants without dtypes: a build without CUDA), dtypes and
/// block sizes are taken on trust.
///
/// Throws Error(usage) with every mistake of the file, one per line: `<file_name>:<line>:<column>: <what is
/// wrong>`.
Plan parse_plan(std::string_view text, std::string_view file_name, const Catalogue& catalogue);

}  // namespace rooflinectl
