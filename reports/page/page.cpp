// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <fmt/format.h>

#include "core/files/compression.h"
#include "reports/charts/model/chart_model.h"
#include "reports/draw/theme.h"
#include "reports/sentences/sentences.h"
#include "reports/text/format.h"
#include "reports/text/markup.h"

namespace rooflinectl {
std::string report_page(const ReportModel& report, const PageParts& parts) {
  const Run& run = report.run;
  Filling filling;
  filling["title"] = escape_markup(fmt::format("{}{} on {}", headline_prefix(run, report.is_incomplete()),
                                               run.plan.name, device_text(run)));
  filling["subtitle"] = escape_markup(fmt::format("{} · {} · rooflinectl {}", format::utc(run.started_utc),
                                                  to_string(run.source), run.tool_version));
  filling["theme"] = fmt::format("<style>\n{}</style>", theme_css());
  filling["without-script"] = page_without_script(report, parts);
  // Compressed: a tenth of the bytes. Digits of base64 cannot end the element.
  filling["data"] = base64(deflated(page_data(report)));
  filling["points"] = base64(deflated(parts.points_csv));
  filling["run"] = base64(deflated(run_to_json(run)));
  return filled(embedded::page(), filling);
}

}  // namespace rooflinectl
