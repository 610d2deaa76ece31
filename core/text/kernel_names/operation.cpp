// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/text/kernel_names/kernel_names.h"

namespace rooflinectl::kernel_names {

namespace {

bool is_plain_operation(std::string_view text) {
  constexpr auto kOperations = std::to_array<std::string_view>(
      {"plus",     "minus",        "multiplies", "divides",     "maximum",   "minimum", "max",
       "min",      "Sum",          "Max",        "Min",         "ArgMax",    "ArgMin",  "Equality",
       "equal_to", "not_equal_to", "less",       "greater",     "bit_and",   "bit_or",  "bit_xor",
       "negate",   "modulus",      "square",     "logical_and", "logical_or"});
  return std::ranges::find(kOperations, text) != kOperations.end();
}

bool is_functor(std::string_view text) {
  return contains(text, "unctor") || text.ends_with("Ops") || text.ends_with("Op") || text == "ReduceAdd" ||
         text == "ReduceMultiply" || text == "ReduceMaximum" || text == "ReduceMinimum" ||
         text == "TensorAssign";
}

/// What a lambda works on: not a condition, not a state or an address.
std::string lambda_scalar(const NamePart& lambda) {
  std::string only;
  for (const CppName& parameter : lambda.parameters) {
    const std::string type = scalar(parameter);
    if (type.empty() || is_pointer(parameter)) continue;
    if (type != "bool") return type;
    only = type;
  }
  return only;
}

/// The function that a lambda is within, and what it is instantiated with.
std::optional<Operation> lambda_operation(const CppName& name) {
  const auto is_lambda = [](const NamePart& part) { return part.is_lambda; };
  const auto first = std::ranges::find_if(name.parts, is_lambda);
  if (first == name.parts.end()) return std::nullopt;
  const auto last = std::find_if(name.parts.rbegin(), name.parts.rend(), is_lambda);
  Operation operation;
  operation.is_detail = true;
  operation.type = lambda_scalar(*last);
  const NamePart* function = nullptr;
  std::string instantiated;
  for (auto part = first; part != name.parts.begin();) {
    --part;
    if (part->is_anonymous) continue;
    if (std::optional<Operation> inner = find_operation(part->template_arguments)) {
      if (inner->type.empty()) inner->type = operation.type;
      if (part->text.starts_with("operator") && part != name.parts.begin()) {
        if (std::string type = first_scalar((part - 1)->template_arguments); !type.empty())
          inner->type = type;
      }
      return inner;
    }
    if (instantiated.empty()) instantiated = first_scalar(part->template_arguments);
    if (!part->text.starts_with("operator")) {
      function = &*part;
      break;
    }
  }
  if (function == nullptr) return std::nullopt;
  if (!instantiated.empty()) operation.type = instantiated;
  if (is_functor(function->text)) {
    operation.name = functor_word(function->text);
  } else {
    operation.name = name.parts.front().text == "at" ? function_words(function->text)
                                                     : std::string(without_underscores(function->text));
  }
  return operation;
}

std::optional<Operation> operation_of(const CppName& name) {
  if (name.parts.empty() || name.text.ends_with('*') || !scalar(name).empty() || !literal(name).empty()) {
    return std::nullopt;
  }
  if (name.parts.back().is_lambda) return lambda_operation(name);
  const NamePart& part = name.parts.back();
  if (is_plumbing(part) && !is_functor(part.text)) return std::nullopt;
  if (std::optional<Operation> inner = find_operation(part.template_arguments)) {
    // Wrappers such as BinaryFunctor<bf16, bf16, bf16, MulFunctor<float>> name the types in memory.
    if (std::string type = first_scalar(part.template_arguments); !type.empty()) inner->type = type;
    return inner;
  }
  Operation operation;
  operation.type = first_scalar(part.template_arguments);
  if (is_plain_operation(part.text)) {
    operation.name = functor_word(part.text);
    operation.is_detail = true;
  } else if (part.text == "functor" && name.parts.size() > 1) {
    operation.name = without_underscores(name.parts[name.parts.size() - 2].text);
  } else if (is_functor(part.text)) {
    operation.name = functor_word(part.text);
  } else {
    return std::nullopt;
  }
  return operation;
}

}  // namespace

std::optional<Operation> find_operation(const std::vector<CppName>& arguments) {
  std::optional<Operation> found;
  for (const CppName& argument : arguments) {
    std::optional<Operation> operation = operation_of(argument);
    if (!operation) continue;
    if (!found) {
      found = std::move(operation);
    } else {
      if (operation->is_detail && operation->name != found->name) found->name += " " + operation->name;
      if (found->type.empty()) found->type = operation->type;
      break;
    }
  }
  return found;
}

}  // namespace rooflinectl::kernel_names
