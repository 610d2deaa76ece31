// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/compare/comparison.h"
#include "cli/inputs.h"
#include "cli/run/run_parts.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/run_file.h"
#include "reports/text/format.h"
#include "runner/compiling/compiling.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr auto kPause = std::chrono::milliseconds(200);

/// What the plan and its sources hold now. A file that is just being replaced counts as empty.
std::string content_of(const std::set<fs::path>& files) {
  std::string content;
  for (const fs::path& file : files) {
    try {
      content += file.extension() == ".py" ? read_file(file) : text_with_includes(file);
    } catch (const Error&) {
      // It will be there again.
    }
    content += '\0';
  }
  return content;
}

/// The plan's file, or the files of its folder, and the sources that it named when it was last read.
std::set<fs::path> watched_files(const std::string& plan_file, const std::set<fs::path>& sources) {
  std::set<fs::path> files = sources;
  std::error_code error;
  if (!fs::is_directory(plan_file)) files.insert(plan_file);
  for (const fs::directory_entry& entry : fs::directory_iterator(plan_file, error)) {
    if (is_kernel_file(entry.path())) files.insert(entry.path());
  }
  return files;
}

/// `v2 2^20 1.12× faster`
std::string change_text(const PointComparison& point) {
  if (!point.time) return fmt::format("{} {}", point.label, to_string(point.change));
  return fmt::format("{} {}", point.label, format::speedup(1 / point.time->ratio()));
}

void print_change(const AnalysedRun& before, const AnalysedRun& now) {
  constexpr std::size_t kMost = 3;
  const RunComparison comparison = compare(std::span(&before, 1), now);
  std::vector<std::string> changes;
  std::size_t left_out = 0;
  for (const PointComparison& point : comparison.points) {
    const bool is_no_change = point.change == PointChange::same || point.change == PointChange::unclear ||
                              point.change == PointChange::untimed;
    if (is_no_change) continue;
    if (changes.size() < kMost) {
      changes.push_back(change_text(point));
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) changes.push_back(fmt::format("{} more", left_out));
  for (const PointChange change : {PointChange::same, PointChange::unclear}) {
    const std::size_t count = comparison.count(change);
    if (count > 0)
      changes.push_back(fmt::format("{} {}", format::counted(count, "point"), to_string(change)));
  }
  terminal::print("since the last version: {}\n", fmt::join(changes, ", "));
}

}  // namespace

int watch_plan(const RunOptions& options, const std::function<int(const Plan&)>& measure) {
  std::optional<AnalysedRun> last;
  std::set<fs::path> sources;
  while (true) {
    std::string seen = content_of(watched_files(options.plan_file, sources));
    try {
      const Plan plan = load_plan(options.plan_file);
      std::set<fs::path> named;
      for (const FileKernel& kernel : plan.kernels) {
        named.insert(kernel.source);
        for (const std::string& file : {kernel.reference.python, kernel.reference.cpp}) {
          if (!file.empty()) named.insert(file);
        }
      }
      if (named != sources) {
        sources = std::move(named);
        seen = content_of(watched_files(options.plan_file, sources));
      }
      const int code = measure(plan);
      if (code > kStoppedBySignal) return code;
      const fs::path file = run_file(fs::path(options.output) / plan.name / "latest");
      AnalysedRun now(plan.name, read_run(file));
      if (last) print_change(*last, now);
      last.emplace(std::move(now));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      terminal::print_error(error);
    }
    terminal::flush(stdout);
    terminal::print(stderr, "waiting for changes in {}; Ctrl-C ends\n", options.plan_file);
    while (content_of(watched_files(options.plan_file, sources)) == seen) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace rooflinectl
