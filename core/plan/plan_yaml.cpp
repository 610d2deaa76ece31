// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_yaml.h"

#include <filesystem>

#include "core/plan/experiment_section.h"
#include "core/plan/kernels_section.h"
#include "core/plan/settings_section.h"
#include "core/plan/yaml_reader.h"

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
    return read_settings(
        reader_, reader_.settings(field->value, position_of(field->value), "'defaults'", yaml::kSettingsKeys),
        {});
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
    const auto members = reader_.fields(field.value, position_of(field.value), "'experiments'");
    if (field.value.IsMap() && members.empty()) reader_.fail(field.position, "the plan has no experiments");
    std::vector<Experiment> experiments;
    std::size_t n_points = 0;
    bool has_application = false;
    for (const Field& member : members) {
      reader_.check_name(member.key, member.position, "name of the experiment");
      experiments.push_back(
          read_experiment(reader_, member, defaults, catalogue_, kernels_, kMaxPoints - n_points));
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
