// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

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
