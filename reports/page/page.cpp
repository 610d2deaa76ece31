// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <fmt/format.h>

#include <map>

#include "core/files/compression.h"
#include "reports/draw/embedded.h"
#include "reports/draw/svg.h"
#include "reports/draw/theme_css.h"
#include "reports/page/base64.h"
#include "reports/page/page_data.h"
#include "reports/page/page_static.h"
#include "reports/tables/environment_facts.h"
#include "reports/text/format.h"

namespace rooflinectl {
namespace {

using Filling = std::map<std::string, std::string, std::less<>>;

// Replaces each `<!--rooflinectl:name-->` of the template; what is put in is not looked at again.
std::string filled(std::string_view page, const Filling& parts) {
  constexpr std::string_view kOpen = "<!--rooflinectl:";
  constexpr std::string_view kClose = "-->";
  std::size_t size = page.size();
  for (const auto& [name, part] : parts) size += part.size();
  std::string result;
  result.reserve(size);
  while (true) {
    const std::size_t open = page.find(kOpen);
    result += page.substr(0, open);
    if (open == std::string_view::npos) return result;
    page.remove_prefix(open + kOpen.size());
    const std::size_t close = page.find(kClose);
    result += parts.find(page.substr(0, close))->second;
    page.remove_prefix(close + kClose.size());
  }
}

}  // namespace

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
