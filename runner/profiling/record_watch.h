// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace rooflinectl {

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
