// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_yaml.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "core/plan/kernels_section.h"
#include "core/plan/settings_section.h"
#include "core/plan/variants_section.h"
#include "core/plan/yaml_reader.h"
#include "core/program/profile_settings.h"
#include "core/text/names.h"
#include "core/text/written_number.h"

namespace rooflinectl::yaml {

namespace {

/// What an experiment may hold.
std::vector<std::string> experiment_keys() {
  std::vector<std::string> keys = {"title", "variants", "kernels", "application"};
  for (const auto* more : {&kSettingsKeys, &kLaunchKeys}) keys.insert(keys.end(), more->begin(), more->end());
  return keys;
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
  for (const Field& variable : reader.fields(field)) {
    if (variable.key.empty() || variable.key.find('=') != std::string::npos) {
      reader.fail(variable.position, fmt::format("{} is not a variable name", in_quotes(variable.key)));
    }
    application.environment[variable.key] = reader.single_value(variable.value).value_or("");
  }
}

int read_samples(Reader& reader, const Field& field, int otherwise) {
  const auto text = reader.single_value(field.value);
  if (!text) return otherwise;
  const auto samples = parse_number<int>(*text);
  if (samples && *samples >= 1) return *samples;
  reader.fail(position_of(field.value),
              fmt::format("'samples' must be a positive integer, not {}", in_quotes(*text)));
  return otherwise;
}

/// The member `application` of an experiment.
PlannedApplication read_application(Reader& reader, const Field& field) {
  const Fields fields =
      reader.settings(field, {"command", "env", "cwd", "kernels", "nvtx", "capture", "samples"});
  reader.require(field.value, "command", field.position, "the application");
  PlannedApplication application;
  if (const Field* command = find(fields, "command")) application.command = read_command(reader, *command);
  if (const Field* variables = find(fields, "env")) read_variables(reader, *variables, application);
  application.folder = reader.text(fields, "cwd");
  application.nvtx = reader.text(fields, "nvtx");
  if (const Field* kernels = find(fields, "kernels")) {
    application.kernels = reader.text(fields, "kernels");
    try {
      const LaunchFilter checked(application.kernels, "");
    } catch (const Error& error) {
      reader.fail(position_of(kernels->value), error.what());
    }
  }
  if (const Field* capture = find(fields, "capture")) {
    application.capture = reader.text(fields, "capture");
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

/// One member of `experiments`, with its points: soon after the first `most` of them it stops. `kernels` are
/// those of the plan.
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

}  // namespace

}  // namespace rooflinectl::yaml

namespace rooflinectl {

namespace {

using yaml::Field;
using yaml::Fields;
using yaml::position_of;

/// Each section of a plan has a file of its own; this reads them from the top.
class PlanReader {
 public:
  PlanReader(Mistakes& mistakes, const Catalogue& catalogue, std::string folder,
             const ReadSource& read_source)
      : mistakes_(mistakes),
        reader_(mistakes),
        catalogue_(catalogue),
        folder_(std::move(folder)),
        read_source_(read_source) {}

  Plan read(const YAML::Node& root) {
    const Fields fields =
        reader_.settings(root, position_of(root), "a plan",
                         {"name", "ceilings", "primitives", "defaults", "kernels", "experiments"});
    reader_.require(root, "name", position_of(root), "the plan");
    // Primitives alone are something to measure, and so are kernels.
    if (find(fields, "primitives") == nullptr && find(fields, "kernels") == nullptr) {
      reader_.require(root, "experiments", position_of(root), "the plan");
    }
    Plan plan;
    plan.name = read_name(fields);
    plan.ceilings = read_ceilings(reader_, fields, catalogue_);
    plan.primitives = read_primitives(reader_, fields, catalogue_);
    const yaml::Settings defaults = read_defaults(fields);
    if (const Field* kernels = find(fields, "kernels")) read_kernels_of_plan(*kernels);
    if (const Field* experiments = find(fields, "experiments")) {
      plan.experiments = read_experiments(*experiments, defaults);
    } else if (!kernels_.empty()) {
      plan.experiments = {experiment_of_kernels(defaults)};
    }
    for (yaml::KernelEntry& entry : kernels_) plan.kernels.push_back(std::move(entry.kernel));
    return plan;
  }

 private:
  std::string read_name(const Fields& fields) {
    const Field* const field = find(fields, "name");
    if (field == nullptr) return {};
    const auto name = reader_.single_value(field->value);
    if (name) reader_.check_name(*name, position_of(field->value), "name of the plan");
    return name.value_or("");
  }

  yaml::Settings read_defaults(const Fields& fields) {
    const Field* const field = find(fields, "defaults");
    if (field == nullptr) return {};
    return read_settings(reader_, reader_.settings(*field, yaml::kSettingsKeys), {});
  }

  void read_kernels_of_plan(const Field& field) {
    kernels_ = yaml::read_kernels(reader_, field, folder_, "", read_source_);
    for (const yaml::KernelEntry& entry : kernels_) {
      yaml::check_reference(reader_, entry, kernels_);
      if (catalogue_.find_variant(entry.kernel.id) == nullptr) continue;
      reader_.fail(entry.position, fmt::format("'{}' is the name of a built-in variant", entry.kernel.id));
    }
  }

  /// All of them.
  Experiment experiment_of_kernels(const yaml::Settings& settings) {
    std::vector<yaml::KernelPoints> kernels;
    for (const yaml::KernelEntry& entry : kernels_) kernels.push_back({&entry, &settings, &reader_});
    return yaml::experiment_of(kernels, kMaxPoints);
  }

  std::vector<Experiment> read_experiments(const Field& field, const yaml::Settings& defaults) {
    const auto members = reader_.fields(field);
    if (field.value.IsMap() && members.empty()) reader_.fail(field.position, "the plan has no experiments");
    std::vector<Experiment> experiments;
    std::size_t n_points = 0;
    bool has_application = false;
    for (const Field& member : members) {
      reader_.check_name(member.key, member.position, "name of the experiment");
      experiments.push_back(
          yaml::read_experiment(reader_, member, defaults, catalogue_, kernels_, kMaxPoints - n_points));
      n_points += experiments.back().points.size();
      if (experiments.back().application && has_application) {
        reader_.fail(member.position, "another experiment has an application already: a plan holds one");
      }
      has_application = has_application || experiments.back().application;
      if (n_points > kMaxPoints) {
        reader_.fail(member.position, fmt::format("the plan has more than {} points", kMaxPoints));
        mistakes_.throw_if_any();
      }
    }
    return experiments;
  }

  Mistakes& mistakes_;
  yaml::Reader reader_;
  const Catalogue& catalogue_;
  std::string folder_;
  const ReadSource& read_source_;
  std::vector<yaml::KernelEntry> kernels_;
};

/// What some editors write at the start of UTF-8 text. It does not count as a column.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Plan parse_plan(std::string_view text, std::string_view file_name, const Catalogue& catalogue,
                const ReadSource& read_source) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Mistakes mistakes(file_name, text);
  const YAML::Node root = yaml::load(text, mistakes);
  Plan plan =
      PlanReader(mistakes, catalogue, std::filesystem::path(file_name).parent_path().string(), read_source)
          .read(root);
  mistakes.throw_if_any();
  plan.text = text;
  return plan;
}

}  // namespace rooflinectl
