// SPDX-License-Identifier: Apache-2.0
#include "core/model/file_kernel.h"

#include <cmath>
#include <limits>

namespace rooflinectl {

namespace {

struct TypeRow {
  std::string_view cpp_name;
  std::size_t bytes;
  double tolerance;
};

/// In the order of `ArgumentType`.
constexpr std::array kTypes = {TypeRow{"double", 8, 1e-7},
                               TypeRow{"float", 4, 1.3e-6},
                               TypeRow{"__half", 2, 1e-3},
                               TypeRow{"__nv_bfloat16", 2, 1.6e-2},
                               TypeRow{"long long", 8, 0},
                               TypeRow{"int", 4, 0},
                               TypeRow{"short", 2, 0},
                               TypeRow{"signed char", 1, 0},
                               TypeRow{"unsigned long long", 8, 0},
                               TypeRow{"unsigned int", 4, 0},
                               TypeRow{"unsigned short", 2, 0},
                               TypeRow{"unsigned char", 1, 0}};
static_assert(kTypes.size() == kArgumentTypes.size());

const TypeRow& row_of(ArgumentType type) {
  return kTypes.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view cpp_name(ArgumentType type) {
  return row_of(type).cpp_name;
}

std::size_t size_bytes(ArgumentType type) {
  return row_of(type).bytes;
}

bool is_integer(ArgumentType type) {
  return row_of(type).tolerance == 0;
}

ValueRange range_of(ArgumentType type) {
  constexpr double kMostF16 = 65'504;
  constexpr double kMostBf16 = 3.3895313892515355e38;
  constexpr int kDigits = std::numeric_limits<double>::digits;
  if (type == ArgumentType::f64) {
    return {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
  }
  if (type == ArgumentType::f32) {
    return {std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  }
  if (type == ArgumentType::f16) return {-kMostF16, kMostF16};
  if (type == ArgumentType::bf16) return {-kMostBf16, kMostBf16};
  const bool is_unsigned = to_string(type).starts_with('u');
  const int bits = static_cast<int>(size_bytes(type)) * 8 - (is_unsigned ? 0 : 1);
  const double most =
      bits > kDigits ? std::ldexp(1.0, bits) - std::ldexp(1.0, bits - kDigits) : std::ldexp(1.0, bits) - 1;
  return {is_unsigned ? 0 : -std::ldexp(1.0, bits), most};
}

double usual_tolerance(ArgumentType type) {
  return row_of(type).tolerance;
}

bool is_computed(const FileKernelReference& reference) {
  return !reference.python.empty() || !reference.cpp.empty();
}

bool is_python(const FileKernel& kernel) {
  return kernel.source.ends_with(".py");
}

std::vector<FileKernelArgument> results_of(const FileKernel& kernel) {
  std::vector<FileKernelArgument> results;
  for (const ArgumentKind kind : {ArgumentKind::out, ArgumentKind::inout}) {
    for (const FileKernelArgument& argument : kernel.arguments) {
      if (argument.kind == kind) results.push_back(argument);
    }
    if (!results.empty()) break;
  }
  return results;
}

bool is_same_code(const CompiledKernel& a, const CompiledKernel& b) {
  return a.kernel == b.kernel && a.function == b.function && a.options == b.options &&
         a.architecture == b.architecture;
}

}  // namespace rooflinectl
