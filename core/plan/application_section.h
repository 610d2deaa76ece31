// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/plan/yaml_reader.h"

namespace rooflinectl::yaml {

/// The member `application` of an experiment.
PlannedApplication read_application(Reader& reader, const Field& field);

}  // namespace rooflinectl::yaml
