// SPDX-License-Identifier: Apache-2.0
#include "core/plan/experiment_section.h"

#include <fmt/format.h>

#include <charconv>

#include "core/error.h"
#include "core/plan/variant_points.h"
#include "core/plan/variants_section.h"
#include "core/program/profile_settings.h"
#include "core/text/names.h"

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

namespace {

std::string text_of(Reader& reader, const Fields& fields, const std::string& key) {
  const Field* const field = find(fields, key);
  return field == nullptr ? "" : reader.single_value(field->value).value_or("");
}

/// A list of words, or a program without arguments.
std::vector<std::string> read_command(Reader& reader, const Field& field) {
  std::vector<std::string> words;
  const auto add = [&](const YAML::Node& node) { words.push_back(reader.single_value(node).value_or("")); };
  if (field.value.IsSequence()) {
    for (const auto& entry : field.value) add(entry);
  } else {
    add(field.value);
    if (words.front().find(' ') != std::string::npos) {
      reader.fail(position_of(field.value), "'command' is a list of words: [python3, train.py]");
    }
  }
  if (words.empty() || words.front().empty()) reader.fail(field.position, "'command' names no program");
  return words;
}

void read_variables(Reader& reader, const Field& field, PlannedApplication& application) {
  for (const Field& variable : reader.fields(field.value, position_of(field.value), "'env'")) {
    if (variable.key.empty() || variable.key.find('=') != std::string::npos) {
      reader.fail(variable.position, fmt::format("{} is not a variable name", in_quotes(variable.key)));
    }
    application.environment[variable.key] = reader.single_value(variable.value).value_or("");
  }
}

int read_samples(Reader& reader, const Field& field, int otherwise) {
  const auto text = reader.single_value(field.value);
  if (!text) return otherwise;
  int samples = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), samples);
  if (error == std::errc() && end == text->data() + text->size() && samples >= 1) return samples;
  reader.fail(position_of(field.value),
              fmt::format("'samples' must be a positive integer, not {}", in_quotes(*text)));
  return otherwise;
}

}  // namespace

PlannedApplication read_application(Reader& reader, const Field& field) {
  const Fields fields = reader.settings(field.value, position_of(field.value), "'application'",
                                        {"command", "env", "cwd", "kernels", "nvtx", "capture", "samples"});
  reader.require(field.value, "command", field.position, "the application");
  PlannedApplication application;
  if (const Field* command = find(fields, "command")) application.command = read_command(reader, *command);
  if (const Field* variables = find(fields, "env")) read_variables(reader, *variables, application);
  application.folder = text_of(reader, fields, "cwd");
  application.nvtx = text_of(reader, fields, "nvtx");
  if (const Field* kernels = find(fields, "kernels")) {
    application.kernels = text_of(reader, fields, "kernels");
    try {
      const LaunchFilter checked(application.kernels, "");
    } catch (const Error& error) {
      reader.fail(position_of(kernels->value), error.what());
    }
  }
  if (const Field* capture = find(fields, "capture")) {
    application.capture = text_of(reader, fields, "capture");
    if (!capture_from(application.capture)) {
      reader.fail(
          position_of(capture->value),
          fmt::format("{} is not one of all, cuda-profiler and nvtx:NAME", in_quotes(application.capture)));
    }
  }
  if (const Field* samples = find(fields, "samples")) {
    application.samples = read_samples(reader, *samples, application.samples);
  }
  return application;
}

}  // namespace rooflinectl::yaml
