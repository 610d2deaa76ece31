// SPDX-License-Identifier: Apache-2.0
#include "readers/nsys/nsys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
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

/// Hands over each call with its correlation, by which operations are found that it launched.
void read_cuda_calls(SqliteReader& database, const std::function<void(std::int64_t, const Call&)>& use) {
  constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
  if (!database.has_table(kTable)) return;
  database.read(fmt::format("SELECT correlationId, start, globalTid FROM {}", kTable),
                [&](const SqliteRow& row) {
                  const auto correlation = row.integer(0);
                  const auto start = row.integer(1);
                  const auto thread = row.integer(2);
                  if (correlation && start && thread) use(*correlation, {*start, *thread});
                });
}

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
    read_cuda_calls(database_, [&](std::int64_t correlation, const Call& call) {
      calls.insert({{process_of(call.thread), correlation}, call});
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

// ---- kernels of any program ----

namespace {

/// What the names of all kernels and of the ranges around them may take, and how deep ranges are read.
constexpr std::size_t kMostTextBytes = std::size_t{256} << 20;
constexpr std::size_t kDeepest = 100;
constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";

/// Something in a thread: a range from its opening on, or a call that launches something.
struct ThreadEvent {
  std::int64_t time = 0;
  std::int64_t end = 0;
  std::string range;  ///< empty for a call
  std::size_t kernel = 0;
};

std::uint32_t extent_of(std::optional<std::int64_t> length) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(length.value_or(1), 1, kMost));
}

/// Reads the tables, in the order of `read`.
class Program {
 public:
  explicit Program(std::string_view content) : database_(content) {}

  NsysProgram read() {
    if (!database_.has_table(kKernels)) {
      throw Error(ErrorKind::usage, "this database has no kernels",
                  "record with: nsys profile --trace cuda,nvtx");
    }
    read_devices();
    read_kernels();
    read_calls();
    read_ranges();
    for (auto& [thread, events] : threads_) set_paths(events);
    return std::move(program_);
  }

 private:
  /// A column that versions of nsys may lack.
  std::string optional_column(const char* table, const char* column) {
    return database_.has_column(table, column) ? column : "NULL";
  }

  void read_devices() {
    constexpr const char* kTable = "TARGET_INFO_GPU";
    if (!database_.has_table(kTable)) return;
    database_.read(fmt::format("SELECT id, {}, {}, {}, {} FROM {}", optional_column(kTable, "name"),
                               optional_column(kTable, "smCount"), optional_column(kTable, "totalMemory"),
                               optional_column(kTable, "l2CacheSize"), kTable),
                   [&](const SqliteRow& row) {
                     NsysDevice& device = program_.devices[row.integer(0).value_or(0)];
                     device.name = row.text(1).value_or("");
                     device.sms = row.integer(2).value_or(0);
                     device.memory_bytes = row.integer(3).value_or(0);
                     device.l2_bytes = row.integer(4).value_or(0);
                   });
  }

  void read_kernels() {
    std::vector<std::string> columns = {"start", "\"end\"", "demangledName"};
    for (const char* column : {"mangledName", "globalPid", "deviceId", "correlationId", "dynamicSharedMemory",
                               "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"}) {
      columns.push_back(optional_column(kKernels, column));
    }
    enum Place {
      start,
      end,
      demangled,
      mangled,
      process,
      device,
      correlation,
      shared,
      grid,
      block = grid + 3
    };
    std::vector<std::optional<std::int64_t>> names;
    database_.read(
        fmt::format("SELECT {} FROM {} ORDER BY start", fmt::join(columns, ", "), kKernels),
        [&](const SqliteRow& row) {
          const auto begun = row.integer(Place::start);
          const auto ended = row.integer(Place::end);
          if (!begun || !ended || *ended < *begun) return;
          NsysKernel& kernel = program_.kernels.emplace_back();
          const auto symbol = row.integer(Place::mangled);
          names.push_back(symbol ? symbol : row.integer(Place::demangled));
          kernel.process = process_of(row.integer(Place::process).value_or(0));
          kernel.device = row.integer(Place::device).value_or(0);
          kernel.duration_s =
              (static_cast<double>(*ended) - static_cast<double>(*begun)) / kNanosecondsPerSecond;
          kernel.dynamic_shared_bytes =
              static_cast<std::uint64_t>(std::max<std::int64_t>(row.integer(Place::shared).value_or(0), 0));
          const auto extent = [&](int first) -> std::optional<NsysKernel::Extent> {
            if (!row.integer(first)) return std::nullopt;
            return NsysKernel::Extent{extent_of(row.integer(first)), extent_of(row.integer(first + 1)),
                                      extent_of(row.integer(first + 2))};
          };
          kernel.grid = extent(Place::grid);
          kernel.block = extent(Place::block);
          const auto launch = row.integer(Place::correlation);
          if (launch) launches_[{kernel.process, *launch}].push_back(program_.kernels.size() - 1);
        });
    for (std::size_t i = 0; i < names.size(); ++i) program_.kernels[i].name = kept(strings_.at(names[i]));
  }

  void read_calls() {
    read_cuda_calls(database_, [&](std::int64_t correlation, const Call& call) {
      const auto launched = launches_.find({process_of(call.thread), correlation});
      if (launched == launches_.end()) return;
      for (const std::size_t kernel : launched->second) {
        threads_[call.thread].push_back(
            {.time = call.start, .end = call.start, .range = {}, .kernel = kernel});
      }
    });
  }

  void read_ranges() {
    constexpr const char* kTable = "NVTX_EVENTS";
    if (!database_.has_table(kTable)) return;
    std::vector<std::tuple<std::int64_t, ThreadEvent, std::optional<std::int64_t>>> ranges;
    database_.read(
        fmt::format(
            "SELECT start, \"end\", globalTid, substr(text, 1, 1000), textId FROM {} WHERE eventType = {}",
            kTable, kPushPopRange),
        [&](const SqliteRow& row) {
          const auto start = row.integer(0);
          const auto thread = row.integer(2);
          if (!start || !thread || !threads_.contains(*thread)) return;
          // A range that was open at the end of the recording has no end.
          const std::int64_t end = row.integer(1).value_or(std::numeric_limits<std::int64_t>::max());
          ranges.emplace_back(*thread,
                              ThreadEvent{.time = *start, .end = end, .range = row.text(3).value_or("")},
                              row.integer(4));
        });
    for (auto& [thread, event, text] : ranges) {
      if (event.range.empty()) event.range = strings_.at(text);
      if (!event.range.empty()) threads_[thread].push_back(std::move(event));
    }
  }

  /// Ranges of a thread are nested: those that are open when it launches are a stack.
  void set_paths(std::vector<ThreadEvent>& events) {
    std::ranges::stable_sort(events, [](const ThreadEvent& a, const ThreadEvent& b) {
      return std::pair(a.time, a.range.empty()) < std::pair(b.time, b.range.empty());
    });
    std::vector<const ThreadEvent*> open;
    for (const ThreadEvent& event : events) {
      while (!open.empty() && open.back()->end < event.time) open.pop_back();
      if (!event.range.empty()) {
        if (open.size() < kDeepest) open.push_back(&event);
        continue;
      }
      std::vector<std::string>& path = program_.kernels[event.kernel].path;
      path.clear();
      for (const ThreadEvent* range : open) {
        if (range->end >= event.time) path.push_back(kept(range->range));
      }
    }
  }

  /// `text`, which becomes a part of the program. Throws Error(usage) where that takes too much.
  const std::string& kept(const std::string& text) {
    text_bytes_ += text.size();
    if (text_bytes_ <= kMostTextBytes) return text;
    throw Error(ErrorKind::usage, "the names of its kernels and ranges take more than 256 MiB",
                "record a shorter part: nsys profile --duration, or --capture-range");
  }

  SqliteReader database_;
  NsysStrings strings_{database_, 10000};
  NsysProgram program_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> launches_;  // by process and call
  std::map<std::int64_t, std::vector<ThreadEvent>> threads_;
  std::size_t text_bytes_ = 0;
};

}  // namespace

NsysProgram read_nsys_kernels(std::string_view content) {
  return Program(content).read();
}

}  // namespace rooflinectl
