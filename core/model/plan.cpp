// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.h"

#include <algorithm>

#include "core/enum_names.h"

namespace rooflinectl {

std::string_view to_string(CounterSet set) {
  return enumerator_name(set);
}

std::optional<CounterSet> counter_set_from(std::string_view name) {
  return enumerator_from<CounterSet>(name);
}

const Experiment* experiment_with_application(const Plan& plan) {
  const auto found =
      std::find_if(plan.experiments.begin(), plan.experiments.end(),
                   [](const Experiment& experiment) { return experiment.application.has_value(); });
  return found == plan.experiments.end() ? nullptr : &*found;
}

bool has_ceilings_alone(const Plan& plan) {
  return plan.experiments.empty() && plan.primitives.empty();
}

const FileKernel* find_file_kernel(const Plan& plan, std::string_view id) {
  for (const FileKernel& kernel : plan.kernels) {
    if (kernel.id == id) return &kernel;
  }
  return nullptr;
}

std::vector<PointId> all_points(const Plan& plan) {
  std::vector<PointId> points;
  for (const Experiment& experiment : plan.experiments) {
    points.insert(points.end(), experiment.points.begin(), experiment.points.end());
  }
  return points;
}

}  // namespace rooflinectl
