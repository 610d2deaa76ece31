// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rooflinectl::injection {

/// Folds the names of NVTX ranges while they are recorded, so that a program with ever new names (`step 17`,
/// an id for each request) needs no more memory and records than one with a few. Not thread-safe.
class RangeNames {
 public:
  /// Numbers at one place of a name that keep their digits; those that come later become `#`. Places with
  /// fewer, such as the 16 of `fp16`, keep theirs.
  static constexpr std::size_t kMostNumbers = 8;
  /// Names that differ in more than numbers; those that come later become `kOther`.
  static constexpr std::size_t kMostNames = 4096;
  static constexpr std::size_t kLongestName = 256;  ///< bytes; the rest is cut off
  static constexpr std::string_view kOther = "(other ranges)";

  std::string folded(std::string_view name);
  /// Whether names had to become `kOther`.
  bool has_left_out() const { return has_left_out_; }

 private:
  using Numbers = std::set<std::string, std::less<>>;

  std::unordered_map<std::string, std::vector<Numbers>> numbers_;  // at each place, by the name without them
  bool has_left_out_ = false;
};

}  // namespace rooflinectl::injection
