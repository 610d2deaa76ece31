// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/catalogue.h"

namespace rooflinectl {

/// `rooflinectl-collector` beside this program, or where the environment variable ROOFLINECTL_COLLECTOR says.
/// Nothing if it is not installed.
std::optional<std::filesystem::path> find_collector();

/// Same, but throws CannotMeasure if it is not there.
std::filesystem::path require_collector();

/// What plans can name: the catalogue of the collector, or, without one, the ids that the source tree had,
/// with what the shipped recordings tell of them. Throws Error(environment) if there is a collector that does
/// not answer.
Catalogue load_catalogue();

}  // namespace rooflinectl
