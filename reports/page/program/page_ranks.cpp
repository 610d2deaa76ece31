// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/devices/ranks.h"
#include "reports/page/page_parts.h"
#include "reports/page/program/page_program.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

// No screen has more pixels in height.
Json coarse_share(double share) {
  return serial::rounded(share, 3);
}

// A row for each phase, a column for each rank; for many ranks, only those at even distances.
Json phase_map(const RankAnalysis& analysis) {
  constexpr std::size_t kMostPhases = 30;
  constexpr std::size_t kMostRanks = 256;
  const std::size_t n_ranks = analysis.ranks.size();
  const std::size_t shown = std::min(n_ranks, kMostRanks);
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < shown; ++i) {
    columns.push_back(shown == n_ranks ? i : i * (n_ranks - 1) / (shown - 1));
  }
  Json names = Json::array();
  for (const std::size_t rank : columns) names.push_back(analysis.ranks[rank].name);
  Json rows = Json::array();
  const std::size_t n_phases = std::min(analysis.phases.size(), kMostPhases);
  for (std::size_t i = 0; i < n_phases; ++i) {
    const RankPhase& phase = analysis.phases[i];
    Json times = Json::array();
    Json texts = Json::array();
    for (const std::size_t rank : columns) {
      times.push_back(rounded(phase.times_s[rank]));
      texts.push_back(format::duration(phase.times_s[rank]));
    }
    rows.push_back({{"name", phase.name}, {"times_s", times}, {"texts", texts}});
  }
  return {{"ranks", names},
          {"left_out_ranks", n_ranks - shown},
          {"rows", rows},
          {"left_out_phases", analysis.phases.size() - n_phases}};
}

// The ranks that use the device, as the name of a lane.
std::string lane_name(const ReportModel& report, std::size_t device) {
  std::vector<std::string> names;
  for (const RankUse& rank : report.ranks->ranks) {
    const auto& devices = rank.process->devices;
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) names.push_back(rank.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

Json lanes(const ReportModel& report) {
  const RankLanes& found = *report.rank_lanes;
  Json list = Json::array();
  for (const RankLane& lane : found.lanes) {
    Json compute = Json::array();
    Json collectives = Json::array();
    for (const std::optional<LaneBin>& bin : lane.bins) {
      compute.push_back(bin ? coarse_share(bin->compute) : Json(nullptr));
      collectives.push_back(bin ? coarse_share(bin->collectives) : Json(nullptr));
    }
    list.push_back({{"name", lane_name(report, lane.device)},
                    {"device", lane.device},
                    {"compute", compute},
                    {"collectives", collectives}});
  }
  const double duration_s = static_cast<double>(found.bin_ns * found.lanes.front().bins.size()) * 1e-9;
  return {{"duration", format::duration(duration_s)}, {"lanes", list}};
}

/// How the ranks' GPUs spend a step, or all time: `GPU busy 31.2 %, waiting 33.0 %, idle 35.8 %`.
std::string use_of_time(const ReportModel& report, const RankUse& rank) {
  for (const ExperimentReport& one : report.experiments) {
    const auto& devices = rank.process->devices;
    if (one.is_together() || !one.program || devices.size() != 1 || one.analysis->device != devices.front())
      continue;
    const auto busy = one.program->busy_share();
    if (!busy) return {};
    const double waiting = one.program->waiting_share();
    return fmt::format("GPU busy {}, waiting {}, idle {}", format::percent(*busy), format::percent(waiting),
                       format::percent(std::max(0.0, 1 - *busy - waiting)));
  }
  return {};
}

/// What the ranks did in two typical steps, beside each other; null if that is not known.
Json side_by_side(const ReportModel& report) {
  constexpr double kWithoutStepsS = 20e-3;
  constexpr double kSteps = 2;
  const auto& program = report.experiments.front().program;
  const bool has_steps = program && program->step != nullptr;
  const double duration_s = has_steps ? kSteps * *program->step->interval_s : kWithoutStepsS;
  const Application& application = *report.run.application;
  const auto window = typical_window(application, static_cast<std::uint64_t>(duration_s * 1e9));
  if (!window) return nullptr;
  Json list = Json::array();
  for (const RankUse& rank : report.ranks->ranks) {
    Json spans = Json::array();
    for (const CollectiveSpan& span : window->processes[rank.process - application.processes.data()]) {
      const auto part = [&](std::uint64_t ns) {
        return serial::rounded(static_cast<double>(ns) / static_cast<double>(window->duration_ns), 4);
      };
      spans.push_back({part(span.start_ns), part(span.duration_ns), part(span.wait_ns)});
    }
    const std::string last =
        rank.collectives > 0 ? fmt::format("last in {}", format::whole_percent(rank.last_share())) : "";
    list.push_back(
        {{"name", rank.name}, {"last", last}, {"use", use_of_time(report, rank)}, {"collectives", spans}});
  }
  return {{"what", has_steps ? fmt::format("Two steps of typical waiting, {}", format::duration(duration_s))
                             : fmt::format("{} of typical waiting", format::duration(duration_s))},
          {"ranks", list}};
}

}  // namespace

Json ranks(const ReportModel& report) {
  constexpr std::size_t kMostRows = 500;
  const RankAnalysis& analysis = *report.ranks;
  const Json tables = titled_tables(rank_tables(report.run, analysis, kMostRows));
  return {{"sentences", rank_sentences(report.run, analysis)},
          {"side_by_side", side_by_side(report)},
          {"phases", phase_map(analysis)},
          {"lanes", report.rank_lanes ? lanes(report) : Json(nullptr)},
          {"tables", tables}};
}

}  // namespace rooflinectl::page
