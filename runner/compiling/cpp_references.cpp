// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/files/files.h"
#include "core/plan/kernel_call.h"
#include "runner/compiling/compiling.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::duration<double> kReferenceLimit{600};

bool has_cpp_reference(const FileKernel& kernel) {
  return !kernel.reference.cpp.empty();
}

/// A point whose results are computed, and with what.
struct ReferencePoint {
  const FileKernel* kernel = nullptr;
  PointId point;
  KernelCall call;
  std::size_t task = 0;
};

struct References {
  std::vector<ReferencePoint> points;
  std::vector<ReferenceTask> tasks;
};

References references_of(const Plan& plan, int architecture) {
  References references;
  std::set<std::string> known;
  for (const PointId& point : all_points(plan)) {
    const FileKernel* const kernel = find_file_kernel(plan, point.subject);
    // Cold and warm are the same.
    if (kernel == nullptr || !has_cpp_reference(*kernel) || !known.insert(reference_file(point, "")).second)
      continue;
    ReferencePoint added{kernel, point, call_of(*kernel, point.axes), 0};
    ReferenceTask task = reference_task(*kernel, added.call, point.axes, architecture);
    const auto same = std::ranges::find(references.tasks, task);
    added.task = static_cast<std::size_t>(same - references.tasks.begin());
    if (same == references.tasks.end()) references.tasks.push_back(std::move(task));
    references.points.push_back(std::move(added));
  }
  return references;
}

/// The program of each task.
std::vector<fs::path> compiled(const std::vector<ReferenceTask>& tasks) {
  std::map<fs::path, HostCompiler> compilers;  // by the extension of the source
  for (const ReferenceTask& task : tasks) {
    const fs::path language = task.source.extension();
    if (!compilers.contains(language)) compilers.emplace(language, require_host_compiler(task));
  }
  std::set<std::string> said;
  return compile_side_by_side(
      tasks,
      [&](const ReferenceTask& task) {
        return compile_reference(task, compilers.at(task.source.extension()));
      },
      [&](const std::string& mistake) { return said.insert(mistake).second; });
}

/// Why it has no results; empty if it has.
std::string cause_of(const FinishedProgram& finished, std::chrono::duration<double> limit) {
  if (!finished.wait_status) return fmt::format("did not end within {:.3g} s", limit.count());
  if (*finished.wait_status == 0) return "";
  if (WIFEXITED(*finished.wait_status) && !finished.last_log_line.empty()) {
    return fmt::format("ended with: {}", finished.last_log_line);
  }
  return describe_exit(*finished.wait_status);
}

}  // namespace

bool has_cpp_references(const Plan& plan) {
  return std::ranges::any_of(plan.kernels, has_cpp_reference);
}

void compile_cpp_references(const Plan& plan, int architecture) {
  compiled(references_of(plan, architecture).tasks);
}

void compute_cpp_references(const Plan& plan, const fs::path& folder, int architecture) {
  const auto limit = silence_limit_from_environment().value_or(kReferenceLimit);
  const References references = references_of(plan, architecture);
  const std::vector<fs::path> programs = compiled(references.tasks);
  for (const ReferencePoint& one : references.points) {
    const FinishedProgram finished =
        run_program(programs[one.task], reference_arguments(*one.kernel, one.call, one.point, folder),
                    std::chrono::duration_cast<CollectorProcess::Clock::duration>(limit));
    const std::string cause = cause_of(finished, limit);
    if (cause.empty()) continue;
    write_file(folder / reference_cause_file(one.point),
               fmt::format("the reference '{}' {}", one.kernel->reference.function, cause));
  }
}

}  // namespace rooflinectl
