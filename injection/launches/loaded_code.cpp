// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/loaded_code.h"

#include <algorithm>
#include <mutex>

#include "core/machine_code/function_code.h"
#include "injection/launches/digest.h"

namespace rooflinectl::injection {

namespace {

std::uint64_t digest_of(std::string_view symbol) {
  Digest digest;
  digest.add(symbol);
  return digest.value();
}

}  // namespace

void LoadedCode::add(std::string_view cubin) {
  const std::vector<FunctionCode> functions = function_code(cubin);
  const std::lock_guard lock(mutex_);
  for (const FunctionCode& function : functions) {
    const std::uint64_t symbol = digest_of(function.symbol);
    if (of_symbol_.size() == kMostFunctions && !of_symbol_.contains(symbol)) return;
    KnownCode& known = of_symbol_[symbol];
    known.has_half_arithmetic |= function.has_half_arithmetic;
    std::vector<TensorInstruction>& kinds = known.tensor_instructions;
    for (const TensorInstruction& kind : function.tensor_instructions) {
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
    }
  }
}

std::optional<KnownCode> LoadedCode::of(std::string_view symbol) {
  const std::lock_guard lock(mutex_);
  const auto found = of_symbol_.find(digest_of(symbol));
  return found == of_symbol_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace rooflinectl::injection
