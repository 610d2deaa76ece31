// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/catalogue.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// `ceilings`: the ids that a list of ids and globs stands for; all of the catalogue if there is no list.
std::vector<std::string> read_ceilings(Reader& reader, const Fields& fields, const Catalogue& catalogue);

/// `primitives`: the ids that a list of ids, families and globs stands for, in the order of the catalogue;
/// none if there is no list.
std::vector<std::string> read_primitives(Reader& reader, const Fields& fields, const Catalogue& catalogue);

}  // namespace rooflinectl::yaml
