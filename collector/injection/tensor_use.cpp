// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/tensor_use.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <string>
#include <string_view>

namespace rooflinectl::injection {

namespace {

constexpr double kLanes = 32;
/// Warps that are not full make packed instructions seem fewer than they are.
constexpr double kMostLanesOff = 1.1;
/// From the smallest product of f64 (8×8×4) to the largest of 8-bit types (16×8×32): 2·m·n·k each.
constexpr std::array kOperationsPerInstruction = {512.0, 1024.0, 2048.0, 4096.0, 8192.0};
constexpr double kTolerance = 0.01;

double sum_of(const Counters& counters, std::initializer_list<std::string_view> keys) {
  double sum = 0;
  for (const std::string_view key : keys) sum += value_of(counters, key).value_or(0);
  return sum;
}

double operations(const Counters& counters) {
  using namespace counter;
  return sum_of(counters,
                {kTensorBf16Ops, kTensorF16Ops, kTensorTf32Ops, kTensorF8Ops, kTensorI8Ops, kTensorF64Ops});
}

}  // namespace

void TensorUse::Mean::add(double value) {
  sum += value;
  ++count;
}

void TensorUse::add(Pass pass, const Counters& counters) {
  using namespace counter;
  if (pass == Pass::operations) packed_instructions_.add(sum_of(counters, {kHadd, kHmul, kHfma}) / kLanes);
  if (pass < Pass::tensor) return;
  if (const auto instructions = value_of(counters, kTensorPipeInstructions)) {
    pipe_instructions_.add(*instructions);
  }
  operations_.at(static_cast<std::size_t>(pass)).add(operations(counters));
}

bool TensorUse::is_all_packed() const {
  return pipe_instructions_.value() <= kMostLanesOff * packed_instructions_.value();
}

void TensorUse::tell_packed(Pass pass, Counters& counters) const {
  if (pass != Pass::tensor) return;
  const auto instructions = value_of(counters, counter::kTensorPipeInstructions);
  if (!instructions) return;
  counters.insert_or_assign(std::string(counter::kTensorPipeHfma2),
                            CounterValue::measured(is_all_packed() ? *instructions : 0));
}

std::optional<Pass> TensorUse::next(Pass pass) const {
  if (pass < Pass::tensor || is_all_packed()) return std::nullopt;
  const double operations = operations_.at(static_cast<std::size_t>(pass)).value();
  if (pass == Pass::tensor) return operations > 0 ? std::nullopt : std::optional(Pass::tensor_bf16);

  const double per_instruction =
      operations /
      (pipe_instructions_.value() - std::min(pipe_instructions_.value(), packed_instructions_.value()));
  const bool is_explained = std::any_of(
      kOperationsPerInstruction.begin(), kOperationsPerInstruction.end(),
      [&](double possible) { return std::abs(per_instruction - possible) <= kTolerance * possible; });
  const auto following = static_cast<std::size_t>(pass) + 1;
  return is_explained || following == kPasses.size() ? std::nullopt : std::optional(kPasses.at(following));
}

}  // namespace rooflinectl::injection
