// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/model/point_id.h"
#include "core/program/application.h"

namespace rooflinectl {

/// Launches of collectives that waited for a rank of another run while that was held: their own run did not
/// know it.
class HeldElsewhere {
 public:
  struct Launches {
    std::uint64_t count = 0;
    double total_s = 0;
  };
  /// What a group of launches took in a process.
  struct Group {
    int process = 0;
    const PointId* point = nullptr;
    std::uint64_t traced = 0;
  };

  /// `application`: of the merged run; `parts`: the run of each of its processes. What is not aligned with
  /// the first host, and what an older run did not record, is not known.
  HeldElsewhere(const Application& application, const std::vector<std::size_t>& parts);

  /// Those of each group. `groups` has all groups of a process, or none of them. Where a collective has
  /// several shapes within one NVTX path, which a run does not tell apart for single launches, they are
  /// shared out in proportion to the launches.
  std::vector<Launches> of(const std::vector<Group>& groups) const;

 private:
  using Key = std::tuple<int, std::string, std::string>;  // process, kernel and NVTX path
  static Key key_of(const Group& group);

  std::map<Key, Launches> held_;
};

}  // namespace rooflinectl
