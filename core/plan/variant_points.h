// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/settings_section.h"
#include "core/plan/variants_section.h"

namespace rooflinectl::yaml {

/// Reports values of `settings` and `launch` that none of the variants takes. A variant that a glob brought
/// in may refuse a value, one that is listed by name may not.
void check_variants(Reader& reader, const std::vector<VariantEntry>& entries, const Settings& settings,
                    const LaunchSettings& launch);

/// The points of an experiment: for each size, dtype, cache state and launch mode all variants that take
/// them. Stops soon after the first `most`.
std::vector<PointId> variant_points(const std::vector<VariantEntry>& entries, const Settings& settings,
                                    const LaunchSettings& launch, const std::string& experiment,
                                    std::size_t most);

}  // namespace rooflinectl::yaml
