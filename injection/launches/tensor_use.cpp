// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/tensor_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/counters/metrics.h"

namespace rooflinectl::injection {

namespace {

/// From the smallest product of f64 (8×8×4) to the largest of 8-bit types (16×8×32): 2·m·n·k each.
constexpr std::array kOperationsPerInstruction = {512.0, 1024.0, 2048.0, 4096.0, 8192.0};
constexpr double kTolerance = 0.01;

double operations(const Counters& counters) {
  using namespace counter;
  double sum = 0;
  for (const std::string_view key :
       {kTensorBf16Ops, kTensorF16Ops, kTensorTf32Ops, kTensorF8Ops, kTensorI8Ops, kTensorF64Ops}) {
    sum += value_of(counters, key).value_or(0);
  }
  return sum;
}

/// The next pass that counts only one of these; nothing if there is none.
std::optional<Pass> pass_of(const std::vector<std::string_view>& counters, Pass after) {
  const auto found = std::ranges::find_if(kPasses, [&](Pass pass) {
    return pass > Pass::tensor && pass < Pass::stalls && pass > after &&
           std::ranges::find(counters, pass_metrics(pass).front().key) != counters.end();
  });
  return found == kPasses.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

void TensorUse::Mean::add(double value) {
  sum += value;
  ++count;
}

void TensorUse::add(Pass pass, const Counters& counters) {
  if (const auto instructions = tensor_instructions(counters)) instructions_.add(*instructions);
  operations_.at(static_cast<std::size_t>(pass)).add(operations(counters));
}

std::optional<Pass> TensorUse::next(Pass pass) const {
  if (pass < Pass::tensor || pass > Pass::tensor_f64 || instructions_.value() == 0) {
    return std::nullopt;
  }
  const double operations = operations_.at(static_cast<std::size_t>(pass)).value();
  if (pass == Pass::tensor) {
    if (operations > 0) return std::nullopt;
    if (!decoded_) return Pass::tensor_bf16;
    return decoded_->operations ? std::nullopt : pass_of(decoded_->counters, pass);
  }
  if (decoded_) return pass_of(decoded_->counters, pass);

  const double per_instruction = operations / instructions_.value();
  const bool is_explained = std::ranges::any_of(kOperationsPerInstruction, [&](double possible) {
    return std::abs(per_instruction - possible) <= kTolerance * possible;
  });
  if (is_explained || pass == Pass::tensor_f64) return std::nullopt;
  return kPasses.at(static_cast<std::size_t>(pass) + 1);
}

}  // namespace rooflinectl::injection
