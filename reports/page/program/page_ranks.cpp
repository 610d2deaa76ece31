// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "analysis/devices/ranks.h"
#include "reports/page/page_parts.h"
#include "reports/page/program/page_program.h"
#include "reports/tables/devices/device_tables.h"
#include "reports/text/format.h"

namespace rooflinectl::page {
namespace {

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
  const auto row = [&](const RankPhase& phase) -> Json {
    const auto time = [&](std::size_t rank) { return rounded(phase.times_s[rank]); };
    const auto text = [&](std::size_t rank) { return format::duration(phase.times_s[rank]); };
    return {{"name", phase.name}, {"times_s", list_of(columns, time)}, {"texts", list_of(columns, text)}};
  };
  const std::span phases = std::span(analysis.phases).first(std::min(analysis.phases.size(), kMostPhases));
  return {{"ranks", list_of(columns, [&](std::size_t rank) { return analysis.ranks[rank].name; })},
          {"left_out_ranks", n_ranks - shown},
          {"rows", list_of(phases, row)},
          {"left_out_phases", analysis.phases.size() - phases.size()}};
}

// The ranks that use the device, as the name of a lane.
std::string lane_name(const ReportModel& report, std::size_t device) {
  std::vector<std::string> names;
  for (const RankUse& rank : report.ranks->ranks) {
    const auto& devices = rank.process->devices;
    if (std::ranges::find(devices, device) != devices.end()) names.push_back(rank.name);
  }
  return format::joined(names);
}

Json lanes(const ReportModel& report) {
  const RankLanes& found = *report.rank_lanes;
  const Json list = list_of(found.lanes, [&](const RankLane& lane) -> Json {
    const auto shares = [&](double LaneBin::*share) {
      return list_of(lane.bins,
                     [&](const auto& bin) { return bin ? coarse((*bin).*share, 3) : Json(nullptr); });
    };
    return {{"name", lane_name(report, lane.device)},
            {"device", lane.device},
            {"compute", shares(&LaneBin::compute)},
            {"collectives", shares(&LaneBin::collectives)}};
  });
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
  const auto part = [&](std::uint64_t ns) {
    return coarse(static_cast<double>(ns) / static_cast<double>(window->duration_ns));
  };
  const auto span_parts = [&](const CollectiveSpan& span) -> Json {
    return {part(span.start_ns), part(span.duration_ns), part(span.wait_ns)};
  };
  const Json list = list_of(report.ranks->ranks, [&](const RankUse& rank) -> Json {
    const std::string last =
        rank.collectives > 0 ? fmt::format("last in {}", format::whole_percent(rank.last_share())) : "";
    const auto& spans = window->processes[rank.process - application.processes.data()];
    return {{"name", rank.name},
            {"last", last},
            {"use", use_of_time(report, rank)},
            {"collectives", list_of(spans, span_parts)}};
  });
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
