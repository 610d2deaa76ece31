// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rooflinectl {

/// The CUDA compiler of this machine.
struct Compiler {
  std::string name;            ///< `nvcc 13.0.48`, `NVRTC 13.0`
  std::filesystem::path nvcc;  ///< empty for NVRTC, which Python loads
};

/// nvcc, else NVRTC, of the toolkit that CUDA_HOME or CUDA_PATH names; else nvcc on the PATH, or in the
/// toolkit's usual folder; else NVRTC of that, or of the wheels of python3; nothing if there is none.
std::optional<Compiler> find_compiler();

/// The folder with the toolkit's headers; nothing if there is no toolkit.
std::optional<std::filesystem::path> toolkit_include();

/// Whether options of nvcc do, such as `-arch=sm_90a`: it takes no second one.
bool names_architecture(const std::vector<std::string>& options);

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

struct CompiledCode {
  std::string cubin;
  std::string log;  ///< the compiler's messages, with ptxas' reports
};

/// The device variable of compiled code that names its kernel: `marked_kernel`.
inline constexpr const char* kKernelMarker = "rooflinectl_kernel::marker";

/// Compiles. Throws Error(usage) with the compiler's messages if it refuses, or if the kernel has other
/// parameters; Error(environment) if the compiler does not end.
CompiledCode compile(const Compiler& compiler, const CompilerTask& task);

}  // namespace rooflinectl
