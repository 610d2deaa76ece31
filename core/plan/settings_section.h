// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace rooflinectl::yaml
