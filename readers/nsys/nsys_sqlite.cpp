// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "readers/nsys/nsys.h"
#include "readers/nsys/sqlite_reader.h"

namespace rooflinectl {

namespace {

using namespace nsys;

constexpr std::string_view kDomainName = "rooflinectl";

/// A thread, and what it did from when to when, in nanoseconds.
struct Interval {
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct Range {
  Interval time;
  std::optional<std::int64_t> thread;
  std::string name;
};

/// A call of CUDA on the host.
struct Call {
  std::int64_t start = 0;
  std::int64_t thread = 0;
};

/// Something on the GPU.
struct Operation {
  Interval time;
  std::int64_t process = 0;
  std::int64_t correlation = 0;  ///< unique within the process; the same as that of the call that launched it
  std::string name;
};

using ProcessAndCorrelation = std::pair<std::int64_t, std::int64_t>;
using Calls = std::map<ProcessAndCorrelation, Call>;

/// Reads the tables, in the order of `read`.
class Export {
 public:
  explicit Export(std::string_view content) : database_(content) {}

  std::vector<TracedLaunch> read() {
    if (!database_.has_table("NVTX_EVENTS")) {
      throw Error(ErrorKind::usage, "this database has no NVTX ranges",
                  "record with: nsys profile --trace cuda,nvtx");
    }
    const std::vector<Range> ranges = read_ranges();
    const Calls calls = read_calls();
    std::vector<Operation> operations = read_operations("CUPTI_ACTIVITY_KIND_KERNEL", "demangledName");
    const std::vector<Operation> memsets = read_operations("CUPTI_ACTIVITY_KIND_MEMSET", "");
    operations.insert(operations.end(), memsets.begin(), memsets.end());
    return assign(ranges, calls, operations);
  }

 private:
  std::vector<Range> read_ranges() {
    std::set<std::int64_t> domains;
    database_.read(fmt::format("SELECT domainId FROM NVTX_EVENTS WHERE eventType = {} AND text = '{}'",
                               kDomain, kDomainName),
                   [&](const SqliteRow& row) { domains.insert(row.integer(0).value_or(-1)); });
    std::vector<Range> ranges;
    database_.read(
        fmt::format(
            "SELECT start, \"end\", globalTid, domainId, substr(text, 1, 1000), textId FROM NVTX_EVENTS "
            "WHERE eventType = {}",
            kPushPopRange),
        [&](const SqliteRow& row) {
          const auto start = row.integer(0);
          const auto domain = row.integer(3);
          if (!start || !domain || !domains.contains(*domain)) return;
          // A range that was open at the end of the recording has no end.
          const std::int64_t end = row.integer(1).value_or(std::numeric_limits<std::int64_t>::max());
          ranges.push_back(
              {{*start, end}, row.integer(2), row.text(4).value_or(strings_.at(row.integer(5)))});
        });
    std::ranges::stable_sort(ranges,
                             [](const Range& a, const Range& b) { return a.time.start < b.time.start; });
    return ranges;
  }

  Calls read_calls() {
    Calls calls;
    if (!database_.has_table("CUPTI_ACTIVITY_KIND_RUNTIME")) return calls;
    database_.read("SELECT correlationId, start, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME",
                   [&](const SqliteRow& row) {
                     const auto correlation = row.integer(0);
                     const auto start = row.integer(1);
                     const auto thread = row.integer(2);
                     if (!correlation || !start || !thread) return;
                     calls.insert({{process_of(*thread), *correlation}, {*start, *thread}});
                   });
    return calls;
  }

  /// A kind of operation without a column for its name has that of the table.
  std::vector<Operation> read_operations(const std::string& table, const std::string& name_column) {
    std::vector<Operation> operations;
    if (!database_.has_table(table)) return operations;
    const bool has_process = database_.has_column(table, "globalPid");
    database_.read(
        fmt::format("SELECT start, \"end\", correlationId, {}, {} FROM {}", has_process ? "globalPid" : "0",
                    name_column.empty() ? "NULL" : name_column, table),
        [&](const SqliteRow& row) {
          const auto start = row.integer(0);
          const auto end = row.integer(1);
          if (!start || !end || *end < *start) return;
          operations.push_back({{*start, *end},
                                process_of(row.integer(3).value_or(0)),
                                row.integer(2).value_or(-1),
                                name_column.empty() ? "memset" : strings_.at(row.integer(4))});
        });
    return operations;
  }

  static std::vector<TracedLaunch> assign(const std::vector<Range>& ranges, const Calls& calls,
                                          std::vector<Operation>& operations) {
    std::ranges::sort(operations,
                      [](const Operation& a, const Operation& b) { return a.time.start < b.time.start; });
    std::vector<TracedLaunch> launches;
    for (const Range& range : ranges) launches.push_back({range.name, {}});
    for (const Operation& operation : operations) {
      if (const auto range = range_of(operation, ranges, calls)) {
        const double nanoseconds =
            static_cast<double>(operation.time.end) - static_cast<double>(operation.time.start);
        launches[*range].operations.push_back({operation.name, nanoseconds / kNanosecondsPerSecond});
      }
    }
    return launches;
  }

  /// The last range that was opened before the operation was launched, if it was still open.
  static std::optional<std::size_t> range_of(const Operation& operation, const std::vector<Range>& ranges,
                                             const Calls& calls) {
    const auto call = calls.find({operation.process, operation.correlation});
    if (!calls.empty() && call == calls.end()) return std::nullopt;
    const std::int64_t launched = calls.empty() ? operation.time.start : call->second.start;
    const auto after =
        std::upper_bound(ranges.begin(), ranges.end(), launched,
                         [](std::int64_t time, const Range& range) { return time < range.time.start; });
    if (after == ranges.begin()) return std::nullopt;
    const Range& range = *std::prev(after);
    const bool same_thread = calls.empty() || !range.thread || *range.thread == call->second.thread;
    if (!same_thread || launched > range.time.end) return std::nullopt;
    return static_cast<std::size_t>(std::prev(after) - ranges.begin());
  }

  SqliteReader database_;
  NsysStrings strings_{database_, 1000};
};

}  // namespace

std::vector<TracedLaunch> read_nsys_sqlite(std::string_view content) {
  return Export(content).read();
}

}  // namespace rooflinectl
