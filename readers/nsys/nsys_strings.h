// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "readers/nsys/sqlite_reader.h"

namespace rooflinectl {

/// The table StringIds, in which other tables have their texts, read as far as it is asked for.
class NsysStrings {
 public:
  /// `database` must outlive this. Of each text, the first `longest` characters are read.
  NsysStrings(SqliteReader& database, std::size_t longest) : database_(database), longest_(longest) {}

  /// Empty without an id, and if the table is not there or does not have it.
  std::string at(std::optional<std::int64_t> id);

 private:
  SqliteReader& database_;
  const std::size_t longest_;
  std::optional<bool> has_strings_;
  std::map<std::int64_t, std::string> known_;
};

}  // namespace rooflinectl
