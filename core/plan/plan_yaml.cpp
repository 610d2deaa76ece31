// SPDX-License-Identifier: Apache-2.0
#include "core/plan/plan_yaml.h"

#include "core/plan/experiment_section.h"
#include "core/plan/selection_sections.h"
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
  PlanReader(Mistakes& mistakes, const Catalogue& catalogue)
      : mistakes_(mistakes), reader_(mistakes), catalogue_(catalogue) {}

  Plan read(const YAML::Node& root) {
    const Fields fields = reader_.settings(root, position_of(root), "a plan",
                                           {"name", "ceilings", "primitives", "defaults", "experiments"});
    reader_.require(root, "name", position_of(root), "the plan");
    // Primitives alone are something to measure.
    if (find(fields, "primitives") == nullptr) {
      reader_.require(root, "experiments", position_of(root), "the plan");
    }
    Plan plan;
    plan.name = read_name(fields);
    plan.ceilings = read_ceilings(reader_, fields, catalogue_);
    plan.primitives = read_primitives(reader_, fields, catalogue_);
    const yaml::Settings defaults = read_defaults(fields);
    if (const Field* experiments = find(fields, "experiments")) {
      plan.experiments = read_experiments(*experiments, defaults);
    }
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

  std::vector<Experiment> read_experiments(const Field& field, const yaml::Settings& defaults) {
    const auto members = reader_.fields(field.value, position_of(field.value), "'experiments'");
    if (field.value.IsMap() && members.empty()) reader_.fail(field.position, "the plan has no experiments");
    std::vector<Experiment> experiments;
    std::size_t n_points = 0;
    bool has_application = false;
    for (const Field& member : members) {
      reader_.check_name(member.key, member.position, "name of the experiment");
      experiments.push_back(read_experiment(reader_, member, defaults, catalogue_, kMaxPoints - n_points));
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
};

/// What some editors write at the start of UTF-8 text. It does not count as a column.
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Plan parse_plan(std::string_view text, std::string_view file_name, const Catalogue& catalogue) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Mistakes mistakes(file_name, text);
  const YAML::Node root = yaml::load(text, mistakes);
  Plan plan = PlanReader(mistakes, catalogue).read(root);
  mistakes.throw_if_any();
  plan.text = text;
  return plan;
}

}  // namespace rooflinectl
