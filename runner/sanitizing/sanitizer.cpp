// SPDX-License-Identifier: Apache-2.0
#include "runner/sanitizing/sanitizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <system_error>

#include "core/error.h"
#include "core/files/files.h"
#include "core/serial/protocol.h"
#include "runner/crosscheck/crosscheck.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr auto kSanitizerLimit = std::chrono::minutes(10);
constexpr std::string_view kMark = "========= ";

fs::path require_sanitizer() {
  if (const auto tool = find_tool("compute-sanitizer")) return *tool;
  throw Error(ErrorKind::environment, "--sanitize: compute-sanitizer was not found",
              "install it (cuda-sanitizer-13-0), or add its folder to the PATH");
}

/// What is the same for cold and warm launches, and for graphs and plain ones.
std::string data_of(PointId point) {
  point.experiment.clear();
  point.axes.erase(axis::kCache);
  point.axes.erase(axis::kMode);
  return range_name(point);
}

/// Of one point: a process that memcheck has stopped launches nothing else.
std::string finding_at(const CollectRequest& request, const fs::path& sanitizer, const fs::path& collector,
                       const fs::path& folder) {
  const fs::path plan = folder / "request.json";
  const fs::path log = folder / "memcheck.log";
  std::error_code ignored;
  fs::remove(log, ignored);
  write_file(plan, encode(request));
  const FinishedProgram finished =
      run_program(sanitizer,
                  {"--tool", "memcheck", "--log-file", log.string(), "--target-processes", "all",
                   collector.string(), "--plan", plan.string()},
                  kSanitizerLimit);
  const std::string text = fs::is_regular_file(log, ignored) ? read_file(log) : "";
  if (text.find("ERROR SUMMARY") != std::string::npos) return sanitizer_finding(text);
  throw Error(ErrorKind::environment,
              fmt::format("compute-sanitizer {}: {}",
                          finished.wait_status ? describe_exit(*finished.wait_status) : "did not end",
                          finished.last_log_line));
}

/// Without the mark, and without the indentation of what belongs to an error.
std::optional<std::string> content_of(const std::string& line) {
  if (!line.starts_with(kMark)) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(' ', kMark.size());
  return begin == std::string::npos ? std::nullopt : std::optional(line.substr(begin));
}

/// `scale.cu:12` from `at scale(float *)+0x70 in /home/me/scale.cu:12`; the whole text where there is no
/// file.
std::string place_in(const std::string& text) {
  const std::size_t in = text.rfind(" in ");
  if (in == std::string::npos) return text;
  return "at " + fs::path(text.substr(in + 4)).filename().string();
}

}  // namespace

std::string sanitizer_finding(std::string_view log) {
  constexpr std::string_view kSummary = "ERROR SUMMARY: ";
  std::string_view summary = log.substr(std::min(log.rfind(kSummary), log.size()));
  summary = summary.substr(std::min(kSummary.size(), summary.size()));
  summary = summary.substr(0, summary.find('\n'));
  if (summary.empty() || summary.starts_with("0 ")) return "";
  std::istringstream lines{std::string(log)};
  std::optional<std::string> error;  // that the following lines belong to
  for (std::string line; std::getline(lines, line);) {
    const auto content = content_of(line);
    if (!content) continue;
    const bool is_new = line.size() > kMark.size() && line[kMark.size()] != ' ';
    if (is_new) {
      if (error) break;
      const bool is_error = content->starts_with("Invalid") || content->starts_with("Misaligned") ||
                            content->starts_with("Program hit") || content->starts_with("Error");
      if (is_error) error = *content;
    } else if (error && content->starts_with("at ")) {
      *error += " " + place_in(*content);
    } else if (error && content->starts_with("by thread")) {
      *error += ", " + *content;
    }
  }
  return fmt::format("{}; {}", error.value_or("compute-sanitizer found errors"), summary);
}

std::map<std::string, std::string> sanitizer_findings(const Plan& plan,
                                                      const std::vector<CompiledKernel>& compiled,
                                                      const std::string& device, const fs::path& collector) {
  const std::vector<PointId> points = all_points(plan);
  std::map<std::string, std::string> by_data;
  std::map<std::string, std::string> findings;
  std::optional<fs::path> sanitizer;
  const PrivateFolder folder;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FileKernel* const kernel = find_file_kernel(plan, points[i].subject);
    if (kernel == nullptr || is_python(*kernel)) continue;
    if (!sanitizer) sanitizer = require_sanitizer();
    const auto [found, is_new] = by_data.try_emplace(data_of(points[i]));
    if (is_new) {
      CollectRequest request;
      request.plan = plan;
      request.compiled_kernels = compiled;
      request.mode = CollectMode::sanitize;
      request.counters = false;
      request.device = device;
      request.skip_ceilings = true;
      for (std::size_t other = 0; other < points.size(); ++other) {
        if (other != i) request.skip_points.push_back(other);
      }
      found->second = finding_at(request, *sanitizer, collector, folder.path());
    }
    if (!found->second.empty()) findings[range_name(points[i])] = found->second;
  }
  if (sanitizer) return findings;
  throw Error(ErrorKind::usage, "--sanitize: the plan has no kernels from CUDA files");
}

void mark_findings(Run& run, const std::map<std::string, std::string>& findings) {
  for (Measurement& measurement : run.measurements) {
    const auto finding = findings.find(range_name(measurement.point));
    if (finding == findings.end() || measurement.status == Status::failed) continue;
    measurement.status = Status::unverified;
    measurement.cause = "compute-sanitizer: " + finding->second;
    measurement.verification = Verification{.passed = false, .detail = measurement.cause};
    measurement.time.reset();
    measurement.energy.reset();
    measurement.counters.clear();
    measurement.counter_spread.clear();
    measurement.counter_repeats = 0;
  }
}

}  // namespace rooflinectl
