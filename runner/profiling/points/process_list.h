// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// Gathers the processes of a program: who they were, on which hosts, and when they took part in collectives.
class ProcessList {
 public:
  /// The number of a collective's kernel, from 0.
  std::size_t collective(const CollectiveKernel& kernel);

  /// `collectives`: in any order, times on the host's monotonic clock; the newest `kMostCollectives` are
  /// kept, and `kMostHeldCollectives` from the time of the holds; of these, `kMostHolds`.
  void add(const record::Process& process, std::vector<std::size_t> devices,
           std::vector<CollectiveLaunch> collectives, const std::vector<Hold>& holds);

  /// Fills in what an application has of its processes. `zero_ns`: time 0 of the run.
  void complete(Application& application, std::uint64_t zero_ns) const;

 private:
  std::size_t host_of(const record::Process& process);

  std::vector<ProgramHost> hosts_;
  std::vector<CollectiveKernel> kernels_;
  std::map<CollectiveKernel, std::size_t> places_;          // of kernels
  std::multimap<std::uint64_t, ProgramProcess> processes_;  // by start
};

}  // namespace rooflinectl
