// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "core/program/timeline.h"
#include "runner/merging/clock_alignment.h"
#include "runner/merging/group_rows.h"
#include "runner/merging/merged_plan.h"
#include "runner/merging/merged_timeline.h"
#include "runner/merging/shared_problems.h"

namespace rooflinectl {

/// One run made of several: devices, processes and hosts of all of them, on one axis of time.
class MergedRun {
 public:
  /// Throws Error(usage) if the runs cannot be of one launch: two of them have the same rank.
  explicit MergedRun(std::vector<RunPart> parts);

  std::size_t devices() const { return run_.devices.size(); }
  /// The place of a device of that part.
  std::size_t device(std::size_t part, std::size_t device) const { return places_[part].devices[device]; }
  /// The part is the same run as an earlier one: it counts once.
  bool is_duplicate(std::size_t part) const { return places_[part].is_duplicate; }

  /// Adds measurements, ceilings and samples of the devices in `devices`. `full`: the run of that part.
  void add_in_full(std::size_t part, const Run& full, const std::optional<Timeline>& timeline,
                   const std::set<std::size_t>& devices);
  /// Adds what groups took on the other devices.
  void add_rows(const GroupRows& rows, const std::set<std::size_t>& devices_in_full);
  void add_problem(ApplicationProblem problem) { problems_.add(std::move(problem)); }

  /// To be called once, after everything was added.
  Run take_run();
  std::optional<Timeline> take_timeline() { return timeline_.take(); }

 private:
  /// Where things of a part are in the merged run.
  struct Places {
    bool is_duplicate = false;
    RunPlace time;
    std::uint64_t shift_ns = 0;
    std::vector<std::size_t> devices;
    std::vector<std::size_t> hosts;
    std::vector<std::size_t> collectives;
    std::map<int, int> processes;  // ids
  };

  void find_duplicates();
  void refuse_ranks_twice() const;
  void place_collectives();
  void place_in_time();
  void add_hosts(std::size_t part);
  void add_devices(std::size_t part);
  void add_processes(std::size_t part);
  void add_uses(std::size_t part);
  void add_problems(std::size_t part);
  void add_ranges();
  void drop_uses_of_shared_devices();
  void name_differences();
  void leave_out_held_elsewhere();

  std::vector<RunPart> parts_;
  std::vector<Places> places_;
  Run run_;
  std::vector<std::string> device_hosts_;   // the system of each device
  std::vector<std::size_t> process_parts_;  // the part of each process
  SharedProblems problems_;
  MergedTimeline timeline_;
};

}  // namespace rooflinectl
