// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rooflinectl {

/// A file of another tool from which a run was made, and how that tool got its numbers. Texts are empty where
/// the file does not have them.
struct ImportedFile {
  std::string name;    ///< without its folder
  std::string format;  ///< `Nsight Compute report`, `Nsight Compute CSV`, `Nsight Systems export`, …
  std::string tool_version;
  std::string recorded_utc;   ///< ISO 8601
  std::string command_line;   ///< that the tool was called with
  std::string replay;         ///< `kernel`, `application`, `range`, … as the option --replay-mode has it
  std::string clock_control;  ///< `base`: locked to the base clock; `none`
  std::string cache_control;  ///< `all`: flushed before each pass; `none`
  std::vector<std::string> sections;  ///< sets, sections and metrics that were asked for
  std::vector<std::string> problems;  ///< what is missing from the file, and why

  bool operator==(const ImportedFile&) const = default;
};

}  // namespace rooflinectl
