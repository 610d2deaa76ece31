// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/machine/catalogue.h"
#include "core/model/plan.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// What an experiment, or the `defaults` of the file, can set for all its points.
struct Settings {
  List<Dtype> dtypes;  ///< f32 if empty
  List<std::uint64_t> sizes;
  bool sizes_are_per_gpu = false;  ///< rather than for all GPUs that share the elements
  List<CacheState> cache = {{CacheState::cold, {}}};
  List<LaunchMode> launch = {{LaunchMode::graph, {}}};
  CounterSet counters = CounterSet::basic;
  bool energy = false;
  TimingTarget timing;
};

/// The keys that stand for them.
extern const std::vector<std::string> kSettingsKeys;

/// `defaults` overridden by what `fields` holds.
Settings read_settings(Reader& reader, const Fields& fields, Settings defaults);

/// `ceilings`: the ids that a list of ids and globs stands for; all of the catalogue if there is no list.
std::vector<std::string> read_ceilings(Reader& reader, const Fields& fields, const Catalogue& catalogue);

/// `primitives`: the ids that a list of ids, families and globs stands for, in the order of the catalogue;
/// none if there is no list.
std::vector<std::string> read_primitives(Reader& reader, const Fields& fields, const Catalogue& catalogue);

}  // namespace rooflinectl::yaml
