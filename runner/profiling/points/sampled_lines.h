// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// Where the warps of kernels were, as the processes of a program have it.
class SampledKernels {
 public:
  void add(std::size_t device, const record::SampledKernel& kernel);

  /// With the texts of the lines, as far as their files can be read here and now. Nothing for a kernel that
  /// was not sampled.
  std::optional<SampledLines> of(std::size_t device, const std::string& symbol);

 private:
  std::string text_of(const SampledLine& line);

  std::map<std::pair<std::size_t, std::string>, SampledLines> kernels_;
  std::map<std::string, std::vector<std::string>> files_;  // their lines; none of one that cannot be read
};

}  // namespace rooflinectl
