// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/catalogue.h"
#include "core/plan/settings_section.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// Launch parameters asked for, where the variant has them. Empty: the variant's own.
struct LaunchSettings {
  List<int> block;
  List<int> elements_per_thread;
  List<int> gpus;
};

/// The keys that stand for them.
extern const std::vector<std::string> kLaunchKeys;

LaunchSettings read_launch_settings(Reader& reader, const Fields& fields);

/// One entry of the list `variants`.
struct VariantEntry {
  std::string pattern;  ///< an id, a glob, or `all`
  Position position;
  LaunchSettings launch;
  std::vector<const VariantInfo*> variants;  ///< that it stands for

  bool by_name() const { return pattern.find_first_of("*?") == std::string::npos && pattern != "all"; }
};

/// The list `variants` of an experiment, or its only entry: ids and globs, each with or without launch
/// settings of its own. The entries point into `catalogue`.
std::vector<VariantEntry> read_variants(Reader& reader, const Field& field, const Catalogue& catalogue);

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
