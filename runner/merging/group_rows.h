// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/run.h"

namespace rooflinectl {

/// What groups took in the processes of many runs, each name kept once.
class GroupRows {
 public:
  /// Adds the groups of a run. Those that several processes launched on one device belong to none of them.
  void add(std::size_t run, const Run& measured);

  /// One process's share of a group.
  struct Row {
    std::size_t group = 0;
    std::size_t run = 0;
    std::size_t device = 0;  ///< its place in that run
    RankLaunches launches;   ///< the process has the id that it has in that run
  };
  const std::vector<PointId>& groups() const { return groups_; }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::size_t place_of(const PointId& point);

  std::vector<PointId> groups_;
  std::unordered_map<std::string, std::size_t> places_;  // by the name of the range
  std::vector<Row> rows_;
};

}  // namespace rooflinectl
