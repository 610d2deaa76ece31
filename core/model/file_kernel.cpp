// SPDX-License-Identifier: Apache-2.0
#include "core/model/file_kernel.h"

namespace rooflinectl {

namespace {

struct TypeRow {
  ArgumentType type;
  std::string_view name;
  std::string_view cpp_name;
  std::size_t bytes;
  double tolerance;
};

constexpr std::array kTypes = {TypeRow{ArgumentType::f64, "f64", "double", 8, 1e-7},
                               TypeRow{ArgumentType::f32, "f32", "float", 4, 1.3e-6},
                               TypeRow{ArgumentType::f16, "f16", "__half", 2, 1e-3},
                               TypeRow{ArgumentType::bf16, "bf16", "__nv_bfloat16", 2, 1.6e-2},
                               TypeRow{ArgumentType::i64, "i64", "long long", 8, 0},
                               TypeRow{ArgumentType::i32, "i32", "int", 4, 0},
                               TypeRow{ArgumentType::i16, "i16", "short", 2, 0},
                               TypeRow{ArgumentType::i8, "i8", "signed char", 1, 0},
                               TypeRow{ArgumentType::u64, "u64", "unsigned long long", 8, 0},
                               TypeRow{ArgumentType::u32, "u32", "unsigned int", 4, 0},
                               TypeRow{ArgumentType::u16, "u16", "unsigned short", 2, 0},
                               TypeRow{ArgumentType::u8, "u8", "unsigned char", 1, 0}};

const TypeRow& row_of(ArgumentType type) {
  return kTypes.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view to_string(ArgumentType type) {
  return row_of(type).name;
}

std::optional<ArgumentType> argument_type_from(std::string_view name) {
  for (const TypeRow& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::string_view cpp_name(ArgumentType type) {
  return row_of(type).cpp_name;
}

std::size_t size_bytes(ArgumentType type) {
  return row_of(type).bytes;
}

bool is_integer(ArgumentType type) {
  return row_of(type).tolerance == 0;
}

double usual_tolerance(ArgumentType type) {
  return row_of(type).tolerance;
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

std::string_view to_string(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::in:
      return "in";
    case ArgumentKind::out:
      return "out";
    case ArgumentKind::inout:
      return "inout";
    case ArgumentKind::scalar:
      return "scalar";
  }
  return "?";
}

}  // namespace rooflinectl
