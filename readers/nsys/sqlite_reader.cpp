// SPDX-License-Identifier: Apache-2.0
#include "readers/nsys/sqlite_reader.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "core/error.h"

namespace rooflinectl {

namespace {

// Rows of the tables that are read take more; only a damaged file, whose pages are used twice, has more of
// them.
constexpr std::size_t kLeastBytesPerRow = 8;
// Of SQLite's virtual machine.
constexpr std::size_t kStepsPerByte = 16;
constexpr std::size_t kStepsOfSmallFile = 1'000'000;
constexpr int kStepsBetweenCounts = 1000;

[[noreturn]] void fail(const std::string& cause) {
  throw Error(ErrorKind::usage, fmt::format("not a readable Nsight Systems SQLite export: {}", cause),
              "export it with: nsys export --type sqlite REPORT.nsys-rep");
}

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

}  // namespace

// ---- SqliteRow ----

std::optional<std::int64_t> SqliteRow::integer(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::optional<std::string> SqliteRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return std::nullopt;
  const unsigned char* const text = sqlite3_column_text(statement_, column);
  if (text == nullptr) return std::nullopt;  // no memory
  return std::string(reinterpret_cast<const char*>(text),
                     static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

// ---- SqliteReader ----

void SqliteReader::Close::operator()(sqlite3* database) const {
  sqlite3_close(database);
}

SqliteReader::SqliteReader(std::string_view content)
    : rows_left_(content.size() / kLeastBytesPerRow),
      steps_left_(kStepsOfSmallFile + kStepsPerByte * content.size()) {
  if (content.empty()) rooflinectl::fail("it is empty");
  sqlite3* database = nullptr;
  const int opened =
      sqlite3_open_v2(":memory:", &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) fail();

  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_progress_handler(database, kStepsBetweenCounts, &SqliteReader::count_steps, this);

  const auto size = static_cast<sqlite3_int64>(content.size());
  // SQLite takes a pointer to memory that it may change; it must not change this.
  auto* const bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(content.data()));
  if (sqlite3_deserialize(database, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    fail();
}

void SqliteReader::fail() const {
  rooflinectl::fail(sqlite3_errmsg(database_.get()));
}

int SqliteReader::count_steps(void* self) {
  auto* const reader = static_cast<SqliteReader*>(self);
  if (reader->steps_left_ < kStepsBetweenCounts) return 1;  // interrupts the query
  reader->steps_left_ -= kStepsBetweenCounts;
  return 0;
}

bool SqliteReader::has_table(std::string_view name) {
  bool found = false;
  // `name` is one of ours.
  read(fmt::format("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name = '{}'", name),
       [&](const SqliteRow&) { found = true; });
  return found;
}

bool SqliteReader::has_column(std::string_view table, std::string_view column) {
  bool found = false;
  read(fmt::format("SELECT 1 FROM pragma_table_info('{}') WHERE name = '{}'", table, column),
       [&](const SqliteRow&) { found = true; });
  return found;
}

void SqliteReader::read(const std::string& select, const std::function<void(const SqliteRow&)>& use,
                        std::optional<std::int64_t> argument) {
  sqlite3_stmt* prepared = nullptr;
  const int result = sqlite3_prepare_v2(database_.get(), select.c_str(), -1, &prepared, nullptr);
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  if (result != SQLITE_OK) fail();
  if (argument) sqlite3_bind_int64(prepared, 1, *argument);
  while (true) {
    const int step = sqlite3_step(prepared);
    if (step == SQLITE_DONE) return;
    if (step != SQLITE_ROW) fail();
    if (rows_left_ == 0) rooflinectl::fail("it has more rows than bytes for them");
    --rows_left_;
    use(SqliteRow(prepared));
  }
}

}  // namespace rooflinectl
