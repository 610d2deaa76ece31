// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/program/application.h"
#include "core/program/profile_record.h"

namespace rooflinectl {

/// Where the warps of kernels were, as the processes of a program have it.
class SampledKernels {
 public:
  /// A kernel that was launched. Those with one symbol and different code cannot be told apart when sampled.
  void add(std::size_t device, const record::Kernel& kernel);
  void add(std::size_t device, const record::SampledKernel& kernel);
  /// When records were last written: source files that are newer are not what was compiled.
  void recorded_at(std::filesystem::file_time_type time) { recorded_ = std::max(recorded_, time); }

  /// With the texts of the lines, as far as their files can be read here and now. Nothing for a kernel that
  /// was not sampled, or is one of several with its symbol.
  std::optional<SampledLines> of(std::size_t device, const std::string& symbol);

 private:
  std::string text_of(const SampledLine& line);
  std::vector<std::string> lines_of(const std::filesystem::path& file) const;

  using Symbol = std::pair<std::size_t, std::string>;  // of a device
  std::map<Symbol, SampledLines> kernels_;
  std::map<Symbol, std::set<std::uint64_t>> codes_;
  std::map<std::string, std::vector<std::string>> files_;  // their lines; none of one that cannot be read
  std::filesystem::file_time_type recorded_ = std::filesystem::file_time_type::min();
};

}  // namespace rooflinectl
