// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/timeline/timeline_view.h"
#include "reports/page/page_json.h"

namespace rooflinectl::page {

/// The samples of an experiment's device, what ran meanwhile, and its phases. Launches name their points by
/// the places in `experiment`.
Json timeline(const Run& run, const ExperimentAnalysis& experiment, const Timeline& timeline,
              const DeviceView& view);

}  // namespace rooflinectl::page
