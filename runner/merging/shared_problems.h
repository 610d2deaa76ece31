// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "core/program/application.h"

namespace rooflinectl {

/// Problems of many processes, each cause once.
class SharedProblems {
 public:
  void add(ApplicationProblem problem);

  /// In the order in which they were added: one for each process, or one for all if these are many.
  std::vector<ApplicationProblem> all() const;

 private:
  struct Shared {
    ApplicationProblem problem;  // of no process
    std::set<int> processes;
  };

  std::vector<Shared> problems_;
};

}  // namespace rooflinectl
