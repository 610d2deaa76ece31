// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "core/program/profile_settings.h"

/// The library that `rooflinectl profile` loads into a program, and how it gets there.
namespace rooflinectl {

/// `librooflinectl-injection.so` beside this program or in `../lib`, or the file that the environment
/// variable ROOFLINECTL_INJECTION names; absolute. Throws CannotMeasure if it is not there.
std::filesystem::path require_injection();

/// CUPTI of the CUDA 13 toolkit, for programs that do not bring their own: in the folders that CUDA_HOME and
/// CUDA_PATH name, the usual ones, and those of the system; absolute. Empty where there is none.
std::filesystem::path find_cupti();

/// The environment variables with which the program is started. Throws Error(environment), naming the
/// variable and its value, where one is already set: another tool is in use.
std::map<std::string, std::string> injection_variables(const std::filesystem::path& library,
                                                       const ProfileSettings& settings);

/// How far the processes of a program have come.
struct ProfileProgress {
  std::size_t processes = 0;
  std::uint64_t launches = 0;  ///< that the trace has delivered
  std::uint64_t groups = 0;
  std::uint64_t counted = 0;  ///< launches
  std::string pass;           ///< the one that began last; empty where nothing is counted

  bool operator==(const ProfileProgress&) const = default;
};

/// Follows the record files of running processes. It tells their lines apart by how they begin, so that it
/// costs the program next to nothing.
class RecordWatch {
 public:
  /// `folder`: in which the files are.
  explicit RecordWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Reads what has been written since the last call.
  const ProfileProgress& update();

 private:
  void read_on(const std::filesystem::path& path);
  void add(std::string_view line);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::uint64_t> read_;  // bytes of each file
  ProfileProgress progress_;
};

}  // namespace rooflinectl
