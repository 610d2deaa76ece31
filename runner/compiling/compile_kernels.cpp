// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/machine_code/machine_code.h"
#include "core/plan/kernel_call.h"
#include "runner/compiling/compiling.h"
#include "runner/machine/catalogue.h"

namespace rooflinectl {

namespace {

/// A task and the kernel that it is for.
struct KernelTask {
  const FileKernel* kernel = nullptr;
  CompilerTask task;
};

/// Where `field` is described; the file where that is not known any more, as in a run that is resumed.
std::string place_of(const FileKernel& kernel, const std::string& field) {
  const auto place = kernel.places.find(field);
  return place == kernel.places.end() ? kernel.source : place->second;
}

void add_task(const FileKernel& kernel, const Axes& axes, int architecture, std::vector<KernelTask>& tasks) {
  KernelCall call = call_of(kernel, axes);
  KernelTask added{&kernel,
                   {.source = kernel.source,
                    .kernel = kernel.id,
                    .place = place_of(kernel, "function"),
                    .function = std::move(call.function),
                    .options = std::move(call.options),
                    .parameters = {},
                    .architecture = architecture}};
  for (const CallArgument& argument : call.arguments) {
    added.task.parameters.push_back({.name = argument.name,
                                     .place = place_of(kernel, "arguments." + argument.name),
                                     .type = std::string(to_string(argument.type)),
                                     .bytes = size_bytes(argument.type),
                                     .is_float = !is_integer(argument.type),
                                     .is_pointer = argument.kind != ArgumentKind::scalar,
                                     .is_written = is_written(argument.kind)});
  }
  const bool is_known = std::ranges::any_of(tasks, [&](const KernelTask& other) {
    return other.kernel == added.kernel && other.task == added.task;
  });
  if (!is_known) tasks.push_back(std::move(added));
}

std::vector<KernelTask> tasks_of(const Plan& plan, const std::vector<int>& architectures) {
  std::vector<KernelTask> tasks;
  for (const int architecture : architectures) {
    for (const PointId& point : all_points(plan)) {
      const FileKernel* const kernel = find_file_kernel(plan, point.subject);
      if (kernel == nullptr || is_python(*kernel)) continue;
      add_task(*kernel, point.axes, architecture, tasks);
      const FileKernel* const reference = find_file_kernel(plan, kernel->reference.kernel);
      if (reference != nullptr) add_task(*reference, point.axes, architecture, tasks);
    }
  }
  return tasks;
}

/// What is measured must be what the run says it is.
void require_unchanged(const FileKernel& kernel) {
  if (read_file(kernel.source) == kernel.text) return;
  throw Error(ErrorKind::usage, fmt::format("{} has changed since the run began", kernel.source),
              "measure it in a new run");
}

Compiler require_compiler() {
  if (auto compiler = find_compiler()) return *compiler;
  throw Error(
      ErrorKind::environment,
      "no nvcc was found, nor an NVRTC that python3 can load: kernels from files cannot be compiled",
      "install the CUDA toolkit, or set CUDA_HOME to its folder; pip install nvidia-cuda-nvrtc also does");
}

CompiledKernel compiled(const KernelTask& task, const Compiler& compiler, const KernelCache& cache) {
  CompiledKernel kernel;
  kernel.compiler = compiler.name;
  const std::string key = KernelCache::key_of(task.task, kernel.compiler);
  std::optional<CompiledCode> code = cache.find(key);
  if (!code) {
    code = compile(compiler, task.task);
    cache.store(key, *code);
  }
  kernel.kernel = task.kernel->id;
  kernel.function = task.task.function;
  kernel.options = task.task.options;
  kernel.architecture = task.task.architecture;
  kernel.file = cache.cubin_file(key).string();
  kernel.symbol = marked_kernel(code->cubin, kKernelMarker);
  if (kernel.symbol.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: {} is no kernel (__global__) that others can launch",
                                              task.task.place, task.task.function));
  }
  const KernelReport report = kernel_report(code->log, kernel.symbol);
  kernel.registers = report.registers;
  kernel.spill_bytes = report.spill_bytes;
  for (const FunctionCode& function : function_code(code->cubin)) {
    if (function.symbol == kernel.symbol) kernel.has_half_arithmetic = function.has_half_arithmetic;
  }
  kernel.warnings = messages_in(code->log);
  return kernel;
}

}  // namespace

std::vector<CompiledKernel> compile_kernels(const Plan& plan, const std::vector<int>& architectures) {
  if (plan.kernels.empty()) return {};
  for (const FileKernel& kernel : plan.kernels) require_unchanged(kernel);
  const std::vector<KernelTask> tasks = tasks_of(plan, architectures);
  if (tasks.empty()) return {};
  const Compiler compiler = require_compiler();
  const KernelCache cache = KernelCache::of_user();
  // The compiler says the same of a mistake in the source whatever the values of axes.
  std::set<std::string> said;
  const auto is_new = [&](const std::string& mistake) {
    const std::size_t first_line = std::min(mistake.find('\n'), mistake.size());
    return first_line == mistake.size() || said.insert(mistake.substr(first_line)).second;
  };
  return compile_side_by_side(
      tasks, [&](const KernelTask& task) { return compiled(task, compiler, cache); }, is_new);
}

std::vector<CompiledKernel> compile_kernels_for(const Plan& plan, const std::vector<std::string>& selectors) {
  if (plan.kernels.empty()) return {};
  std::vector<int> architectures;
  for (const DeviceInfo& device : chosen_devices(selectors)) {
    const auto known = std::ranges::find(architectures, device.compute_capability);
    if (known == architectures.end()) architectures.push_back(device.compute_capability);
  }
  return compile_kernels(plan, architectures);
}

}  // namespace rooflinectl
