// SPDX-License-Identifier: Apache-2.0
#include "reports/text/template.h"

namespace rooflinectl {

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

}  // namespace rooflinectl
