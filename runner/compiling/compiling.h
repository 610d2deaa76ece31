// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/model/file_kernel.h"
#include "core/model/plan.h"
#include "core/model/point_id.h"
#include "core/plan/kernel_call.h"

namespace rooflinectl {

/// The architecture that kernels are compiled for where no GPU is named: that of an H100.
inline constexpr int kDefaultArchitecture = 90;

/// Compiles the plan's kernels from files as its points, and the references of these, call them, unless that
/// is already in the cache. Throws Error(usage) with all that the compiler refuses, or if a file has changed
/// since the plan was read; Error(environment) if there is no compiler.
std::vector<CompiledKernel> compile_kernels(const Plan& plan, const std::vector<int>& architectures);

/// The same for the devices that `selectors` name by index or UUID. Without kernels from files, it looks for
/// neither devices nor a compiler. Throws also as `chosen_devices`.
std::vector<CompiledKernel> compile_kernels_for(const Plan& plan, const std::vector<std::string>& selectors);

/// The CUDA compiler of this machine.
struct Compiler {
  std::string name;               ///< `nvcc 13.0.48`, `NVRTC 13.0`
  std::filesystem::path program;  ///< empty for NVRTC, which Python loads
};

/// nvcc, else NVRTC, of the toolkit that CUDA_HOME or CUDA_PATH names; else nvcc on the PATH, or in the
/// toolkit's usual folder; else NVRTC of that, or of the wheels of python3; nothing if there is none.
std::optional<Compiler> find_compiler();

/// The folder with the toolkit's headers; nothing if there is no toolkit.
std::optional<std::filesystem::path> toolkit_include();

/// Whether options of nvcc name an architecture, such as `-arch=sm_90a`: it takes no second one.
bool names_architecture(const std::vector<std::string>& options);

/// What ptxas reports of a kernel with `-v`.
struct KernelReport {
  int registers = 0;
  std::uint64_t spill_bytes = 0;  ///< stored and loaded
};

/// The report on the kernel `symbol`; zeros if the log has none.
KernelReport kernel_report(std::string_view log, std::string_view symbol);

/// The lines of the log that are for people: neither ptxas' reports nor blank, nor how to silence warnings.
std::vector<std::string> messages_in(std::string_view log);

/// Where the description of the kernel has `field`; the source where that is not known any more, as in a run
/// that is resumed.
std::string place_of(const FileKernel& kernel, const std::string& field);

// What the generated code is called in messages: where it names the function, and where it checks arguments.
inline constexpr const char* kFunctionFile = "rooflinectl: function";
inline constexpr const char* kArgumentsFile = "rooflinectl: arguments";

/// What a compiler that refused `unit` says of the user's files; of the generated code only if nothing is
/// wrong with these, and then the first mistake alone, at `place` (mistakes in arguments name their places).
std::vector<std::string> errors_in(std::string_view log, std::string_view unit, std::string_view place);

/// The name in `cubin` of the kernel that the device variable `marker<&kernel>` in it names. Empty if it has
/// no such kernel.
std::string marked_kernel(std::string_view cubin, std::string_view marker);

/// Whether results are compared with those of functions in C++.
bool has_cpp_references(const Plan& plan);

/// Compiles these, beside device code for the architecture (90 for 9.0). Throws Error(usage) with what the
/// compiler says; Error(environment) if there is none.
void compile_cpp_references(const Plan& plan, int architecture);

/// Computes them, each point in a process of its own, into files of `folder` (`reference_file`). Of one that
/// crashes, throws or does not end within ten minutes (ROOFLINECTL_SILENCE_LIMIT), the cause is in
/// `reference_cause_file`. Throws Error as compiling does.
void compute_cpp_references(const Plan& plan, const std::filesystem::path& folder, int architecture);

/// The text of a source and of all files that it includes by names in quotes. Throws Error(usage) if the
/// source cannot be read.
std::string text_with_includes(const std::filesystem::path& source);

struct CompiledCode {
  std::string cubin;
  std::string log;  ///< the compiler's messages, with ptxas' reports
};

// Compiled kernels of the user's files, kept by a key that stands for what they were compiled from: in
// `$XDG_CACHE_HOME/rooflinectl/kernels`, else in `~/.cache/rooflinectl/kernels`, else in a temporary folder.

/// Where the code with this key is, or would be.
std::filesystem::path cached_cubin(const std::string& key);
/// Likewise a program that computes a reference.
std::filesystem::path cached_program(const std::string& key);
std::optional<CompiledCode> cached_code(const std::string& key);
/// Throws Error(environment) if it cannot be written.
void cache_code(const std::string& key, const CompiledCode& code);
void cache_program(const std::string& key, const std::filesystem::path& program);

/// What `compile` makes of each task, in the order of the tasks, with as many compilers at a time as there
/// are cores. Throws Error(usage) with the mistakes in all of them that `is_new` holds for, which is asked
/// about each; what else `compile` throws, at once.
template <typename Task, typename Compile, typename IsNew>
auto compile_side_by_side(const std::vector<Task>& tasks, const Compile& compile, const IsNew& is_new) {
  using Compiled = std::invoke_result_t<Compile, const Task&>;
  const std::size_t most = std::max<std::size_t>(std::thread::hardware_concurrency(), 1);
  std::vector<Compiled> all;
  std::vector<std::string> mistakes;
  for (std::size_t first = 0; first < tasks.size(); first += most) {
    std::vector<std::future<Compiled>> running;
    for (std::size_t i = first; i < std::min(first + most, tasks.size()); ++i) {
      running.push_back(std::async(std::launch::async, [&, i] { return compile(tasks[i]); }));
    }
    for (std::future<Compiled>& one : running) {
      try {
        all.push_back(one.get());
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        const std::string text = error.what();
        if (is_new(text)) mistakes.push_back(text);
      }
    }
  }
  if (!mistakes.empty()) {
    throw Error(ErrorKind::usage, fmt::format("{}", fmt::join(mistakes, "\n")), "nothing was measured");
  }
  return all;
}

}  // namespace rooflinectl
