// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "analysis/roofline/executed/executed_work.h"
#include "core/model/known_ceilings.h"
#include "reports/charts/model/chart_model.h"
#include "reports/page/page_parts.h"

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
  if (ceiling.kind != CeilingKind::bandwidth) return Json::array();
  return list_of(others, [&](const Ceiling* other) {
    return other->kind == CeilingKind::compute ? rounded(ridge_ai(ceiling.value, other->value))
                                               : Json(nullptr);
  });
}

/// The bandwidths that the points are compared with; for a level without any, its read bandwidth.
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

/// For a program's kernels: the pipe that each needs longest, and the DRAM ceiling under which most of the
/// time was spent. Others of the same level are so close that their names would cover each other.
std::set<std::string> roofs_of_program(const ExperimentAnalysis& experiment) {
  std::set<std::string> ids;
  std::map<std::string, std::map<MemoryLevel, double>> time_of;
  for (const RooflinePoint& point : experiment.points) {
    if (!point.launches) continue;
    // Without a known number of operations it has no mark for the roof to be over.
    const ResourceUse* pipe = main_pipe(point.resources);
    if (pipe != nullptr && point.flops_executed) ids.insert(pipe->ceilings.begin(), pipe->ceilings.end());
    for (const LevelUse& use : point.levels) time_of[use.ceiling][use.level] += point.launches->total_s;
  }
  for (const MemoryLevel level : kMemoryLevels) {
    const auto most = std::ranges::max_element(
        time_of, [&](auto& a, auto& b) { return a.second[level] < b.second[level]; });
    if (most != time_of.end() && most->second[level] > 0) ids.insert(most->first);
  }
  return ids;
}

// The places in `roofs` of those of the device that are wanted.
template <typename IsWanted>
Json places(const Run& run, std::size_t device, IsWanted is_wanted) {
  Json list = Json::array();
  const std::vector<const Ceiling*> ceilings = drawn(run);
  for (std::size_t i = 0; i < ceilings.size(); ++i) {
    if (ceilings[i]->device == device && is_wanted(*ceilings[i])) list.push_back(i);
  }
  return list;
}

// `main`: drawn with their names; `others`: thin lines.
template <typename IsMain, typename IsOther>
Json roof_set(const Run& run, std::size_t device, IsMain is_main, IsOther is_other) {
  const auto is_thin = [&](const Ceiling& ceiling) { return !is_main(ceiling) && is_other(ceiling); };
  return {{"main", places(run, device, is_main)}, {"others", places(run, device, is_thin)}};
}

}  // namespace

Json roofs(const Run& run) {
  const std::vector<const Ceiling*> ceilings = drawn(run);
  return list_of(ceilings, [&](const Ceiling* ceiling) -> Json {
    return {{"text", roof_line(*ceiling).text},
            {"kind", to_string(ceiling->kind)},
            {"source", to_string(ceiling->source)},
            {"subject", ceiling->subject},
            {"value", ceiling->value},
            {"ridges", ridges(*ceiling, ceilings)}};
  });
}

Json roofs_of(const Run& run, std::size_t device, const std::vector<std::string_view>& ids) {
  return places(run, device, [&](const Ceiling& ceiling) {
    return ceiling.source == roof_source(run, device) && std::ranges::find(ids, ceiling.id) != ids.end();
  });
}

Json roof_sets(const Run& run, const ExperimentAnalysis& experiment) {
  const std::set<std::string> ids = main_bandwidths(run, experiment);
  const bool is_of_program =
      std::ranges::all_of(experiment.points, [](const auto& point) { return is_observed(point); });
  const std::set<std::string> of_program = roofs_of_program(experiment);
  const auto is_main = [&](const Ceiling& ceiling) {
    if (is_of_program && !of_program.empty()) return of_program.contains(ceiling.id);
    return ceiling.kind == CeilingKind::compute || ceiling.source == CeilingSource::theoretical ||
           ids.contains(ceiling.id);
  };
  Json sets = Json::object();
  for (const MemoryLevel level : kMemoryLevels) {
    const auto is_of_level = [&](const Ceiling& ceiling) {
      return ceiling.subject == to_string(level) && ceiling.operation != "triad";
    };
    sets[std::string(to_string(level))] = roof_set(
        run, experiment.device,
        [&](const Ceiling& ceiling) {
          return (ceiling.kind == CeilingKind::compute || is_of_level(ceiling)) && is_main(ceiling);
        },
        is_of_level);
  }
  sets["all"] = roof_set(run, experiment.device, is_main, [](const Ceiling&) { return false; });
  return sets;
}

Json roofs_alone(const Run& run, std::size_t device) {
  const auto is_main = [](const Ceiling& ceiling) {
    return ceiling.kind == CeilingKind::compute || ceiling.source == CeilingSource::theoretical ||
           ceiling.operation == "read";
  };
  return roof_set(run, device, is_main, [](const Ceiling&) { return false; });
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
  std::ranges::stable_sort(ordered, {}, subject_rank);
  return list_of(ordered, [](std::string_view id) -> Json {
    return {{"id", id}, {"name", subject_name(id)}};
  });
}

}  // namespace rooflinectl::page
