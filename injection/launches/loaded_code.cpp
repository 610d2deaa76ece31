// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/loaded_code.h"

#include <algorithm>
#include <mutex>

#include "core/machine_code/tensor_code.h"
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
  const std::vector<TensorCode> functions = tensor_code(cubin);
  const std::lock_guard lock(mutex_);
  for (const TensorCode& function : functions) {
    const std::uint64_t symbol = digest_of(function.symbol);
    if (of_symbol_.size() == kMostFunctions && !of_symbol_.contains(symbol)) return;
    std::vector<TensorInstruction>& known = of_symbol_[symbol];
    for (const TensorInstruction& kind : function.instructions) {
      if (std::find(known.begin(), known.end(), kind) == known.end()) known.push_back(kind);
    }
  }
}

std::optional<std::vector<TensorInstruction>> LoadedCode::of(std::string_view symbol) {
  const std::lock_guard lock(mutex_);
  const auto found = of_symbol_.find(digest_of(symbol));
  return found == of_symbol_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace rooflinectl::injection
