// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/model/report_model.h"

namespace rooflinectl {

/// The timelines of a run as Perfetto's protobuf trace, which https://ui.perfetto.dev opens. For each device
/// that was sampled: launches by stream, copies, times without samples, and as counters the % of roofline of
/// what runs, FLOP/s, and what was sampled; for each process, its passages through NVTX ranges. Times are
/// nanoseconds since the first traced launch. Where a counter is unknown it is -1, which no counter can be:
/// Perfetto cannot show a counter without a value, and keeps each value until the next.
std::string perfetto_trace(const ReportModel& report);

}  // namespace rooflinectl
