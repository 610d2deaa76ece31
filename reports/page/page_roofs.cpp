// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page_roofs.h"

#include <algorithm>
#include <set>

#include "core/model/ceiling_subjects.h"
#include "reports/charts/roof_lines.h"

namespace rooflinectl::page {
namespace {

std::vector<const Ceiling*> drawn(const Run& run) {
  std::vector<const Ceiling*> ceilings;
  for (const Ceiling& ceiling : run.ceilings) {
    if (is_roof(ceiling.kind) && is_drawable(ceiling.value)) ceilings.push_back(&ceiling);
  }
  return ceilings;
}

// Where the bandwidth meets each of the others; null for those that it never meets.
Json ridges(const Ceiling& ceiling, const std::vector<const Ceiling*>& others) {
  Json list = Json::array();
  if (ceiling.kind != CeilingKind::bandwidth) return list;
  for (const Ceiling* other : others) {
    list.push_back(other->kind == CeilingKind::compute ? rounded(ridge_ai(ceiling.value, other->value))
                                                       : Json(nullptr));
  }
  return list;
}

/// The bandwidths that the points are held against; for a level without any, its read bandwidth.
std::set<std::string> main_bandwidths(const Run& run, const ExperimentAnalysis& experiment) {
  std::set<std::string> ids;
  std::set<std::string> subjects;
  for (const RooflinePoint& point : experiment.points) {
    if (point.roof) ids.insert(point.roof->memory_ceiling);
    for (const LevelUse& use : point.levels) ids.insert(use.ceiling);
  }
  const auto is_here = [&](const Ceiling& ceiling) { return ceiling.device == experiment.device; };
  for (const Ceiling& ceiling : run.ceilings) {
    if (is_here(ceiling) && ids.contains(ceiling.id)) subjects.insert(ceiling.subject);
  }
  for (const Ceiling& ceiling : run.ceilings) {
    const bool is_read = is_here(ceiling) && ceiling.operation == "read";
    if (is_read && !subjects.contains(ceiling.subject)) ids.insert(ceiling.id);
  }
  return ids;
}

// `main`: drawn with their names; `others`: thin lines.
template <typename IsMain, typename IsOther>
Json roof_set(const Run& run, std::size_t device, IsMain is_main, IsOther is_other) {
  Json main = Json::array();
  Json others = Json::array();
  const std::vector<const Ceiling*> ceilings = drawn(run);
  for (std::size_t i = 0; i < ceilings.size(); ++i) {
    const Ceiling& ceiling = *ceilings[i];
    if (ceiling.device != device) continue;
    if (ceiling.kind == CeilingKind::compute || is_main(ceiling)) {
      main.push_back(i);
    } else if (is_other(ceiling)) {
      others.push_back(i);
    }
  }
  return {{"main", main}, {"others", others}};
}

}  // namespace

Json roofs(const Run& run) {
  Json list = Json::array();
  const std::vector<const Ceiling*> ceilings = drawn(run);
  for (const Ceiling* ceiling : ceilings) {
    list.push_back({{"text", roof_line(*ceiling).text},
                    {"kind", to_string(ceiling->kind)},
                    {"source", to_string(ceiling->source)},
                    {"subject", ceiling->subject},
                    {"value", ceiling->value},
                    {"ridges", ridges(*ceiling, ceilings)}});
  }
  return list;
}

Json roof_sets(const Run& run, const ExperimentAnalysis& experiment) {
  const std::set<std::string> ids = main_bandwidths(run, experiment);
  const auto is_main = [&](const Ceiling& ceiling) {
    return ceiling.source == CeilingSource::theoretical || ids.contains(ceiling.id);
  };
  Json sets = Json::object();
  for (const MemoryLevel level : kMemoryLevels) {
    const auto is_of_level = [&](const Ceiling& ceiling) {
      return ceiling.subject == to_string(level) && ceiling.operation != "triad";
    };
    sets[std::string(to_string(level))] = roof_set(
        run, experiment.device,
        [&](const Ceiling& ceiling) { return is_of_level(ceiling) && is_main(ceiling); }, is_of_level);
  }
  sets["all"] = roof_set(run, experiment.device, is_main, [](const Ceiling&) { return false; });
  return sets;
}

Json roofs_alone(const Run& run) {
  const auto is_main = [](const Ceiling& ceiling) {
    return ceiling.source == CeilingSource::theoretical || ceiling.operation == "read";
  };
  return roof_set(run, Run::kFirstDevice, is_main, [](const Ceiling&) { return false; });
}

Json precisions(const ReportModel& report) {
  std::set<std::string_view> named;
  for (const Ceiling* ceiling : drawn(report.run)) {
    if (ceiling->kind == CeilingKind::compute) named.insert(ceiling->subject);
  }
  for (const ExperimentReport& experiment : report.experiments) {
    for (const RooflinePoint& point : experiment.analysis->points) named.insert(to_string(point.precision));
  }
  std::vector<std::string_view> ordered(named.begin(), named.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](std::string_view a, std::string_view b) { return subject_rank(a) < subject_rank(b); });
  return ordered;
}

}  // namespace rooflinectl::page
