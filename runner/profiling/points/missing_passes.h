// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/run.h"
#include "core/program/application.h"
#include "core/program/profile_record.h"
#include "core/program/profile_settings.h"
#include "runner/profiling/points/profiled_group.h"

namespace rooflinectl {

/// In which passes of a run of a program something was counted, and why groups lack some.
class MissingPasses {
 public:
  void add_counted(const std::string& pass) { counted_.insert(pass); }
  /// Why something could not be measured in a whole process.
  void add_problem(const std::string& cause) { problems_.push_back(cause); }

  int counted() const { return static_cast<int>(counted_.size()); }
  bool has_problem(std::string_view beginning) const;

  /// Why a group was not counted in a pass.
  std::string reason(const ProfiledGroup& group, const std::string& pass) const;
  /// Those that counted none of a group's launches, although it needs them. `measurement` is what became of
  /// it.
  std::vector<Pass> of(const ProfiledGroup& group, const Measurement& measurement) const;
  /// Of these, the ones that another run of the program could count it in: not where its launches wait for
  /// others, nor what cannot be counted at all. Collectives have no roof, with or without counters.
  std::vector<Pass> countable(const ProfiledGroup& group, std::vector<Pass> missing) const;

 private:
  std::string problem_of(std::string_view pass) const;

  std::set<std::string> counted_;
  std::vector<std::string> problems_;
};

/// Launches that the driver refused. They are in no other number of a run.
class FailedLaunches {
 public:
  /// `subject`: the kernel.
  void add(const std::string& subject, const record::Failed& failed) {
    launches_[{subject, failed.error}] += failed.launches;
  }
  /// One for each kernel and error, those with the most launches first; many kernels share one.
  std::vector<ApplicationProblem> problems() const;

 private:
  std::map<std::pair<std::string, std::string>, std::uint64_t> launches_;  // by kernel and error
};

}  // namespace rooflinectl
