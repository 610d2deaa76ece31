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

std::optional<Pass> TensorUse::understand(Pass pass, Counters& counters) {
  using namespace counter;
  if (pass == Pass::operations) packed_instructions_ = sum_of(counters, {kHadd, kHmul, kHfma}) / kLanes;
  if (pass < Pass::tensor) return std::nullopt;
  if (pass > Pass::tensor) return next_type(operations(counters) / matrix_instructions_, pass);

  const auto instructions = value_of(counters, kTensorPipeInstructions);
  if (!instructions) return std::nullopt;
  const double packed = std::min(*instructions, packed_instructions_);
  if (*instructions <= kMostLanesOff * packed) {
    counters.insert_or_assign(std::string(kTensorPipeHfma2), CounterValue::measured(*instructions));
    return std::nullopt;
  }
  counters.insert_or_assign(std::string(kTensorPipeHfma2), CounterValue::measured(0));
  matrix_instructions_ = *instructions - packed;
  return operations(counters) > 0 ? std::nullopt : std::optional(Pass::tensor_bf16);
}

/// After a pass that gave each instruction so many operations.
std::optional<Pass> TensorUse::next_type(double per_instruction, Pass pass) {
  const bool is_explained = std::any_of(
      kOperationsPerInstruction.begin(), kOperationsPerInstruction.end(),
      [&](double possible) { return std::abs(per_instruction - possible) <= kTolerance * possible; });
  const auto next = static_cast<std::size_t>(pass) + 1;
  return is_explained || next == kPasses.size() ? std::nullopt : std::optional(kPasses.at(next));
}

}  // namespace rooflinectl::injection
