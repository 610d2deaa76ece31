// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "core/error.h"
#include "core/files/files.h"
#include "core/text/names.h"
#include "core/text/printable.h"

namespace rooflinectl {

namespace {

namespace fs = std::filesystem;

/// `@` stands for the name of the function, FILE for that of the file, HEADER for that of f16: nothing here
/// includes it.
constexpr std::string_view kKernelFile = R"cuda(// A kernel that rooflinectl compiles, times and counts, and
// places on the roofline of a GPU:
//
//   rooflinectl run FILE --dry-run     compiles it, and lists what would be measured; needs no GPU
//   rooflinectl run FILE               measures it, and writes a report
//
// The lines that begin with `// rooflinectl:` say how to launch it. They are YAML; numbers are expressions
// over the axes, such as `ceil_div(n, block)`. docs/kernels.md leads from here to a comparison of versions,
// docs/plans.md lists all that can be described.

// The function. Axes in braces stand for their values: types by their names in C++, numbers as they are.
// rooflinectl: function: @<{dtype}>
// rooflinectl: title: y = a x

// What to vary: each combination of values is a point. Name axes as you like; in reports, `dtype` is the type
// of the elements, `n` their number, and `block` the number of threads in a block.
// rooflinectl: axes: {dtype: [f32, f16], n: [2^20, 2^26], block: 256}

// The parameters of the function, in their order. `in`, `out` and `inout` are memory with `count` elements of
// a type; `scalar` is a value. Memory that is read holds random numbers unless `fill` says otherwise. Writes
// beside an argument are noticed.
// rooflinectl: arguments:
// rooflinectl:   x: {in: dtype, count: n}
// rooflinectl:   y: {out: dtype, count: n}
// rooflinectl:   a: {scalar: f32, value: 2}
// rooflinectl:   n: {scalar: i32, value: n}

// How to launch it; up to three dimensions: `grid: [n / 32, 64]`.
// rooflinectl: launch: {grid: "ceil_div(n, block)", block: block}

// The work that no version can avoid: each input read once, each result written once, the fewest operations.
// The distance from the roofline follows from it. Without it, only what was executed is shown.
// rooflinectl: work: {read: n * sizeof(dtype), written: n * sizeof(dtype), flops: n}

// With empty caches, and with what the launch before left in them.
// rooflinectl: cache: [cold, warm]

// What results must be like can be said by another version of the kernel, or by a function in C++ or Python:
// docs/kernels.md (`reference`).

#include <HEADER>

template <typename T>
__global__ void @(const T* x, T* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = static_cast<T>(a * static_cast<float>(x[i]));
}
)cuda";

std::string replaced(std::string text, std::string_view what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Of the function in the file: no keyword, and no function of CUDA.
std::string function_name(std::string stem) {
  stem = replaced(std::move(stem), "-", "_");
  const bool begins_with_digit = stem.front() >= '0' && stem.front() <= '9';
  return fmt::format("{}{}_kernel", begins_with_digit ? "_" : "", stem);
}

int write_kernel_file(const std::string& path) {
  const fs::path file = path;
  const std::string stem = file.stem().string();
  if (file.extension() != ".cu" || !is_plain_name(stem)) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is no name for a kernel file", printable(file.string())),
                "use letters, digits, '_' and '-', and the extension .cu: scale.cu");
  }
  std::string text = replaced(std::string(kKernelFile), "@", function_name(stem));
  text = replaced(std::move(text), "HEADER", "cuda_fp16.h");
  text = replaced(std::move(text), "FILE", file.filename().string());
  try {
    write_new_file(file, text, std::nullopt);
  } catch (const std::system_error& error) {
    const bool is_there = error.code() == std::errc::file_exists;
    throw Error(is_there ? ErrorKind::usage : ErrorKind::environment,
                fmt::format("{}: cannot be written: {}", printable(file.string()), error.code().message()),
                is_there ? "choose another name; what exists is never overwritten" : "");
  }
  const std::string name = printable(file.string());
  terminal::print(
      "wrote {0}: a kernel, and comments that say how to launch it\n\n"
      "  rooflinectl run {0} --dry-run     compiles it; needs no GPU\n"
      "  rooflinectl run {0}               measures it\n",
      name);
  return 0;
}

}  // namespace

void add_new_command(const Commands& commands) {
  const auto [command, file] =
      add_command(commands, "new", "Write a kernel file, with comments, that `run` compiles and measures",
                  write_kernel_file);
  add_option(command, "file", "FILE", *file, "The file to write, such as scale.cu; it must not exist yet")
      ->required();
  command->footer(
      "Examples:\n"
      "  rooflinectl new scale.cu\n"
      "  rooflinectl run scale.cu");
}

}  // namespace rooflinectl
