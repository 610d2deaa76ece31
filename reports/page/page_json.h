// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "reports/charts/model/chart_model.h"

/// What the parts of the page's data are written with.
namespace rooflinectl::page {

using serial::Json;

// Finer than any screen, with half as many bytes as all digits would take.
inline Json rounded(double value) {
  return serial::rounded(value, 6);
}

inline Json optional_number(const std::optional<double>& value) {
  return value ? rounded(*value) : Json(nullptr);
}

inline Json array_of(const Range& range) {
  return Json::array({rounded(range.low), rounded(range.high)});
}

inline Json window(const Window& window) {
  return {{"ai", array_of(window.ai)}, {"rate", array_of(window.flop_per_s)}};
}

/// The object `text` with one more member. There are many points: as text they take a tenth of the memory of
/// a tree.
inline std::string with_member(std::string text, std::string_view name, std::string_view value) {
  text.pop_back();
  text += fmt::format(R"(,"{}":)", name);
  text += value;
  return text + "}";
}

inline std::string array_text(const std::vector<std::string>& texts) {
  return fmt::format("[{}]", fmt::join(texts, ","));
}

}  // namespace rooflinectl::page
