// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

}  // namespace

Json ranks(const ReportModel& report) {
  constexpr std::size_t kMostRows = 500;
  const RankAnalysis& analysis = *report.ranks;
  const Json tables = titled_tables(rank_tables(report.run, analysis, kMostRows));
  return {{"sentences", rank_sentences(report.run, analysis)},
          {"phases", phase_map(analysis)},
          {"lanes", report.rank_lanes ? lanes(report) : Json(nullptr)},
          {"tables", tables}};
}

}  // namespace rooflinectl::page
