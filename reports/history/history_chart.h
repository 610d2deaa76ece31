// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "reports/history/history_reports.h"

namespace rooflinectl {

/// One quantity of a point over the runs as a small SVG, for a page: a line through its values, runs at equal
/// distances, a mark where the point changed, and a dashed line where the environment did. Its CSS classes
/// are those of `history.html`. Values that differ by less than a tenth look almost flat, as in a sparkline.
std::string history_chart(const HistoryReport& report, const PointHistory& point,
                          const FollowedQuantity& quantity);

}  // namespace rooflinectl
