// SPDX-License-Identifier: Apache-2.0
#include "reports/page.h"

#include <fmt/format.h>

#include <map>

#include "reports/embedded.h"
#include "reports/environment_facts.h"
#include "reports/format.h"
#include "reports/page_data.h"
#include "reports/page_static.h"
#include "reports/svg.h"

namespace rooflinectl {
namespace {

// JSON inside <script>: without `<` no name can end the element or open a comment.
std::string script_safe(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

// Replaces each `<!--rooflinectl:name-->` of the template; what is put in is not looked at again.
std::string filled(std::string_view page, const std::map<std::string, std::string, std::less<>>& parts) {
  constexpr std::string_view kOpen = "<!--rooflinectl:";
  constexpr std::string_view kClose = "-->";
  std::string result;
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

std::string report_page(const Run& run, const Analysis& analysis, const std::vector<std::string>& pictures) {
  return filled(
      embedded::page(),
      {{"title", escape_markup(fmt::format("{} on {}", run.plan.name, run.device.name))},
       {"subtitle", escape_markup(fmt::format("{} · {} · rooflinectl {}", format::utc(run.started_utc),
                                              to_string(run.source), run.tool_version))},
       {"without-script", page_without_script(run, analysis, pictures)},
       {"data", script_safe(page_data(run, analysis))},
       {"run", script_safe(run_to_json(run))}});
}

}  // namespace rooflinectl
