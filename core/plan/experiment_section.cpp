// SPDX-License-Identifier: Apache-2.0
#include "core/plan/experiment_section.h"

#include "core/plan/application_section.h"
#include "core/plan/variant_points.h"
#include "core/plan/variants_section.h"

namespace rooflinectl::yaml {

namespace {

/// What an experiment may hold.
std::vector<std::string> experiment_keys() {
  std::vector<std::string> keys = {"title", "variants", "kernels", "application"};
  for (const auto* more : {&kSettingsKeys, &kLaunchKeys}) keys.insert(keys.end(), more->begin(), more->end());
  return keys;
}

}  // namespace

Experiment read_experiment(Reader& reader, const Field& field, const Settings& defaults,
                           const Catalogue& catalogue, const std::vector<KernelEntry>& kernels,
                           std::size_t most) {
  const std::string what = fmt::format("the experiment '{}'", field.key);
  const Position position =
      field.value.IsMap() || field.value.IsNull() ? field.position : position_of(field.value);
  const Fields fields = reader.settings(field.value, position, what, experiment_keys());

  Experiment experiment;
  experiment.name = field.key;
  experiment.title = field.key;
  if (const Field* title = find(fields, "title")) {
    experiment.title = reader.single_value(title->value).value_or("");
  }
  Settings settings = read_settings(reader, fields, defaults);
  if (settings.dtypes.empty()) settings.dtypes = {{Dtype::f32, field.position}};
  experiment.timing = settings.timing;
  experiment.counters = settings.counters;
  experiment.energy = settings.energy;

  const LaunchSettings launch = read_launch_settings(reader, fields);
  if (const Field* application = find(fields, "application")) {
    experiment.application = read_application(reader, *application);
  }
  // A program alone is something to measure, and so are kernels.
  const bool has_others = experiment.application || find(fields, "kernels") != nullptr;
  if (!has_others || find(fields, "variants") != nullptr) {
    reader.require(field.value, "variants", field.position, what);
    if (settings.sizes.empty() && find(fields, "sizes_per_gpu") == nullptr) {
      reader.require(field.value, "sizes", field.position, what);
    }
  }
  if (const Field* variants = find(fields, "variants")) {
    const std::vector<VariantEntry> entries = read_variants(reader, *variants, catalogue);
    check_variants(reader, entries, settings, launch);
    experiment.points = variant_points(entries, settings, launch, experiment.name, most);
  }
  if (const Field* chosen = find(fields, "kernels")) {
    std::vector<KernelPoints> of_points;
    for (const KernelEntry* entry : chosen_kernels(reader, *chosen, kernels)) {
      of_points.push_back({entry, &settings, &reader});
    }
    for (PointId& point : kernel_points(of_points, experiment.name, most)) {
      experiment.points.push_back(std::move(point));
    }
  }
  return experiment;
}

}  // namespace rooflinectl::yaml
