// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/report_model.h"

namespace rooflinectl {

/// The timelines of a run as Perfetto's protobuf trace, which https://ui.perfetto.dev opens. Of each device
/// that was sampled: launches by stream, copies, times without samples, and as counters the share of the
/// roofline of what runs, FLOP/s, and what was sampled; of each process, its passages through NVTX ranges.
/// Times are nanoseconds since the first traced launch. Where a counter is not known it is -1, which none of
/// them can be: Perfetto has no counter without a value, and shows the one before until the next.
std::string perfetto_trace(const ReportModel& report);

}  // namespace rooflinectl
