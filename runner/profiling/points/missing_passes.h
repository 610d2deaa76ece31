// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/run.h"
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

}  // namespace rooflinectl
