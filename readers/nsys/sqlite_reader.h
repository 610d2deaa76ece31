// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;
namespace rooflinectl {

/// A row of a query's result. A column that is not of the type that is asked for is nothing.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  std::optional<std::int64_t> integer(int column) const;
  std::optional<std::string> text(int column) const;

 private:
  sqlite3_stmt* statement_;
};

/// A database from who knows where, in memory, for reading only: nothing of its schema is executed, and what
/// it makes us do is limited by its size.
class SqliteReader {
 public:
  /// `content` must outlive the reader. Throws Error(usage) if it is no database.
  explicit SqliteReader(std::string_view content);

  /// Whether there is an ordinary table of that name; a view or a virtual table does not count as one.
  bool has_table(std::string_view name);
  /// Whether that table has a column of that name.
  bool has_column(std::string_view table, std::string_view column);

  /// Hands every row of a SELECT to `use`; `?` stands for `argument`. Throws Error(usage) if the database is
  /// damaged, lacks a column, or has more rows than its size has room for.
  void read(const std::string& select, const std::function<void(const SqliteRow&)>& use,
            std::optional<std::int64_t> argument = {});

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };

  [[noreturn]] void fail() const;
  static int count_steps(void* self);

  std::unique_ptr<sqlite3, Close> database_;
  std::size_t rows_left_;
  std::size_t steps_left_;
};

}  // namespace rooflinectl
