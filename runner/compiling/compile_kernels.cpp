// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files/files.h"
#include "core/machine_code/machine_code.h"
#include "core/plan/kernel_call.h"
#include "runner/built_in.h"
#include "runner/compiling/compiling.h"
#include "runner/machine/catalogue.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes kCompileLimit{10};
/// The device variable of compiled code that names its kernel: `marked_kernel`.
inline constexpr const char* kKernelMarker = "rooflinectl_kernel::marker";

/// A kernel to be compiled, as some points call it.
struct KernelTask {
  const FileKernel* kernel = nullptr;
  KernelCall call;
  int architecture = 0;  ///< 90

  bool operator==(const KernelTask& other) const {
    return kernel == other.kernel && architecture == other.architecture &&
           call.function == other.call.function && call.options == other.call.options &&
           std::ranges::equal(call.arguments, other.call.arguments, {}, &CallArgument::type,
                              &CallArgument::type);
  }
};

/// What stands for the kernel in compiled code, and what the compiler is told of types: memory may be of
/// vectors of its elements, such as `float4`, or of bytes. NVRTC has no headers of the standard library.
constexpr const char* kTemplates = R"cuda(namespace rooflinectl_kernel {
template <auto kernel> __device__ int marker;
template <typename Kernel> struct Parameters {};
template <typename... P> struct Parameters<void (*)(P...)> {
  static constexpr unsigned long count = sizeof...(P);
};
template <unsigned long i, typename Kernel> struct Parameter { using Type = void; };
template <typename First, typename... Rest> struct Parameter<0, void (*)(First, Rest...)> { using Type = First; };
template <unsigned long i, typename First, typename... Rest> struct Parameter<i, void (*)(First, Rest...)>
    : Parameter<i - 1, void (*)(Rest...)> {};
template <typename A, typename B> constexpr bool is_same = false;
template <typename A> constexpr bool is_same<A, A> = true;
template <typename T, typename... Others> constexpr bool is_one_of = (is_same<T, Others> || ...);
template <typename T> constexpr bool is_void = is_one_of<T, void, const void, volatile void>;
template <typename T> constexpr bool is_floating_point = is_one_of<T, float, double>;
template <typename T> constexpr bool is_number =
    is_floating_point<T> || __is_enum(T) ||
    is_one_of<T, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
              long long, unsigned long long>;
template <typename T> struct Pointed { using Type = void; static constexpr bool is_pointer = false, is_constant = false; };
template <typename T> struct Pointed<T*> { using Type = T; static constexpr bool is_pointer = true, is_constant = false; };
template <typename T> struct Pointed<const T*> { using Type = T; static constexpr bool is_pointer = true, is_constant = true; };
template <typename T, unsigned long bytes, bool is_float> constexpr bool holds() {
  if constexpr (is_number<T>) {
    return sizeof(T) == bytes && (is_floating_point<T> == is_float || (is_float && bytes == 2));
  } else if constexpr (is_void<T>) {
    return true;
  } else {
    return sizeof(T) % bytes == 0;
  }
}
template <typename T, unsigned long bytes, bool is_float> constexpr bool is_scalar() {
  if constexpr (is_void<T>) return true;
  else return sizeof(T) == bytes && !Pointed<T>::is_pointer && holds<T, bytes, is_float>();
}
template <typename T, unsigned long bytes, bool is_float> constexpr bool is_memory() {
  using Element = typename Pointed<T>::Type;
  if constexpr (is_void<Element>) return true;
  else return sizeof(Element) == 1 || holds<Element, bytes, is_float>();
}
}
)cuda";

/// As a string literal has it.
std::string escaped(const std::string& text) {
  std::string literal;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') literal += '\\';
    literal += letter;
  }
  return literal;
}

/// What makes the compiler refuse a kernel with other parameters than those that are described: a launch
/// would read arguments that are not there.
std::string parameter_checks(const KernelTask& task) {
  const std::vector<CallArgument>& arguments = task.call.arguments;
  std::string text = fmt::format(
      "#line 1 \"{}\"\n"
      "static_assert(rooflinectl_kernel::Parameters<rooflinectl_kernel::Kernel>::count == {}, \"{}: {} {} "
      "described, and the function has another number of parameters\");\n",
      kArgumentsFile, arguments.size(), escaped(place_of(*task.kernel, "function")), arguments.size(),
      arguments.size() == 1 ? "argument is" : "arguments are");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const CallArgument& argument = arguments[i];
    const std::string place = place_of(*task.kernel, "arguments." + argument.name);
    const std::string type =
        fmt::format("rooflinectl_kernel::Parameter<{}, rooflinectl_kernel::Kernel>::Type", i);
    const auto require = [&](const std::string& condition, const std::string& mistake) {
      text += fmt::format("static_assert({}, \"{}: '{}' {}\");\n", condition, escaped(place), argument.name,
                          mistake);
    };
    const std::string described =
        fmt::format("<{}, {}, {}>()", type, size_bytes(argument.type), !is_integer(argument.type));
    if (argument.kind == ArgumentKind::scalar) {
      require("rooflinectl_kernel::is_scalar" + described,
              fmt::format("is described as a scalar, {}, and its parameter has another type",
                          to_string(argument.type)));
      continue;
    }
    require(
        fmt::format("rooflinectl_kernel::Pointed<{0}>::is_pointer || rooflinectl_kernel::is_void<{0}>", type),
        "is described as memory, and its parameter is no pointer");
    require("rooflinectl_kernel::is_memory" + described,
            fmt::format("is described as memory of {}, and its parameter points to another type",
                        to_string(argument.type)));
    if (is_written(argument.kind)) {
      require(fmt::format("!rooflinectl_kernel::Pointed<{}>::is_constant", type),
              "is described as written, and its parameter points to what is constant");
    }
  }
  return text;
}

/// The source, and what makes the compiler instantiate the kernel and tell its name.
std::string unit_of(const KernelTask& task) {
  const std::string& source = task.kernel->source;
  if (source.find_first_of("\"\n\\") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("{}: a path that #include cannot name", source));
  }
  return fmt::format(
      "#include \"{}\"\n"
      "{}"
      "#line 1 \"{}\"\n"
      "namespace rooflinectl_kernel {{ using Kernel = decltype(&{}); }}\n"
      "template __device__ int rooflinectl_kernel::marker<&{}>;\n"
      "{}",
      source, kTemplates, kFunctionFile, task.call.function, task.call.function, parameter_checks(task));
}

/// Stands for all that the code depends on: the source with the files of its folders that it includes, the
/// function, its parameters, the options, the architecture and the compiler.
std::string key_of(const KernelTask& task, const std::string& compiler) {
  std::string parameters;
  for (const CallArgument& argument : task.call.arguments) {
    parameters += fmt::format("{} {} {} {}\n", argument.name, to_string(argument.type),
                              argument.kind != ArgumentKind::scalar, is_written(argument.kind));
  }
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", compiler, task.architecture, task.kernel->id,
                            task.call.function, task.kernel->source, fmt::join(task.call.options, "\n"),
                            parameters, text_with_includes(task.kernel->source)));
}

/// Compiles. Throws Error(usage) with the compiler's messages if it refuses, or if the kernel has other
/// parameters; Error(environment) if the compiler does not end.
CompiledCode compile(const Compiler& compiler, const KernelTask& task) {
  const PrivateFolder folder;
  const fs::path unit = folder.path() / "kernel.cu";
  const fs::path cubin = folder.path() / "kernel.cubin";
  write_new_file(unit, unit_of(task), std::nullopt);
  const bool is_nvrtc = compiler.program.empty();
  std::vector<std::string> arguments =
      is_nvrtc ? std::vector<std::string>{"python3",        "-c",           std::string(embedded::nvrtc()),
                                          unit.string(),    cubin.string(), "--ptxas-options=-v",
                                          "-default-device"}
               : std::vector<std::string>{"-cubin", "-Xptxas", "-v", "-o", cubin.string(), unit.string()};
  const std::vector<std::string>& options = task.call.options;
  arguments.push_back("-lineinfo");
  arguments.push_back(fmt::format("-I{}", fs::path(task.kernel->source).parent_path().string()));
  if (!names_architecture(options)) arguments.push_back(fmt::format("-arch=sm_{}", task.architecture));
  arguments.insert(arguments.end(), options.begin(), options.end());
  const FinishedProgram finished =
      run_program(is_nvrtc ? fs::path("/usr/bin/env") : compiler.program, arguments, kCompileLimit);
  if (!finished.wait_status) {
    throw Error(ErrorKind::environment, fmt::format("{} did not end", compiler.name));
  }
  if (*finished.wait_status != 0) {
    const std::string place = place_of(*task.kernel, "function");
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: {} does not compile:\n{}", place, task.call.function,
                    fmt::join(errors_in(finished.log + finished.output, unit.string(), place), "\n")));
  }
  return {read_file(cubin), finished.log};
}

void add_task(const FileKernel& kernel, const Axes& axes, int architecture, std::vector<KernelTask>& tasks) {
  KernelTask added = {&kernel, call_of(kernel, axes), architecture};
  if (std::ranges::find(tasks, added) == tasks.end()) tasks.push_back(std::move(added));
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

CompiledKernel compiled(const KernelTask& task, const Compiler& compiler) {
  const std::string key = key_of(task, compiler.name);
  std::optional<CompiledCode> code = cached_code(key);
  if (!code) {
    code = compile(compiler, task);
    cache_code(key, *code);
  }
  CompiledKernel kernel;
  kernel.compiler = compiler.name;
  kernel.kernel = task.kernel->id;
  kernel.function = task.call.function;
  kernel.options = task.call.options;
  kernel.architecture = task.architecture;
  kernel.file = cached_cubin(key).string();
  kernel.symbol = marked_kernel(code->cubin, kKernelMarker);
  if (kernel.symbol.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}: {} is no kernel (__global__) that others can launch",
                                              place_of(*task.kernel, "function"), kernel.function));
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
  // The compiler says the same of a mistake in the source whatever the values of axes.
  std::set<std::string> said;
  const auto is_new = [&](const std::string& mistake) {
    const std::size_t first_line = std::min(mistake.find('\n'), mistake.size());
    return first_line == mistake.size() || said.insert(mistake.substr(first_line)).second;
  };
  return compile_side_by_side(
      tasks, [&](const KernelTask& task) { return compiled(task, compiler); }, is_new);
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
