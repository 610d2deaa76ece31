// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/devices/devices_together.h"
#include "analysis/devices/ranks.h"
#include "core/model/run.h"
#include "reports/text/text_table.h"

/// Several devices as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// Each mover one way, then both ways: a matrix with a row for each device that bytes come from, and a column
/// for each that they go to. None where no links were measured.
std::vector<Table> link_tables(const Run& run);

/// `all-reduce`
std::string_view collective_name(Collective collective);

/// First the latency and the highest bus bandwidth of each collective, then its bus bandwidth, its algorithm
/// bandwidth and its time by size. A single table with only the reason where nothing was measured; none where
/// that was not tried.
std::vector<Table> collective_tables(const Run& run);

/// Which devices stand out, without rows; then a table for each of `spreads`, with at most `most` points,
/// those with the widest spread first. None without several devices of one model.
std::vector<Table> spread_tables(const Run& run, const std::vector<ModelSpread>& spreads, std::size_t most);

/// What was measured between devices, for a document.
struct DeviceSection {
  std::string_view id;  ///< of the section in the page's data
  std::string_view title;
  std::string_view explanation;
  std::vector<Table> tables;
  bool has_picture = false;  ///< whether that of the collectives belongs to it
};

/// Spread, of at most `most_points`, links and collectives, as far as there are any.
std::vector<DeviceSection> device_sections(const Run& run, const std::vector<ModelSpread>& spreads,
                                           std::size_t most_points = 40);

/// What the tables of scaling mean.
inline constexpr std::string_view kScalingExplanation =
    "Speed-up: elements per second over those of one GPU. Links allow: the speed-up if each GPU did its "
    "share as fast as one GPU does all of its elements, and only the time of the link were added. "
    "Efficiency: speed-up over the number of GPUs. Compute, memory, link: the least time that one GPU's work "
    "needs at the measured ceilings. Compute and memory overlap; the link comes after them: one message "
    "(half the round trip of a load), and the declared bytes at the bandwidth of NVLink. Share: what one GPU "
    "takes for its part of the elements alone, and how much of the time that is; the rest is starting all "
    "GPUs, the links between them, and waiting for the slowest.";

/// `Strong scaling: the same elements on more GPUs`
std::string scaling_title(ScalingKind kind);

/// Speed-ups, and what the times consist of: a row for each number of GPUs on each curve.
std::vector<Table> scaling_tables(const Scaling& scaling);

/// How many there are and where, which are slower, what collectives wait for: one sentence each.
std::vector<std::string> rank_sentences(const Run& run, const RankAnalysis& analysis);

/// Each rank, collectives by range and by size, ranges, and kernels, with at most `most` rows each.
std::vector<Table> rank_tables(const Run& run, const RankAnalysis& analysis, std::size_t most);

}  // namespace rooflinectl
