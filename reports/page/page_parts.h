// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json.h"
#include "reports/model/report_model.h"
#include "reports/text/format.h"
#include "reports/text/text_table.h"

/// The parts of the page's data: experiments, roofs and tables, and what they are written with.
namespace rooflinectl::page {

using serial::Json, serial::list_of;

// Finer than any screen, with half as many bytes as all digits would take.
inline Json rounded(double value) {
  return serial::rounded(value, 6);
}

// No screen has more pixels in height.
inline Json coarse(double value, int digits = 4) {
  return serial::rounded(value, digits);
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
  return fmt::format("[{}]", format::joined(texts, ","));
}

/// What recurs from point to point is written once: points have its number, from 0.
template <typename Item>
class Numbered {
 public:
  std::size_t number_of(const Item& item) {
    const auto [entry, is_new] = numbers_.try_emplace(item, numbers_.size());
    if (is_new) items_.push_back(item);
    return entry->second;
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::map<Item, std::size_t> numbers_;
  std::vector<Item> items_;
};

/// One experiment with its points, steps and roofs, as the text of a JSON object.
std::string experiment(const ReportModel& model, const ExperimentReport& report);

/// Every ceiling that is drawn as a line, and where it meets the others.
Json roofs(const Run& run);

/// The places in `roofs` of those over the points of `experiment`, for each memory level and for all of them.
Json roof_sets(const Run& run, const ExperimentAnalysis& experiment);

/// The places in `roofs` of the measured ones on `device` with these ids; `f32_fma + f32_add` names two.
Json roofs_of(const Run& run, std::size_t device, const std::vector<std::string_view>& ids);

/// The places in `roofs` of those that a chart of `device` without points shows.
Json roofs_alone(const Run& run, std::size_t device);

/// The precisions of roofs and points, from the widest to the narrowest.
Json precisions(const ReportModel& report);

Json table(const Table& table);

/// Those that have something to show, with their titles.
Json titled_tables(const std::vector<Table>& tables);

/// The same with what they mean.
Json explained_tables(std::string_view explanation, const std::vector<Table>& tables);

/// What casts doubt on numbers of the experiment: the first sentences, and how many more there are.
std::vector<std::string> implausible(const ExperimentAnalysis& experiment);

}  // namespace rooflinectl::page
