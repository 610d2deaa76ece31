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

// JSON inside <script>: without `<` no name can end the element or open a comment.
std::string script_safe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (std::size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<')) {
    safe += json.substr(0, at);
    safe += "\\u003c";
    json.remove_prefix(at + 1);
  }
  safe += json;
  return safe;
}

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
  filling["data"] = script_safe(page_data(report));
  // Compressed, since they are seldom asked for and as large as all that the page shows.
  filling["points"] = base64(deflated(parts.points_csv));
  filling["run"] = base64(deflated(run_to_json(run)));
  return filled(embedded::page(), filling);
}

}  // namespace rooflinectl
