// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "core/error.h"
#include "core/files/files.h"
#include "runner/built_in.h"
#include "runner/compiling/compiling.h"
#include "runner/processes/processes.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kEnv = "/usr/bin/env";  // finds python3
constexpr auto kVersionLimit = 30s;
constexpr auto kCompileLimit = 10min;

/// The toolkit that the user chose, if it is a folder.
std::optional<fs::path> named_toolkit() {
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const root = std::getenv(variable);
    std::error_code error;
    if (root != nullptr && fs::is_directory(root, error)) return root;
  }
  return std::nullopt;
}

/// Where nvcc may be, best guess first.
std::vector<fs::path> usual_places() {
  std::vector<fs::path> programs;
  if (const char* const path = std::getenv("PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      programs.push_back(fs::path(folder) / "nvcc");
  }
  programs.emplace_back("/usr/local/cuda/bin/nvcc");
  return programs;
}

/// `13.0.48` from `… release 13.0, V13.0.48`.
std::string version_in(const std::string& text) {
  const std::size_t begin = text.find(", V");
  if (begin == std::string::npos) return "";
  return text.substr(begin + 3, text.find_first_not_of("0123456789.", begin + 3) - begin - 3);
}

std::optional<Compiler> nvcc_at(const fs::path& program) {
  std::error_code error;
  if (!fs::is_regular_file(program, error)) return std::nullopt;
  const FinishedProgram asked = run_program(program, {"--version"}, kVersionLimit);
  if (asked.wait_status != 0) return std::nullopt;
  return Compiler{"nvcc " + version_in(asked.output), program};
}

bool has_nvrtc(const fs::path& toolkit) {
  std::error_code error;
  for (const char* const folder : {"lib64", "lib"}) {
    for (const fs::directory_entry& entry : fs::directory_iterator(toolkit / folder, error)) {
      if (entry.path().filename().string().starts_with("libnvrtc.so.")) return true;
    }
  }
  return false;
}

std::optional<Compiler> find_nvrtc() {
  const FinishedProgram asked =
      run_program(kEnv, {"python3", "-c", std::string(embedded::nvrtc()), "--version"}, kVersionLimit);
  if (asked.wait_status != 0 || asked.output.empty()) return std::nullopt;
  return Compiler{"NVRTC " + asked.output.substr(0, asked.output.find('\n')), {}};
}

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

}  // namespace

std::optional<Compiler> find_compiler() {
  if (const auto toolkit = named_toolkit()) {
    if (const auto nvcc = nvcc_at(*toolkit / "bin/nvcc")) return nvcc;
    if (has_nvrtc(*toolkit)) {
      if (const auto nvrtc = find_nvrtc()) return nvrtc;
    }
  }
  for (const fs::path& program : usual_places()) {
    if (const auto nvcc = nvcc_at(program)) return nvcc;
  }
  return find_nvrtc();
}

bool names_architecture(const std::vector<std::string>& options) {
  return std::ranges::any_of(options, [](const std::string& option) {
    return option.starts_with("-arch") || option.starts_with("--gpu-architecture");
  });
}

std::optional<fs::path> toolkit_include() {
  std::vector<fs::path> folders;
  if (const auto toolkit = named_toolkit()) folders.push_back(*toolkit / "include");
  for (const fs::path& nvcc : usual_places()) folders.push_back(nvcc.parent_path().parent_path() / "include");
  for (const fs::path& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(folder / "cuda_runtime.h", error)) return folder;
  }
  return std::nullopt;
}

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
      run_program(is_nvrtc ? fs::path(kEnv) : compiler.nvcc, arguments, kCompileLimit);
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

}  // namespace rooflinectl
