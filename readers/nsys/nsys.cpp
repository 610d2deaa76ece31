// SPDX-License-Identifier: Apache-2.0
#include "readers/nsys/nsys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "core/error.h"
#include "readers/nsys/sqlite_reader.h"

namespace rooflinectl {

namespace {

constexpr std::string_view kDomainName = "rooflinectl";
constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kRanges = "NVTX_EVENTS";

// eventType of NVTX_EVENTS.
constexpr int kPushPopRange = 59;
constexpr int kDomain = 75;

/// What the names of all kernels and of the ranges around them may take, and how deep ranges are read.
constexpr std::size_t kMostTextBytes = std::size_t{256} << 20;
constexpr std::size_t kDeepest = 100;

/// nsys numbers threads as 24 bits of the thread's id after those of the process.
std::int64_t process_of(std::int64_t global_id) {
  constexpr std::int64_t kThreads = std::int64_t{1} << 24;
  return global_id / kThreads;
}

/// Times are in nanoseconds.
struct Range {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::optional<std::int64_t> thread;
  std::optional<std::int64_t> domain;
  std::string name;
};

/// A call of CUDA on the host.
struct Call {
  std::int64_t start = 0;
  std::int64_t thread = 0;
};

/// A process, and the correlation of a call in it with the operations that it launched.
using ProcessAndCorrelation = std::pair<std::int64_t, std::int64_t>;
using Calls = std::map<ProcessAndCorrelation, Call>;

/// Something on the GPU.
struct Operation {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t process = 0;
  std::optional<std::int64_t> correlation;

  double duration_s() const {
    constexpr double kNanosecondsPerSecond = 1e9;
    return (static_cast<double>(end) - static_cast<double>(start)) / kNanosecondsPerSecond;
  }
};

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

/// The last range that was opened before the operation was launched, if it was still open.
std::optional<std::size_t> range_of(const Operation& operation, const std::vector<Range>& ranges,
                                    const Calls& calls) {
  const auto call = calls.find({operation.process, operation.correlation.value_or(-1)});
  if (!calls.empty() && call == calls.end()) return std::nullopt;
  const std::int64_t launched = calls.empty() ? operation.start : call->second.start;
  const auto after = std::ranges::upper_bound(ranges, launched, {}, &Range::start);
  if (after == ranges.begin()) return std::nullopt;
  const Range& range = *std::prev(after);
  const bool same_thread = calls.empty() || !range.thread || *range.thread == call->second.thread;
  if (!same_thread || launched > range.end) return std::nullopt;
  return static_cast<std::size_t>(std::prev(after) - ranges.begin());
}

class Export {
 public:
  explicit Export(std::string_view content) : database_(content) {}

  std::vector<TracedLaunch> launches() {
    require(kRanges, "NVTX ranges");
    const std::vector<Range> ranges = own_ranges();
    Calls calls;
    read_calls([&](const ProcessAndCorrelation& id, const Call& call) { calls.insert({id, call}); });
    std::vector<Operation> operations;
    for (const char* table : {kKernels, "CUPTI_ACTIVITY_KIND_MEMSET"}) {
      read_operations(table, {},
                      [&](const Operation& operation, const SqliteRow&) { operations.push_back(operation); });
    }
    std::ranges::sort(operations, {}, &Operation::start);
    std::vector<TracedLaunch> launches;
    for (const Range& range : ranges) launches.push_back({range.name, {}});
    for (const Operation& operation : operations) {
      if (const auto range = range_of(operation, ranges, calls)) {
        launches[*range].operations_s.push_back(operation.duration_s());
      }
    }
    return launches;
  }

  NsysProgram program() {
    require(kKernels, "kernels");
    NsysProgram program;
    read_devices(program);
    read_kernels(program);
    std::map<std::int64_t, std::vector<ThreadEvent>> threads;
    read_calls([&](const ProcessAndCorrelation& id, const Call& call) {
      const auto launched = launched_.find(id);
      if (launched == launched_.end()) return;
      for (const std::size_t kernel : launched->second) {
        threads[call.thread].push_back(
            {.time = call.start, .end = call.start, .range = {}, .kernel = kernel});
      }
    });
    read_ranges([&](const Range& range) {
      if (!range.thread || range.name.empty()) return;
      const auto thread = threads.find(*range.thread);
      if (thread == threads.end()) return;
      thread->second.push_back({.time = range.start, .end = range.end, .range = range.name});
    });
    for (auto& [thread, events] : threads) set_paths(program, events);
    return program;
  }

 private:
  void require(const char* table, const char* what) {
    if (database_.has_table(table)) return;
    throw Error(ErrorKind::usage, fmt::format("this database has no {}", what),
                "record with: nsys profile --trace cuda,nvtx");
  }

  /// A column that versions of nsys may lack.
  std::string optional_column(const char* table, const char* column) {
    return database_.has_column(table, column) ? column : "NULL";
  }

  /// The text with this id in the table StringIds. Empty without an id, and if the table is not there or does
  /// not have it.
  std::string string_at(std::optional<std::int64_t> id) {
    if (!id) return {};
    if (!has_strings_) has_strings_ = database_.has_table("StringIds");
    if (!*has_strings_) return {};
    if (const auto known = strings_.find(*id); known != strings_.end()) return known->second;
    std::string& text = strings_[*id];
    database_.read(
        "SELECT substr(value, 1, 10000) FROM StringIds WHERE id = ?",
        [&](const SqliteRow& row) { text = row.text(0).value_or(""); }, *id);
    return text;
  }

  void read_ranges(const std::function<void(const Range&)>& use) {
    if (!database_.has_table(kRanges)) return;
    database_.read(fmt::format("SELECT start, \"end\", globalTid, {}, substr(text, 1, 1000), textId FROM {} "
                               "WHERE eventType = {}",
                               optional_column(kRanges, "domainId"), kRanges, kPushPopRange),
                   [&](const SqliteRow& row) {
                     const auto begin = row.integer(0);
                     if (!begin) return;
                     // A range that was open at the end of the recording has no end.
                     const auto until = row.integer(1).value_or(std::numeric_limits<std::int64_t>::max());
                     const auto text = row.text(4);
                     use({*begin, until, row.integer(2), row.integer(3),
                          text.value_or("").empty() ? string_at(row.integer(5)) : *text});
                   });
  }

  /// Those of our domain, in the order of their starts.
  std::vector<Range> own_ranges() {
    std::set<std::int64_t> domains;
    database_.read(fmt::format("SELECT domainId FROM {} WHERE eventType = {} AND text = '{}'", kRanges,
                               kDomain, kDomainName),
                   [&](const SqliteRow& row) { domains.insert(row.integer(0).value_or(-1)); });
    std::vector<Range> ranges;
    read_ranges([&](const Range& range) {
      if (range.domain && domains.contains(*range.domain)) ranges.push_back(range);
    });
    std::ranges::stable_sort(ranges, {}, &Range::start);
    return ranges;
  }

  void read_calls(const std::function<void(const ProcessAndCorrelation&, const Call&)>& use) {
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!database_.has_table(kTable)) return;
    database_.read(fmt::format("SELECT correlationId, start, globalTid FROM {}", kTable),
                   [&](const SqliteRow& row) {
                     const auto number = row.integer(0);
                     const auto begin = row.integer(1);
                     const auto thread = row.integer(2);
                     if (number && begin && thread) {
                       use({process_of(*thread), *number}, {*begin, *thread});
                     }
                   });
  }

  /// The columns that are read of an operation come before `columns` in its row.
  enum OperationColumn { start, end, process, correlation, first_other };

  /// In the order of their starts.
  void read_operations(const char* table, const std::vector<std::string>& columns,
                       const std::function<void(const Operation&, const SqliteRow&)>& use) {
    if (!database_.has_table(table)) return;
    std::vector<std::string> all = {"start", "\"end\"", optional_column(table, "globalPid"),
                                    optional_column(table, "correlationId")};
    all.insert(all.end(), columns.begin(), columns.end());
    database_.read(
        fmt::format("SELECT {} FROM {} ORDER BY start", fmt::join(all, ", "), table),
        [&](const SqliteRow& row) {
          const auto begun = row.integer(start);
          const auto ended = row.integer(end);
          if (!begun || !ended || *ended < *begun) return;
          use({*begun, *ended, process_of(row.integer(process).value_or(0)), row.integer(correlation)}, row);
        });
  }

  void read_devices(NsysProgram& program) {
    constexpr const char* kTable = "TARGET_INFO_GPU";
    if (!database_.has_table(kTable)) return;
    database_.read(fmt::format("SELECT id, {}, {}, {}, {} FROM {}", optional_column(kTable, "name"),
                               optional_column(kTable, "smCount"), optional_column(kTable, "totalMemory"),
                               optional_column(kTable, "l2CacheSize"), kTable),
                   [&](const SqliteRow& row) {
                     NsysDevice& device = program.devices[row.integer(0).value_or(0)];
                     device.name = row.text(1).value_or("");
                     device.sms = row.integer(2).value_or(0);
                     device.memory_bytes = row.integer(3).value_or(0);
                     device.l2_bytes = row.integer(4).value_or(0);
                   });
  }

  void read_kernels(NsysProgram& program) {
    enum Place { demangled = first_other, mangled, device, shared, grid, block = grid + 3 };
    std::vector<std::string> columns = {"demangledName"};
    for (const char* column : {"mangledName", "deviceId", "dynamicSharedMemory", "gridX", "gridY", "gridZ",
                               "blockX", "blockY", "blockZ"}) {
      columns.push_back(optional_column(kKernels, column));
    }
    read_operations(kKernels, columns, [&](const Operation& operation, const SqliteRow& row) {
      if (operation.correlation) {
        launched_[{operation.process, *operation.correlation}].push_back(program.kernels.size());
      }
      const auto extent = [&](int first) -> std::optional<NsysKernel::Extent> {
        if (!row.integer(first)) return std::nullopt;
        return NsysKernel::Extent{extent_of(row.integer(first)), extent_of(row.integer(first + 1)),
                                  extent_of(row.integer(first + 2))};
      };
      const auto symbol = row.integer(mangled);
      const std::int64_t shared_bytes = std::max<std::int64_t>(row.integer(shared).value_or(0), 0);
      program.kernels.push_back({.name = kept(string_at(symbol ? symbol : row.integer(demangled))),
                                 .process = operation.process,
                                 .device = row.integer(device).value_or(0),
                                 .duration_s = operation.duration_s(),
                                 .grid = extent(grid),
                                 .block = extent(block),
                                 .dynamic_shared_bytes = static_cast<std::uint64_t>(shared_bytes)});
    });
  }

  /// Ranges of a thread are nested: those that are open when it launches are a stack.
  void set_paths(NsysProgram& program, std::vector<ThreadEvent>& events) {
    std::ranges::stable_sort(
        events, {}, [](const ThreadEvent& event) { return std::pair(event.time, event.range.empty()); });
    std::vector<const ThreadEvent*> open;
    for (const ThreadEvent& event : events) {
      while (!open.empty() && open.back()->end < event.time) open.pop_back();
      if (!event.range.empty()) {
        if (open.size() < kDeepest) open.push_back(&event);
        continue;
      }
      std::vector<std::string>& path = program.kernels[event.kernel].path;
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
  std::optional<bool> has_strings_;
  std::map<std::int64_t, std::string> strings_;  // by id, as far as they were asked for
  std::map<ProcessAndCorrelation, std::vector<std::size_t>> launched_;  // kernels of a program
  std::size_t text_bytes_ = 0;
};

}  // namespace

std::vector<TracedLaunch> read_nsys_sqlite(std::string_view content) {
  return Export(content).launches();
}

NsysProgram read_nsys_kernels(std::string_view content) {
  return Export(content).program();
}

}  // namespace rooflinectl
