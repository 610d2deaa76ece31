// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text/kernel_names/kernel_names.h"
#include "core/text/written_number.h"

namespace rooflinectl::kernel_names {

namespace {

struct ScalarName {
  std::string_view cpp;
  std::string_view ours;
};

constexpr auto kScalars = std::to_array<ScalarName>({
    {"float", "f32"},
    {"double", "f64"},
    {"half", "f16"},
    {"__half", "f16"},
    {"Half", "f16"},
    {"half_t", "f16"},
    {"__nv_bfloat16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"BFloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"tfloat32_t", "tf32"},
    {"__nv_fp8_e4m3", "f8e4m3"},
    {"float_e4m3_t", "f8e4m3"},
    {"Float8_e4m3fn", "f8e4m3"},
    {"__nv_fp8_e5m2", "f8e5m2"},
    {"float_e5m2_t", "f8e5m2"},
    {"Float8_e5m2", "f8e5m2"},
    {"float_e2m1_t", "f4e2m1"},
    {"__nv_fp4_e2m1", "f4e2m1"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"unsigned char", "u8"},
    {"short", "i16"},
    {"unsigned short", "u16"},
    {"int", "i32"},
    {"unsigned int", "u32"},
    {"long", "i64"},
    {"unsigned long", "u64"},
    {"long long", "i64"},
    {"__int64", "i64"},
    {"unsigned long long", "u64"},
    {"bool", "bool"},
    {"complex<float>", "c64"},
    {"complex<double>", "c128"},
});

/// `text` without `const`, `*`, `&` and spaces around it.
std::string_view without_qualifiers(std::string_view text) {
  for (bool changed = true; changed;) {
    const std::size_t size = text.size();
    text = without_prefix(text, "const ");
    for (const std::string_view end : {" ", "*", "&", " const", " volatile", " __restrict__"}) {
      if (text.ends_with(end)) text.remove_suffix(end.size());
    }
    changed = text.size() != size;
  }
  return text;
}

}  // namespace

std::string scalar(const CppName& name) {
  std::string_view type = without_qualifiers(name.text);
  const std::size_t templates = type.find('<');
  const std::size_t colons = type.substr(0, templates).rfind("::");
  if (colons != std::string_view::npos) type = type.substr(colons + 2);
  const auto found = std::ranges::find(kScalars, type, &ScalarName::cpp);
  if (found != kScalars.end()) return std::string(found->ours);
  if (type.starts_with("OpaqueType<")) {
    const std::size_t size = type.find_first_of("0123456789");
    const std::size_t end = std::min(type.find_first_not_of("0123456789", size), type.size());
    if (size != std::string_view::npos) return fmt::format("{}-byte", type.substr(size, end - size));
  }
  return {};
}

bool is_pointer(const CppName& name) {
  return name.text.ends_with("*");
}

bool is_enumerator(const CppName& name) {
  const bool is_cast = name.text.starts_with("(");
  const std::string_view type = is_cast ? name.text.substr(1) : name.text.substr(0, name.text.find('='));
  if (!is_cast && type.size() == name.text.size()) return false;
  constexpr auto kNumbers = std::to_array<std::string_view>({"int", "unsigned", "long", "short", "bool"});
  return std::ranges::none_of(kNumbers, [type](std::string_view n) { return type.starts_with(n); });
}

std::string literal(const CppName& name) {
  if (name.parts.empty()) return {};
  const NamePart& part = name.parts.back();
  const std::string_view text = part.text;
  if (text == "true" || text == "false") return std::string(text);
  const bool is_number = !text.empty() && (is_digit(text[0]) || (text[0] == '-' && text.size() > 1)) &&
                         part.template_arguments.empty() && !part.is_call;
  if (!is_number) return {};
  if (name.text.starts_with("(bool)") || name.text.starts_with("bool="))
    return text == "0" ? "false" : "true";
  return std::string(text.substr(0, std::min(text.find_first_of("uUlL"), text.size())));
}

bool is_silent(const NamePart& part) {
  constexpr auto kSilent = std::to_array<std::string_view>(
      {"at",       "native",  "std",    "internal", "impl",          "detail",   "details", "c10",
       "cuda",     "cutlass", "flash",  "core",     "pytorch_flash", "cuda_cub", "__4",     "at_cuda_detail",
       "__main__", "cudapy",  "kernel", "ops"});
  return part.is_anonymous || part.is_lambda || part.text.starts_with("CUB_") ||
         part.text.starts_with("THRUST_") || part.text.starts_with("cutlass_") ||
         part.text.starts_with("_GLOBAL__N") || std::ranges::find(kSilent, part.text) != kSilent.end();
}

bool is_plumbing(const NamePart& part) {
  constexpr auto kPlumbing = std::to_array<std::string_view>({"olicy",
                                                              "arams",
                                                              "Tensor",
                                                              "rray",
                                                              "OffsetCalculator",
                                                              "LoadWith",
                                                              "StoreWith",
                                                              "terator",
                                                              "NullType",
                                                              "identity",
                                                              "Metadata",
                                                              "TileState",
                                                              "InputValue",
                                                              "context",
                                                              "no_stencil_tag",
                                                              "always_true",
                                                              "Divisor",
                                                              "integral_constant",
                                                              "null_type",
                                                              "decltype",
                                                              "device_ptr",
                                                              "Reducer",
                                                              "EPT",
                                                              "Placeholder"});
  return std::ranges::any_of(kPlumbing, [&part](std::string_view w) { return contains(part.text, w); });
}

const NamePart* named_part(const CppName& name, std::size_t last) {
  for (std::size_t at = std::min(last + 1, name.parts.size()); at-- > 0;) {
    const NamePart& part = name.parts[at];
    if (!part.is_anonymous && !part.is_lambda && !part.text.starts_with("operator")) return &part;
  }
  return nullptr;
}

const NamePart* named_part(const CppName& name) {
  return named_part(name, name.parts.size());
}

std::string first_scalar(const std::vector<CppName>& names) {
  for (const CppName& name : names) {
    if (std::string type = scalar(name); !type.empty()) return type;
  }
  return {};
}

}  // namespace rooflinectl::kernel_names
