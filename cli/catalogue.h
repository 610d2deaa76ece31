// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/catalogue.h"

namespace rooflinectl {

/// `rooflinectl-collector` beside this program, or where the environment variable ROOFLINECTL_COLLECTOR says.
/// Nothing if it is not installed.
std::optional<std::filesystem::path> find_collector();

/// Same, but throws Error(environment) if it is not there: nothing can be measured without it.
std::filesystem::path require_collector();

/// What plans can name: the catalogue of the collector, or, without one, the ids alone that the source tree
/// had. Throws Error(environment) if there is a collector that does not answer.
Catalogue load_catalogue();

}  // namespace rooflinectl
