// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/support/constructed_run.h"

namespace rooflinectl::constructed {

/// What a sum of `n` floats takes on `gpus` GPUs: its share at 4 TB/s, 3 µs for a launch, and 4 µs for each
/// other GPU.
inline double team_time_s(double n, int gpus) {
  return 3e-6 + n / gpus * 4 / 4e12 + 4e-6 * (gpus - 1);
}

inline void add_team_point(Run& run, Experiment& experiment, std::uint64_t n, int gpus) {
  PointId id{experiment.name, "sum_multi_best",
             axes_of({.dtype = Dtype::f32, .n_elements = n, .block_size = 512, .gpus = gpus})};
  experiment.points.push_back(id);
  Measurement measurement;
  measurement.point = id;
  measurement.launch = {.grid = 1056, .block = 512};
  const auto elements = static_cast<double>(n);
  measurement.work = {.read_bytes = 4 * elements,
                      .written_bytes = 4,
                      .operations = {{Dtype::f32, {.flops = elements - 1}}},
                      .link_bytes = 8.0 * (gpus - 1)};
  measurement.verification = Verification{true, 0, "constructed"};
  measurement.time = time(team_time_s(elements, gpus));
  run.measurements.push_back(std::move(measurement));
}

/// How long a message across the link takes there.
inline constexpr double kLinkLatencyS = 0.8e-6;
inline constexpr double kLinkBytesPerS = 400e9;

/// Sums over one, two and four GPUs: as many floats on each, and the same floats on all.
inline Run scaling_run() {
  Run run = empty_run();
  run.ceilings.push_back(ceiling("nvlink", CeilingKind::transfer, CeilingSource::measured, "nvlink", "",
                                 kLinkBytesPerS, "constructed"));
  run.ceilings.push_back(ceiling("nvlink_latency", CeilingKind::latency, CeilingSource::measured, "nvlink",
                                 "latency", 2 * kLinkLatencyS, "constructed"));
  VariantInfo variant;
  variant.id = "sum_multi_best";
  variant.label = "multi best";
  variant.family = "sum";
  variant.dtypes = {Dtype::f32};
  variant.block_sizes = {512};
  variant.default_block_size = 512;
  variant.several_gpus = true;
  run.catalogue.variants.push_back(variant);
  Experiment weak{.name = "weak", .title = "Sums of as many floats on each GPU", .timing = {}, .points = {}};
  Experiment strong{.name = "strong", .title = "Sums of the same floats", .timing = {}, .points = {}};
  for (const int power : {20, 24, 28}) {
    for (const unsigned gpus : {1U, 2U, 4U}) {
      add_team_point(run, weak, (std::uint64_t{1} << power) * gpus, static_cast<int>(gpus));
      add_team_point(run, strong, std::uint64_t{1} << power, static_cast<int>(gpus));
    }
  }
  run.plan.experiments = {weak, strong};
  return run;
}

}  // namespace rooflinectl::constructed
