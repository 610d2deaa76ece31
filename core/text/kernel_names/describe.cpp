// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/text/kernel_name.h"
#include "core/text/kernel_names/kernel_names.h"
#include "core/text/printable.h"
#include "core/text/written_number.h"

namespace rooflinectl::kernel_names {

namespace {

// How many of a kernel's template arguments are looked at; the largest real names have a few hundred.
constexpr std::size_t kMostArguments = 4096;

/// What a kernel without such an operation works on: its first array, else its first number.
std::string kernel_scalar(const std::vector<CppName>& arguments) {
  for (const CppName& argument : arguments) {
    const std::string type = scalar(argument);
    if (!type.empty() && (is_pointer(argument) || contains("f32 f64 f16 bf16", type))) return type;
    const NamePart* part = is_pointer(argument) ? named_part(argument) : nullptr;
    if (part != nullptr && !is_plumbing(*part)) return std::string(part->text);
  }
  if (std::string type = first_scalar(arguments); !type.empty()) return type;
  for (const CppName& argument : arguments) {
    if (argument.parts.empty()) continue;
    if (std::string type = first_scalar(argument.parts.back().template_arguments); !type.empty()) return type;
  }
  return {};
}

/// `128x64x32` of GemmShape<128, 64, 32> or cute::tuple<cute::C<128>, …>; empty for others, also for clusters
/// of blocks, which have the same type.
std::string tile(const CppName& name) {
  if (name.parts.empty()) return {};
  const NamePart& part = name.parts.back();
  if ((part.text != "GemmShape" && part.text != "tuple") || part.template_arguments.size() != 3) return {};
  std::string shape;
  for (const CppName& side : part.template_arguments) {
    if (side.parts.empty()) return {};
    const NamePart& value = side.parts.back();
    const bool is_constant = value.text == "C" && value.template_arguments.size() == 1;
    const std::string number = literal(is_constant ? value.template_arguments[0] : side);
    const bool is_side = !number.empty() && is_digit(number[0]) && (number.size() > 1 || number >= "8");
    if (!is_side || number.size() > 4) return {};
    shape += (shape.empty() ? "" : "x") + number;
  }
  return shape;
}

/// The tile and types of CUTLASS's kernels, from the outermost template arguments that have any.
void describe_tiles(const std::vector<CppName>& arguments, Description& description) {
  std::string shape;
  Words types;
  std::vector<const CppName*> level;
  for (const CppName& argument : arguments) level.push_back(&argument);
  std::size_t seen = 0;
  while (!level.empty() && (shape.empty() || types.empty()) && seen < kMostArguments) {
    std::vector<const CppName*> next;
    Words found;
    for (const CppName* argument : level) {
      ++seen;
      if (shape.empty()) shape = tile(*argument);
      const std::string type = scalar(*argument);
      const bool is_element = !type.empty() && (contains(type, "f") || type.ends_with("8"));
      if (is_element && std::ranges::find(found, type) == found.end()) found.push_back(type);
      if (argument->parts.empty() || argument->parts.back().text == "tuple") continue;
      for (const CppName& inner : argument->parts.back().template_arguments) next.push_back(&inner);
    }
    if (types.empty()) types = std::move(found);
    level = std::move(next);
  }
  description.add(shape);
  for (const std::string& type : types) description.add(type);
}

/// FlashAttention 2: `Flash_fwd_kernel_traits<head dimension, …, type, …>`, then whether it uses dropout (not
/// where keys are split) and whether it is causal.
bool describe_flash_attention(std::string_view kernel, const std::vector<CppName>& arguments,
                              Description& description) {
  if (arguments.empty() || arguments[0].parts.empty()) return false;
  const NamePart& traits = arguments[0].parts.back();
  if (!traits.text.starts_with("Flash_") || !traits.text.ends_with("kernel_traits")) return false;
  description.add(first_scalar(traits.template_arguments));
  if (!traits.template_arguments.empty()) description.add("hdim " + literal(traits.template_arguments[0]));
  const std::size_t causal = contains(kernel, "splitkv") ? 1 : 2;
  const bool says_so = kernel.starts_with("flash_fwd") || contains(kernel, "dq_dk_dv");
  const auto is_true = [](const std::string& value) { return value == "true" || value == "1"; };
  if (!says_so || arguments.size() <= causal + 1) return true;
  if (is_true(literal(arguments[causal]))) description.add("causal");
  return true;
}

/// The arguments in their order: types (each once), numbers, names of classes, and what is in traits classes.
void describe_arguments(const std::vector<CppName>& arguments, Words& types, Description& description) {
  for (const CppName& argument : arguments) {
    if (std::string value = literal(argument); !value.empty()) {
      if (!is_enumerator(argument)) description.add(value);
    } else if (std::string type = scalar(argument); !type.empty()) {
      if (std::ranges::find(types, type) != types.end()) continue;
      types.push_back(type);
      description.add(type);
    } else if (const NamePart* part = named_part(argument); part != nullptr && !is_plumbing(*part)) {
      if (part->text.ends_with("raits") && !part->template_arguments.empty()) {
        describe_arguments(part->template_arguments, types, description);
      } else {
        description.add(std::string(part->text));
      }
    }
  }
}

/// The first class among `arguments` that is neither type nor tuning: what a user passes to CUB, Thrust and
/// Kokkos.
std::string first_class(const std::vector<CppName>& arguments) {
  for (const CppName& argument : arguments) {
    if (is_pointer(argument) || !scalar(argument).empty() || !literal(argument).empty()) continue;
    const NamePart* part = named_part(argument);
    if (part != nullptr && part->text != "void" && !is_plumbing(*part)) return std::string(part->text);
  }
  return {};
}

/// Kernels of PyTorch, CUB, Thrust and Kokkos: the operation and what it works on.
bool describe_operation(bool runs_functor, const std::vector<CppName>& arguments, Description& description) {
  std::optional<Operation> operation = find_operation(arguments);
  if (!operation && runs_functor) operation = Operation{first_class(arguments), "", false};
  if (!operation) return false;
  if (operation->name != description.base) description.add(operation->name);
  description.add(operation->type.empty() ? kernel_scalar(arguments) : operation->type);
  return true;
}

/// The class that a kernel runs, without the classes around it that only guard it
/// (`enable_sm90_or_later<…>`).
const CppName& guarded(const CppName& name) {
  const CppName* inner = &name;
  while (!inner->parts.empty() && inner->parts.back().template_arguments.size() == 1) {
    const CppName& argument = inner->parts.back().template_arguments[0];
    if (argument.parts.empty() || argument.parts.back().template_arguments.empty()) break;
    inner = &argument;
  }
  return *inner;
}

/// The last part of a class's name that has template arguments, else its last part: `cutlass_3x_gemm<…>` of
/// `cutlass_3x_gemm<…>::GemmKernel`.
const NamePart* class_part(const CppName& name) {
  const auto has_arguments = [](const NamePart& part) { return !part.template_arguments.empty(); };
  const auto found = std::find_if(name.parts.rbegin(), name.parts.rend(), has_arguments);
  return found == name.parts.rend() ? named_part(name) : &*found;
}

bool has_part(const CppName& name, std::string_view text) {
  return std::ranges::any_of(name.parts, [text](const NamePart& part) { return part.text == text; });
}

/// The outermost informative namespace of `kernel`; empty if there is none.
std::string_view telling_namespace(const CppName& name, const NamePart& kernel) {
  for (const NamePart& part : name.parts) {
    if (&part == &kernel) break;
    if (!is_silent(part) && !part.is_call) return part.text;
  }
  return {};
}

/// CUTLASS's kernels run the class that they are instantiated with.
bool describe_cutlass(const CppName& name, const NamePart& kernel, Description& description) {
  const bool runs_class =
      kernel.text == "Kernel" || kernel.text == "Kernel2" || kernel.text == "device_kernel";
  if (!runs_class || !name.parts.front().text.starts_with("cutlass") || kernel.template_arguments.empty())
    return false;
  const NamePart* subject = class_part(guarded(kernel.template_arguments[0]));
  if (subject == nullptr) return false;
  description.base = std::string(subject->text);
  describe_tiles(subject->template_arguments, description);
  return true;
}

/// The algorithm that a kernel of Thrust or Kokkos runs, both of which have only a few kernels; null for
/// other kernels. Sets `base` to its name.
const NamePart* algorithm(const NamePart& kernel, std::string& base) {
  constexpr auto kEnding = std::to_array<std::string_view>({"Agent"});
  const bool runs_algorithm =
      kernel.text == "_kernel_agent" || kernel.text.starts_with("cuda_parallel_launch_");
  if (!runs_algorithm || kernel.template_arguments.empty()) return nullptr;
  const NamePart* agent = named_part(kernel.template_arguments[0]);
  if (agent == nullptr) return nullptr;
  base = std::string(without_endings(agent->text, kEnding));
  if (agent->text != "ParallelForAgent" || agent->template_arguments.empty()) return agent;
  // ParallelForAgent<__transform::unary_transform_f<…>>
  const CppName& inner = agent->template_arguments[0];
  if (inner.parts.size() < 2) return agent;
  base = std::string(without_underscores(inner.parts[inner.parts.size() - 2].text));
  return &inner.parts.back();
}

/// The kernel's own name, or its namespace's if it has none (`gemvx::kernel`).
std::string own_name(const CppName& name, const NamePart& kernel) {
  if (kernel.text != "kernel" && kernel.text != "static_kernel") return kernel_base(kernel.text);
  const auto at = static_cast<std::size_t>(&kernel - name.parts.data());
  const NamePart* space = at == 0 ? nullptr : named_part(name, at - 1);
  return std::string(space == nullptr || is_silent(*space) ? kernel.text : space->text);
}

}  // namespace

void Description::add(std::string_view detail) {
  constexpr std::size_t kLongest = 28;
  if (count_characters(detail) > kLongest) {
    details.push_back(encode_utf8(decode_utf8(detail).substr(0, kLongest - 1)) + std::string(kCut));
  } else if (!detail.empty()) {
    details.emplace_back(detail);
  }
}

Description describe(const CppName& name) {
  Description description;
  const NamePart* kernel = named_part(name);
  if (kernel == nullptr || describe_cutlass(name, *kernel, description)) return description;

  const NamePart* instantiated = algorithm(*kernel, description.base);
  const bool runs_functor = instantiated != nullptr || has_part(name, "cub") || has_part(name, "thrust");
  const bool is_generic =
      runs_functor || contains(name.text, "at::native") || contains(kernel->text, "multi_tensor_apply");
  if (instantiated == nullptr) {
    instantiated = kernel;
    description.base = own_name(name, *kernel);
  }
  if (is_generic && contains(description.base, "elementwise")) {
    for (const std::string_view prefix : {"vectorized_", "unrolled_", "legacy_"}) {
      description.base = without_prefix(description.base, prefix);
    }
  }
  const std::string_view space = telling_namespace(name, *kernel);
  if (!space.empty() && space != description.base)
    description.base = fmt::format("{}::{}", space, description.base);

  const std::vector<CppName>& arguments = instantiated->template_arguments;
  if (describe_flash_attention(kernel->text, arguments, description)) return description;
  if (is_generic && describe_operation(runs_functor, arguments, description)) return description;
  Words types;
  describe_arguments(arguments, types, description);
  return description;
}

}  // namespace rooflinectl::kernel_names

namespace rooflinectl {

namespace {

using namespace kernel_names;

/// The first namespace of a kernel.
constexpr auto kNamespaces = std::to_array<std::string_view>(
    {"at", "at_cuda_detail", "c10", "cub", "cublas", "cublasLt", "cudnn", "cufft", "curand", "cusolver",
     "cusparse", "cutlass", "flash", "thrust", "pytorch_flash"});

/// What the names of kernels without a namespace begin with.
constexpr auto kBeginnings = std::to_array<std::string_view>(
    {"nvjet_", "cutlass_", "cutlass3x_", "volta_", "turing_", "ampere_", "sm80_xmma_", "sm86_xmma_",
     "sm89_xmma_", "sm90_xmma_", "sm100_xmma_", "cudnn_", "splitKreduce_kernel", "regular_fft", "vector_fft",
     "multi_bluestein_fft", "nccl", "cupy_"});

/// What stands among the template arguments of kernels without a namespace of their own.
constexpr auto kArguments = std::to_array<std::string_view>({"at::native::", "cublas"});

}  // namespace

bool is_library_kernel(std::string_view demangled) {
  const CppName name = parse_cpp_name(demangled);
  const std::string_view first = name.parts.empty() ? demangled : name.parts.front().text;
  return std::ranges::find(kNamespaces, first) != kNamespaces.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view beginning) { return first.starts_with(beginning); }) ||
         std::ranges::any_of(kArguments,
                             [&](std::string_view argument) { return contains(demangled, argument); });
}

bool is_generated_kernel(std::string_view demangled, std::string_view path) {
  constexpr auto kOfInductor = std::to_array<std::string_view>(
      {"triton_poi_", "triton_red_", "triton_per_", "triton_tem_", "triton_for_"});
  if (is_library_kernel(demangled)) return false;
  return contains(path, "XlaModule:") || std::ranges::any_of(kOfInductor, [&](std::string_view beginning) {
           return demangled.starts_with(beginning);
         });
}

}  // namespace rooflinectl
