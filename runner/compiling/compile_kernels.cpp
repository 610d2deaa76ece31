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

/// A parameter of a kernel, as its description has it.
struct KernelParameter {
  std::string name;
  std::string place;      ///< in its description, as `CompilerTask::place`
  std::string type;       ///< `f32`: of the scalar, or of the elements in memory
  std::size_t bytes = 0;  ///< of one of these
  bool is_float = false;  ///< a number with a fraction, of whatever size
  bool is_pointer = false;
  bool is_written = false;  ///< what it points to

  bool operator==(const KernelParameter&) const = default;
};

/// A kernel to be compiled.
struct CompilerTask {
  std::filesystem::path source;  ///< absolute
  std::string kernel;            ///< what messages call it
  std::string place;             ///< where the description names the function: `scale.cu:1:27`
  std::string function;          ///< `scale<float, 256>`
  std::vector<std::string> options;
  std::vector<KernelParameter> parameters;
  int architecture = 0;  ///< 90

  bool operator==(const CompilerTask&) const = default;
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
std::string parameter_checks(const CompilerTask& task) {
  std::string text = fmt::format(
      "#line 1 \"{}\"\n"
      "static_assert(rooflinectl_kernel::Parameters<rooflinectl_kernel::Kernel>::count == {}, \"{}: {} {} "
      "described, and the function has another number of parameters\");\n",
      kArgumentsFile, task.parameters.size(), escaped(task.place), task.parameters.size(),
      task.parameters.size() == 1 ? "argument is" : "arguments are");
  for (std::size_t i = 0; i < task.parameters.size(); ++i) {
    const KernelParameter& parameter = task.parameters[i];
    const std::string type =
        fmt::format("rooflinectl_kernel::Parameter<{}, rooflinectl_kernel::Kernel>::Type", i);
    const auto require = [&](const std::string& condition, const std::string& mistake) {
      text += fmt::format("static_assert({}, \"{}: '{}' {}\");\n", condition, escaped(parameter.place),
                          parameter.name, mistake);
    };
    const std::string described = fmt::format("<{}, {}, {}>()", type, parameter.bytes, parameter.is_float);
    if (!parameter.is_pointer) {
      require(
          "rooflinectl_kernel::is_scalar" + described,
          fmt::format("is described as a scalar, {}, and its parameter has another type", parameter.type));
      continue;
    }
    require(
        fmt::format("rooflinectl_kernel::Pointed<{0}>::is_pointer || rooflinectl_kernel::is_void<{0}>", type),
        "is described as memory, and its parameter is no pointer");
    require("rooflinectl_kernel::is_memory" + described,
            fmt::format("is described as memory of {}, and its parameter points to another type",
                        parameter.type));
    if (parameter.is_written) {
      require(fmt::format("!rooflinectl_kernel::Pointed<{}>::is_constant", type),
              "is described as written, and its parameter points to what is constant");
    }
  }
  return text;
}

/// The source, and what makes the compiler instantiate the kernel and tell its name.
std::string unit_of(const CompilerTask& task) {
  if (task.source.string().find_first_of("\"\n\\") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("{}: a path that #include cannot name", task.source.string()));
  }
  return fmt::format(
      "#include \"{}\"\n"
      "{}"
      "#line 1 \"{}\"\n"
      "namespace rooflinectl_kernel {{ using Kernel = decltype(&{}); }}\n"
      "template __device__ int rooflinectl_kernel::marker<&{}>;\n"
      "{}",
      task.source.string(), kTemplates, kFunctionFile, task.function, task.function, parameter_checks(task));
}

/// Stands for all that the code depends on: the source with the files of its folders that it includes, the
/// function, its parameters, the options, the architecture and the compiler.
std::string key_of(const CompilerTask& task, const std::string& compiler) {
  std::string parameters;
  for (const KernelParameter& parameter : task.parameters) {
    parameters += fmt::format("{} {} {} {}\n", parameter.name, parameter.type, parameter.is_pointer,
                              parameter.is_written);
  }
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", compiler, task.architecture, task.kernel,
                            task.function, task.source.string(), fmt::join(task.options, "\n"), parameters,
                            text_with_includes(task.source)));
}

/// Compiles. Throws Error(usage) with the compiler's messages if it refuses, or if the kernel has other
/// parameters; Error(environment) if the compiler does not end.
CompiledCode compile(const Compiler& compiler, const CompilerTask& task) {
  const PrivateFolder folder;
  const fs::path unit = folder.path() / "kernel.cu";
  const fs::path cubin = folder.path() / "kernel.cubin";
  write_new_file(unit, unit_of(task), std::nullopt);
  const bool is_nvrtc = compiler.nvcc.empty();
  std::vector<std::string> arguments =
      is_nvrtc ? std::vector<std::string>{"python3",        "-c",           std::string(embedded::nvrtc()),
                                          unit.string(),    cubin.string(), "--ptxas-options=-v",
                                          "-default-device"}
               : std::vector<std::string>{"-cubin", "-Xptxas", "-v", "-o", cubin.string(), unit.string()};
  arguments.push_back("-lineinfo");
  arguments.push_back(fmt::format("-I{}", task.source.parent_path().string()));
  if (!names_architecture(task.options)) arguments.push_back(fmt::format("-arch=sm_{}", task.architecture));
  arguments.insert(arguments.end(), task.options.begin(), task.options.end());
  const FinishedProgram finished =
      run_program(is_nvrtc ? fs::path("/usr/bin/env") : compiler.nvcc, arguments, kCompileLimit);
  if (!finished.wait_status) {
    throw Error(ErrorKind::environment, fmt::format("{} did not end", compiler.name));
  }
  if (*finished.wait_status != 0) {
    const std::vector<std::string> errors =
        errors_in(finished.log + finished.output, unit.string(), task.place);
    throw Error(ErrorKind::usage, fmt::format("{}: {} does not compile:\n{}", task.place, task.function,
                                              fmt::join(errors, "\n")));
  }
  return {read_file(cubin), finished.log};
}

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
  const std::string key = key_of(task.task, kernel.compiler);
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
