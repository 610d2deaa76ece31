// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "readers/nsys/nsys.h"
#include "readers/nsys/sqlite_reader.h"

namespace rooflinectl {

namespace {

using namespace nsys;

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
    constexpr const char* kTable = "CUPTI_ACTIVITY_KIND_RUNTIME";
    if (!database_.has_table(kTable)) return;
    database_.read(
        fmt::format("SELECT correlationId, start, globalTid FROM {}", kTable), [&](const SqliteRow& row) {
          const auto correlation = row.integer(0);
          const auto start = row.integer(1);
          const auto thread = row.integer(2);
          if (!correlation || !start || !thread) return;
          const auto launched = launches_.find({process_of(*thread), *correlation});
          if (launched == launches_.end()) return;
          for (const std::size_t kernel : launched->second) {
            threads_[*thread].push_back({.time = *start, .end = *start, .range = {}, .kernel = kernel});
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
