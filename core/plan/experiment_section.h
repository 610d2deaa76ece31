// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/catalogue.h"
#include "core/model/plan.h"
#include "core/plan/kernels_section.h"
#include "core/plan/settings_section.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// One member of `experiments`, with its points: soon after the first `most` of them it stops. `kernels` are
/// those of the plan.
Experiment read_experiment(Reader& reader, const Field& field, const Settings& defaults,
                           const Catalogue& catalogue, const std::vector<KernelEntry>& kernels,
                           std::size_t most);

/// The member `application` of an experiment.
PlannedApplication read_application(Reader& reader, const Field& field);

}  // namespace rooflinectl::yaml
