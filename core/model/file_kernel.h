// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/point_id.h"
#include "core/program/launch.h"

/// Kernels that a plan takes from files of its user.
namespace rooflinectl {

/// What the elements of a kernel's argument are.
enum class ArgumentType { f64, f32, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8 };

inline constexpr auto kArgumentTypes = kEnumerators<ArgumentType>;

/// Its name in CUDA C++: `float`, `__half`.
std::string_view cpp_name(ArgumentType type);
std::size_t size_bytes(ArgumentType type);
bool is_integer(ArgumentType type);
/// The finite values that it has; those of 64-bit integers as the nearest double inside.
struct ValueRange {
  double least = 0;
  double most = 0;
};
ValueRange range_of(ArgumentType type);
/// How far a result of this type may be from the expected value, relative to it, unless the plan says
/// otherwise: as PyTorch's `assert_close`; integers must be equal.
double usual_tolerance(ArgumentType type);

/// in, out, inout: pointers to memory that the kernel reads, writes, or both; scalar: a value.
enum class ArgumentKind { in, out, inout, scalar };

inline constexpr auto kArgumentKinds = kEnumerators<ArgumentKind>;

constexpr bool is_read(ArgumentKind kind) {
  return kind == ArgumentKind::in || kind == ArgumentKind::inout;
}
constexpr bool is_written(ArgumentKind kind) {
  return kind == ArgumentKind::out || kind == ArgumentKind::inout;
}

/// The most arguments that a kernel may have.
inline constexpr std::size_t kMaxArguments = 64;

/// An argument as the plan describes it. Expressions are those of `core/text/expression.h` over the axes.
struct FileKernelArgument {
  std::string name;
  ArgumentKind kind = ArgumentKind::in;
  std::string type;   ///< a name of `ArgumentType`, or of the axis that has it
  std::string count;  ///< of elements, an expression; empty for a scalar
  /// `uniform`, `integers`, `index`, or an expression, the value of a scalar; empty for `out`, and for what
  /// suits the type.
  std::string fill;
  std::uint64_t seed = 0;

  bool operator==(const FileKernelArgument&) const = default;
};

/// Expressions, one to three where there are dimensions.
struct FileKernelLaunch {
  std::vector<std::string> grid;
  std::vector<std::string> block;
  std::vector<std::string> cluster;  ///< empty for none
  std::string shared_bytes;          ///< dynamic; empty for none

  bool operator==(const FileKernelLaunch&) const = default;
};

/// Expressions; empty ones are not declared.
struct FileKernelWork {
  std::string read_bytes;
  std::string written_bytes;
  std::string flops;
  std::string fma_flops;  ///< those of `flops` that are part of a multiply-add
  std::string type;       ///< that they are done in: a name of `Dtype`, or of an axis

  bool operator==(const FileKernelWork&) const = default;
};

/// What results must be like.
struct FileKernelReference {
  std::string kernel;  ///< id of another kernel of the plan; empty for none
  std::string python;  ///< a file in Python with `function`; empty for none
  std::string cpp;     ///< a file in C++ with `function`; empty for none
  /// That returns or stores what is expected; in C++ with template arguments, axes in braces, or as a call,
  /// `expected(x, y, n)`.
  std::string function;
  std::map<std::string, std::string> files;  ///< by argument, a .npy or .bin file
  std::optional<double> relative;            ///< of the expected value; nothing for what suits the type
  double absolute = 0;

  bool operator==(const FileKernelReference&) const = default;
};

/// Whether results are computed by a function on the host before anything is measured.
bool is_computed(const FileKernelReference& reference);

/// A kernel from a file, as the plan describes it.
struct FileKernel {
  std::string id;      ///< the subject of its points
  std::string title;   ///< what it is, in a few words
  std::string source;  ///< path of the file
  std::string text;    ///< the file as it was read
  /// `scale<{dtype}, {block}>`: axes in braces stand for their values, types for their names in C++.
  std::string function;
  std::vector<std::string> options;  ///< of the compiler; axes as in `function`
  Axes first;                        ///< the first value of each of its axes
  std::vector<FileKernelArgument> arguments;
  FileKernelLaunch launch;
  FileKernelWork work;
  FileKernelReference reference;
  /// Where the description has `function` and `arguments.x`: `scale.cu:1:27`. Not kept with a run.
  std::map<std::string, std::string> places;

  bool operator==(const FileKernel&) const = default;
};

/// Whether it is a function in Python, which launches kernels itself.
bool is_python(const FileKernel& kernel);

/// The arguments with a kernel's results: those that are `out`, or all that it writes if none is. A kernel
/// with results of its own may use `inout` as a work space.
std::vector<FileKernelArgument> results_of(const FileKernel& kernel);

/// A kernel from a file, compiled as some of its points call it.
struct CompiledKernel {
  std::string kernel;    ///< its id
  std::string function;  ///< with the values of axes
  std::vector<std::string> options;
  int architecture = 0;  ///< compute capability: 90 for 9.0
  std::string compiler;  ///< `nvcc 13.0.48`
  std::string symbol;    ///< in the code
  int registers = 0;     ///< per thread
  /// That its code stores and loads per thread because registers do not suffice.
  std::uint64_t spill_bytes = 0;
  /// Whether its machine code has arithmetic on FP16 or BF16 outside of the Tensor Cores; nothing if that is
  /// not known.
  std::optional<bool> has_half_arithmetic = {};
  std::vector<std::string> warnings;
  std::string file;  ///< the cubin, in the user's cache

  bool operator==(const CompiledKernel&) const = default;
};

/// Whether both are of the same kernel, for the same calls and architecture.
bool is_same_code(const CompiledKernel& a, const CompiledKernel& b);

}  // namespace rooflinectl
