// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/program/profile_record.h"

namespace rooflinectl {

/// Tells kernels with one name apart: compilers that generate code, such as Inductor, give different kernels
/// the same one. They are different if their modules are, or what they need of an SM.
class KernelCodes {
 public:
  /// Which of the kernels with this name, on chips of one kind, it is, in order of appearance, from 1. Where
  /// a module is not known, kernels that need the same are the same. A CUDA graph is always the first: its
  /// name tells it from others.
  std::uint64_t number(const std::string& chip, const std::string& name, const record::Kernel& kernel);

 private:
  std::map<std::pair<std::string, std::string>, std::vector<record::Kernel>> known_;  // by chip and name
};

}  // namespace rooflinectl
