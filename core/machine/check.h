// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflinectl {

enum class CheckStatus { ok, warning, fails };

/// `ok`, `warning`, `fails`
std::string_view to_string(CheckStatus status);

/// The subject of the check for other programs on a GPU.
inline constexpr const char* kOtherProgramsCheck = "other programs";

/// One thing that `rooflinectl doctor` looked at.
struct Check {
  std::string subject;  ///< `driver`, `counters`
  CheckStatus status = CheckStatus::ok;
  std::string detail;            ///< what was found
  std::string fix;               ///< what to do; empty if the check is ok
  bool stops_measuring = false;  ///< nothing at all can be measured as long as this fails

  bool operator==(const Check&) const = default;
};

}  // namespace rooflinectl
