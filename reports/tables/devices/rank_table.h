// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/devices/ranks.h"
#include "reports/text/table.h"

/// The ranks of a program as the terminal, `summary.md` and the page show them.
namespace rooflinectl {

/// How many there are and where, which are slower, what collectives wait for: one sentence each.
std::vector<std::string> rank_sentences(const Run& run, const RankAnalysis& analysis);

/// A row for each rank. If there are more than `most`, those that are slower than the others, then those with
/// most time.
Table rank_table(const Run& run, const RankAnalysis& analysis, std::size_t most);

/// Collectives by kind and size: their bandwidth, its share of what NVLink can carry in theory where all
/// ranks are on one host, and how they compare with the same collectives alone where those were measured.
/// Empty where no size is known.
Table rank_collective_size_table(const Run& run, const RankAnalysis& analysis, std::size_t most);

/// Kernels other than collectives by NVTX range: the spread of the ranks' times, and the rank that is slower
/// there. First the ranges with most time.
Table rank_range_table(const RankAnalysis& analysis, std::size_t most);

/// The same kernel on several ranks: its spread, and the slowest rank. First those in which that rank loses
/// most.
Table rank_group_table(const RankAnalysis& analysis, std::size_t most);

/// Collectives by NVTX range: what of their time was waiting, and what ran beside them. Empty without any.
Table rank_collective_table(const RankAnalysis& analysis, std::size_t most);

/// All of them, in the order in which reports show them: each rank, collectives by range and by size, ranges,
/// and kernels.
std::vector<Table> rank_tables(const Run& run, const RankAnalysis& analysis, std::size_t most);

}  // namespace rooflinectl
