// SPDX-License-Identifier: Apache-2.0
#include "readers/nsys/nsys_strings.h"

#include <fmt/format.h>

namespace rooflinectl {

std::string NsysStrings::at(std::optional<std::int64_t> id) {
  if (!id) return {};
  if (!has_strings_) has_strings_ = database_.has_table("StringIds");
  if (!*has_strings_) return {};
  if (const auto known = known_.find(*id); known != known_.end()) return known->second;
  std::string& text = known_[*id];
  database_.read(
      fmt::format("SELECT substr(value, 1, {}) FROM StringIds WHERE id = ?", longest_),
      [&](const SqliteRow& row) { text = row.text(0).value_or(""); }, *id);
  return text;
}

}  // namespace rooflinectl
