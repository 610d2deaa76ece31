// SPDX-License-Identifier: Apache-2.0
#include "runner/python_kernels/references.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/plan/kernel_call.h"
#include "runner/processes/collector_process.h"
#include "runner/python_kernels/python_calls.h"

namespace rooflinectl {

namespace {

constexpr auto kReferencesLimit = std::chrono::minutes(10);

bool needs_reference(const FileKernel& kernel) {
  return !is_python(kernel) && !kernel.reference.python.empty();
}

}  // namespace

bool has_python_references(const Plan& plan) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(), needs_reference);
}

void compute_references(const Plan& plan, const std::filesystem::path& folder) {
  std::vector<PythonCall> calls;
  std::set<std::string> known;
  for (const PointId& point : all_points(plan)) {
    const FileKernel* const kernel = find_file_kernel(plan, point.subject);
    if (kernel == nullptr || !needs_reference(*kernel)) continue;
    PythonCall call{.point = point, .range = {}, .stored = {}, .references = {}};
    for (const FileKernelArgument& result : results_of(*kernel)) {
      call.stored[result.name] = (folder / reference_file(point, result.name)).string();
    }
    // Cold and warm are the same.
    if (!call.stored.empty() && known.insert(call.stored.begin()->second).second)
      calls.push_back(std::move(call));
  }
  if (calls.empty()) return;
  std::vector<std::string> command = write_python_calls(folder, plan, calls);
  const FinishedProgram finished = run_program("/usr/bin/env", command, kReferencesLimit);
  const std::vector<PythonAnswer> answers = read_python_answers(folder, calls.size());
  if (!answers.front().was_begun) {
    throw Error(ErrorKind::environment, fmt::format("python3 did not start: {}", finished.last_log_line),
                "references in Python need python3 with NumPy on the PATH");
  }
  std::vector<std::string> causes;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const PythonAnswer& answer = answers[i];
    if (!answer.was_begun || (answer.has_ended && answer.cause.empty())) continue;
    const std::string cause =
        answer.has_ended ? answer.cause : fmt::format("python3 ended: {}", finished.last_log_line);
    // What is wrong for one point is wrong for the others.
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) causes.push_back(cause);
  }
  if (!causes.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}", fmt::join(causes, "\n")), "nothing was measured");
  }
}

}  // namespace rooflinectl
