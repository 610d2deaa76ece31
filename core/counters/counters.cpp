// SPDX-License-Identifier: Apache-2.0
#include "core/counters/counters.h"

#include <algorithm>
#include <array>

namespace rooflinectl {

bool is_count(std::string_view key) {
  return !key.ends_with("_efficiency") && !key.ends_with("_clock_hz") && key != counter::kOccupancy;
}

std::optional<double> value_of(const Counters& counters, std::string_view key) {
  const auto found = counters.find(key);
  return found == counters.end() ? std::nullopt : found->second.value();
}

namespace {

std::optional<double> flops(const Counters& counters, std::string_view add, std::string_view mul,
                            std::string_view fma) {
  const auto adds = value_of(counters, add);
  const auto muls = value_of(counters, mul);
  const auto fmas = value_of(counters, fma);
  if (!adds || !muls || !fmas) return std::nullopt;
  return *adds + *muls + 2 * *fmas;
}

}  // namespace

std::optional<double> executed_f64_flops(const Counters& counters) {
  return flops(counters, counter::kDadd, counter::kDmul, counter::kDfma);
}

std::optional<double> executed_f32_flops(const Counters& counters) {
  const auto scalar = flops(counters, counter::kFadd, counter::kFmul, counter::kFfma);
  if (!scalar) return std::nullopt;
  // Chips without packed f32 instructions have none of these counters: there is nothing to add.
  const bool packed_instructions = value_of(counters, counter::kFadd2) ||
                                   value_of(counters, counter::kFmul2) || value_of(counters, counter::kFfma2);
  if (!packed_instructions) return scalar;
  const auto packed = flops(counters, counter::kFadd2, counter::kFmul2, counter::kFfma2);
  if (!packed) return std::nullopt;
  return *scalar + 2 * *packed;
}

std::optional<double> tensor_instructions(const Counters& counters) {
  const auto all = value_of(counters, counter::kTensorPipeInstructions);
  if (!all) return std::nullopt;
  // Chips that have no such counter carry these out elsewhere.
  return *all - value_of(counters, counter::kTensorPipeHfma2).value_or(0);
}

std::optional<double> most_half_instructions(const Counters& counters) {
  const auto fma = value_of(counters, counter::kFmaPipeInstructions);
  if (!fma) return std::nullopt;
  // Chips that lack one of these counters have no such pipe.
  return *fma + value_of(counters, counter::kFp16PipeInstructions).value_or(0) +
         value_of(counters, counter::kTensorPipeHfma2).value_or(0);
}

namespace {

/// Of the types whose operations are counted.
constexpr std::array kTensorCounters = {std::pair(TensorElement::f16, counter::kTensorF16Ops),
                                        std::pair(TensorElement::bf16, counter::kTensorBf16Ops),
                                        std::pair(TensorElement::tf32, counter::kTensorTf32Ops),
                                        std::pair(TensorElement::f8, counter::kTensorF8Ops),
                                        std::pair(TensorElement::i8, counter::kTensorI8Ops),
                                        std::pair(TensorElement::f64, counter::kTensorF64Ops)};

}  // namespace

std::optional<double> executed_tensor_ops(const Counters& counters) {
  const auto instructions = tensor_instructions(counters);
  if (instructions == 0) return 0;
  double sum = 0;
  bool are_all_counted = true;
  for (const auto& [type, key] : kTensorCounters) {
    const auto operations = value_of(counters, key);
    are_all_counted = are_all_counted && operations;
    sum += operations.value_or(0);  // a chip without the counter has no such operations
  }
  if (!instructions) return are_all_counted ? std::optional(sum) : std::nullopt;
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<double> most_atomics_on_one_address(const Counters& counters) {
  const auto busiest = value_of(counters, counter::kL2AtomicBusiestSlice);
  return busiest ? busiest : value_of(counters, counter::kL2AtomicOperations);
}

std::optional<double> dram_bytes(const Counters& counters) {
  const auto read = value_of(counters, counter::kDramReadBytes);
  const auto written = value_of(counters, counter::kDramWriteBytes);
  if (!read || !written) return value_of(counters, counter::kDramBytes);
  return *read + *written;
}

std::optional<DecodedTensor> decoded_tensor(const std::vector<TensorInstruction>& instructions) {
  if (instructions.empty()) return std::nullopt;
  DecodedTensor decoded;
  for (const TensorInstruction& instruction : instructions) {
    const auto known =
        std::ranges::find(kTensorCounters, instruction.type, [](const auto& entry) { return entry.first; });
    if (known == kTensorCounters.end()) return std::nullopt;
    if (std::ranges::find(decoded.counters, known->second) == decoded.counters.end())
      decoded.counters.push_back(known->second);
  }
  const auto operations = instructions.front().operations;
  const bool are_alike =
      std::ranges::all_of(instructions, [&](const auto& other) { return other.operations == operations; });
  if (are_alike && decoded.counters.size() == 1) decoded.operations = operations;
  return decoded;
}

}  // namespace rooflinectl
