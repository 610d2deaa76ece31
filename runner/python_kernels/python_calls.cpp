// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/json/json.h"
#include "core/plan/kernel_call.h"
#include "runner/built_in.h"
#include "runner/python_kernels/python_kernels.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using serial::Json;

Json json_of(const CallArgument& argument) {
  return {{"name", argument.name},
          {"kind", to_string(argument.kind)},
          {"type", to_string(argument.type)},
          {"count", argument.count},
          // As text: JSON rounds integers beyond 2^53.
          {"fill",
           {{"kind", to_string(argument.fill.kind)},
            {"value", fmt::format("{}", argument.fill.value)},
            {"seed", argument.fill.seed}}}};
}

Json json_of(const Axes& axes) {
  Json json = Json::object();
  for (const auto& [name, value] : axes) {
    std::visit([&, &key = name](const auto& of_axis) { json[key] = of_axis; }, value);
  }
  return json;
}

/// The function or the files that results are compared with.
Json reference_of(const Plan& plan, const FileKernel& kernel, const PythonCall& call) {
  const FileKernelReference& reference = kernel.reference;
  if (const FileKernel* const other = find_file_kernel(plan, reference.kernel)) {
    return {{"file", other->source}, {"function", other->function}, {"name", fmt::format("'{}'", other->id)}};
  }
  if (!reference.python.empty()) {
    return {{"file", reference.python},
            {"function", reference.function},
            {"name", fmt::format("'{}'", reference.function)}};
  }
  if (!reference.cpp.empty()) {
    Json files = Json::object();
    for (const FileKernelArgument& result : results_of(kernel)) {
      files[result.name] = (call.references / reference_file(call.point, result.name)).string();
    }
    return {{"files", std::move(files)},
            {"cause", (call.references / reference_cause_file(call.point)).string()},
            {"name", fmt::format("'{}'", reference.function)}};
  }
  return {{"files", reference.files}, {"name", "the stored results"}};
}

Json json_of(const Plan& plan, const PythonCall& call) {
  const FileKernel& kernel = *find_file_kernel(plan, call.point.subject);
  const KernelCall resolved = call_of(kernel, call.point.axes);
  Json arguments = Json::array();
  Json relative = Json::object();
  for (const CallArgument& argument : resolved.arguments) {
    arguments.push_back(json_of(argument));
    relative[argument.name] = kernel.reference.relative.value_or(usual_tolerance(argument.type));
  }
  Json results = Json::array();
  for (const FileKernelArgument& result : results_of(kernel)) results.push_back(result.name);
  Json json = {{"file", kernel.source},
               {"function", resolved.function},
               {"axes", json_of(call.point.axes)},
               {"arguments", std::move(arguments)},
               {"results", std::move(results)},
               {"reference", reference_of(plan, kernel, call)},
               {"tolerance", {{"relative", std::move(relative)}, {"absolute", kernel.reference.absolute}}},
               {"range", call.range},
               {"cold", cache_of(call.point) == CacheState::cold},
               {"time_limit_s", call.time_limit_s}};
  if (!call.stored.empty()) json["store"] = call.stored;
  return json;
}

fs::path answers_file(const fs::path& folder) {
  return folder / "answers.jsonl";
}

void take(const Json& line, PythonAnswer& answer) {
  if (!answer.was_begun) {
    answer.was_begun = true;
    return;
  }
  answer.has_ended = true;
  answer.cause = line.value("cause", "");
  answer.calls = line.value("calls", 0);
  answer.versions = line.value("versions", answer.versions);
  const std::string detail = line.value("detail", "");
  const bool passed = line.value("passed", true);
  if (passed && detail.empty()) return;
  answer.verification =
      Verification{.passed = passed, .worst_error_over_bound = line.value("worst", 0.0), .detail = detail};
}

}  // namespace

std::vector<std::string> write_python_calls(const fs::path& folder, const Plan& plan,
                                            const std::vector<PythonCall>& calls,
                                            const PythonDevice& device) {
  const fs::path driver = folder / "driver.py";
  const fs::path request = folder / "request.json";
  Json points = Json::array();
  for (const PythonCall& call : calls) points.push_back(json_of(plan, call));
  write_file(driver, embedded::driver());
  write_file(request, serial::to_text(Json{{"points", std::move(points)},
                                           {"l2_bytes", device.l2_bytes},
                                           {"memory_bytes", device.memory_bytes},
                                           {"count_s", device.count_s}}));
  return {"python3", driver.string(), request.string(), answers_file(folder).string()};
}

std::vector<PythonAnswer> read_python_answers(const fs::path& folder, std::size_t calls) {
  std::vector<PythonAnswer> answers(calls);
  std::error_code error;
  if (!fs::is_regular_file(answers_file(folder), error)) return answers;
  std::istringstream lines(read_file(answers_file(folder)));
  for (std::string text; std::getline(lines, text);) {
    try {
      const Json line = serial::parse_object(text, "an answer of Python");
      const auto place = line.value("place", calls);
      if (place < calls) take(line, answers[place]);
    } catch (const std::exception&) {
      break;  // cut off when the process died
    }
  }
  return answers;
}

}  // namespace rooflinectl
