// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace rooflinectl {

/// The content of the database that `statements` create.
inline std::string database(const std::string& statements) {
  sqlite3* made = nullptr;
  sqlite3_open(":memory:", &made);
  char* message = nullptr;
  if (sqlite3_exec(made, statements.c_str(), nullptr, nullptr, &message) != SQLITE_OK) {
    throw std::runtime_error(message);
  }
  sqlite3_int64 size = 0;
  unsigned char* const bytes = sqlite3_serialize(made, "main", &size, 0);
  std::string content(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(made);
  return content;
}

}  // namespace rooflinectl
