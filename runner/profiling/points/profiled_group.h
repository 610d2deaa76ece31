// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/model/point_id.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "runner/profiling/points/group_counters.h"

namespace rooflinectl {

/// A value that several processes give: nothing if they give different ones.
template <typename T>
class CommonValue {
 public:
  void add(const std::optional<T>& value) {
    is_common_ = is_common_ && (count_++ == 0 || value == value_);
    value_ = value;
  }
  std::optional<T> value() const { return is_common_ ? value_ : std::nullopt; }

 private:
  std::optional<T> value_;
  bool is_common_ = true;
  int count_ = 0;
};

/// What becomes a point: what the records of all processes have of its launches, except their times.
struct ProfiledGroup {
  record::Kernel kernel;
  record::Group shape;  ///< of the first process that launched it
  std::string subject;
  Axes axes;
  std::size_t device = 0;
  bool is_selected = true;
  bool is_collective = false;
  bool has_matrix_bytes = true;  ///< whether the chip counts what matrix instructions read from shared memory
  CommonValue<int> process;
  CommonValue<int> rank;
  std::uint64_t untraced = 0;
  std::uint64_t traced = 0;
  std::uint64_t traced_ns = 0;
  std::uint64_t longest_ns = 0;  ///< of all launches with a time, held ones too
  std::uint64_t held = 0;        ///< as `LaunchStatistics::held`; not among the traced ones
  std::uint64_t held_ns = 0;
  std::uint64_t overlapped_ns = 0;  ///< as `LaunchStatistics::overlapped_s`
  std::uint64_t counted = 0;
  std::uint64_t gaps_before = 0;
  std::uint64_t idle_before_ns = 0;
  CountedPasses counters;
  std::string left_alone;                      ///< why its launches were left alone; empty if they were not
  std::optional<ApplicationProblem> too_long;  ///< a launch of it took longer than the program may be held
  std::map<std::string, GraphKernelUse> graph_kernels;

  std::uint64_t launches() const { return traced + held + untraced; }
};

}  // namespace rooflinectl
