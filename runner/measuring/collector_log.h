// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace rooflinectl {

/// What the collectors write to standard error, kept in a file that is made when there is something to keep.
class CollectorLog {
 public:
  /// Sets the path of the file; lines that came before are held back until then.
  void set_file(std::filesystem::path file);
  void add(const std::string& line);
  const std::string& last_line() const { return last_line_; }

 private:
  void write();

  std::filesystem::path path_;
  std::ofstream file_;
  std::string pending_;
  std::string last_line_;
  std::size_t bytes_ = 0;
};

}  // namespace rooflinectl
