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

/// What the matrices of links mean.
inline constexpr std::string_view kLinkExplanation =
    "Rows: the device that bytes come from; columns: the device that they go to. Copied by a copy engine, "
    "loaded by threads of the target, or stored by threads of the source; one way, and both ways at once, "
    "where a number is the sum of both. Percentages are relative to the theoretical bandwidth of all NVLinks "
    "of a device together.";

/// Each mover one way, then both ways: a matrix with a row for each device that bytes come from, and a column
/// for each that they go to. None where no links were measured.
std::vector<Table> link_tables(const Run& run);

/// What the numbers of collectives mean.
inline constexpr std::string_view kCollectiveExplanation =
    "Bus bandwidth: what each device has to send or receive per second, comparable with the bandwidth of its "
    "links whatever the number of devices. Algorithm bandwidth: bytes of the array over the time.";

/// `all-reduce`
std::string_view collective_name(Collective collective);

/// First the latency and the highest bus bandwidth of each collective, then its bus bandwidth, its algorithm
/// bandwidth and its time by size. A single table with only the reason where nothing was measured; none where
/// that was not tried.
std::vector<Table> collective_tables(const Run& run);

/// What the tables of the spread mean.
inline constexpr std::string_view kSpreadExplanation =
    "The same points on devices of the same model. Spread: from the fastest to the slowest, over the median. "
    "Outlier: off the median of all devices (of two, the faster one) by 3 % or more and by more than the "
    "interval.";

/// Which devices stand out, without rows; then a table for each of `spreads`, with at most `most` points,
/// those with the widest spread first. None without several devices of one model.
std::vector<Table> spread_tables(const Run& run, const std::vector<ModelSpread>& spreads, std::size_t most);

/// What was measured between devices, for a document.
struct DeviceSection {
  std::string_view title;
  std::string_view explanation;
  std::vector<Table> tables;
  bool has_picture = false;  ///< whether that of the collectives belongs to it
};

/// Spread, links and collectives, as far as there are any.
std::vector<DeviceSection> device_sections(const Run& run, const std::vector<ModelSpread>& spreads);

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
