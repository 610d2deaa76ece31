// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/executed/executed_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/roofline/point.h"
#include "core/model/known_ceilings.h"

namespace rooflinectl {

std::optional<Operations> counted_operations(const Counters& counters, Dtype precision) {
  const auto flops = precision == Dtype::f64   ? executed_f64_flops(counters)
                     : precision == Dtype::f32 ? executed_f32_flops(counters)
                                               : std::nullopt;
  if (!flops) return std::nullopt;
  return Operations{*flops, operations_at_least(counters, precision).fma_flops};
}

Operations operations_at_least(const Counters& counters, Dtype precision) {
  const auto of = [&](std::string_view key) { return value_of(counters, key).value_or(0); };
  if (precision == Dtype::f64) {
    const double fma_flops = 2 * of(counter::kDfma);
    return {of(counter::kDadd) + of(counter::kDmul) + fma_flops, fma_flops};
  }
  const double fma_flops = 2 * of(counter::kFfma) + 4 * of(counter::kFfma2);
  const double packed_flops = 2 * (of(counter::kFadd2) + of(counter::kFmul2));
  return {of(counter::kFadd) + of(counter::kFmul) + packed_flops + fma_flops, fma_flops};
}

std::optional<double> operations_at_least(const Counters& counters) {
  const double flops = operations_at_least(counters, Dtype::f64).flops +
                       operations_at_least(counters, Dtype::f32).flops +
                       executed_tensor_ops(counters).value_or(0);
  return flops > 0 ? std::optional(flops) : std::nullopt;
}

namespace {

struct TensorType {
  std::string_view counter;
  std::string_view ceiling;
  TensorElement element;
  TensorElement accumulator = TensorElement::f32;  ///< of the ceiling
};

constexpr std::array kTensorTypes = {
    TensorType{counter::kTensorF16Ops, "f16_tensor", TensorElement::f16},
    TensorType{counter::kTensorBf16Ops, "bf16_tensor", TensorElement::bf16},
    TensorType{counter::kTensorTf32Ops, "tf32_tensor", TensorElement::tf32},
    TensorType{counter::kTensorF8Ops, "f8_tensor", TensorElement::f8},
    TensorType{counter::kTensorI8Ops, "i8_tensor", TensorElement::i8, TensorElement::i32},
    TensorType{counter::kTensorF64Ops, "f64_tensor", TensorElement::f64, TensorElement::f64}};

/// Counters do not tell floats of 8, 6 and 4 bits apart.
bool counts(const TensorType& type, TensorElement element) {
  const bool is_narrow = element == TensorElement::f4 || element == TensorElement::f8f6f4;
  return element == type.element || (is_narrow && type.element == TensorElement::f8);
}

/// What the kernel multiplied in these operations, as far as its code tells; else the usual.
TensorProducts products_in(const Measurement& measurement, const TensorType& type) {
  TensorProducts products = {.type = type.element, .accumulator = type.accumulator};
  if (!measurement.launches) return products;
  products.is_sparse = measurement.launches->has_sparse_products.value_or(false);
  const auto& known = measurement.launches->products;
  if (!known || !(counts(type, known->type) || known->type == TensorElement::unknown)) return products;
  products.scales = known->scales;
  // Floats of 6 and 4 bits without scales are multiplied as those of 8 bits are.
  if (known->type == TensorElement::f4) products.type = TensorElement::f4;
  if (known->accumulator != TensorElement::unknown) products.accumulator = known->accumulator;
  return products;
}

std::string name_of(TensorElement element) {
  return std::string(subject_name(to_string(element)));
}

/// `FP8 products with MX scales and FP16 sums`
std::string text_of(const TensorProducts& products) {
  const std::string_view scales = products.scales == BlockScales::mx   ? "MX scales and "
                                  : products.scales == BlockScales::nv ? "NV scales and "
                                                                       : "";
  return fmt::format("{} products with {}{} sums", name_of(products.type), scales,
                     name_of(products.accumulator));
}

/// The ceiling of some products.
struct TensorCeiling {
  std::string id;
  double factor = 1;  ///< of the operations that are counted
  bool stands_in = false;
};

TensorCeiling ceiling_of(const TensorProducts& products, const TensorType& type, const Ceilings& ceilings) {
  if (auto id = ceilings.tensor_id(products)) return {.id = *std::move(id)};
  const double factor = products.is_sparse ? 2 : 1;
  TensorProducts dense = products;
  dense.is_sparse = false;
  if (auto id = ceilings.tensor_id(dense)) return {.id = *std::move(id), .factor = factor};
  const bool is_usual = dense == TensorProducts{.type = type.element, .accumulator = type.accumulator};
  return {.id = std::string(type.ceiling), .factor = factor, .stands_in = !is_usual};
}

}  // namespace

std::optional<TensorWork> tensor_work(const Measurement& measurement, const Ceilings& ceilings) {
  const Counters& counters = measurement.counters;
  const auto operations = executed_tensor_ops(counters);
  if (!operations) return std::nullopt;
  const auto clock_hz = sm_clock_hz(measurement);
  ResourceUse use = {.resource = Bound::tensor,
                     .amount = *operations,
                     .time_s = 0.0,
                     .time_at_clock_s = 0.0,
                     .sustained_time_s = 0.0};
  for (const TensorType& type : kTensorTypes) {
    const double count = value_of(counters, type.counter).value_or(0);
    if (count <= 0) continue;
    const TensorProducts products = products_in(measurement, type);
    const auto [id, factor, stands_in] = ceiling_of(products, type, ceilings);
    const auto limit = ceilings.find(id);
    if (!limit) return TensorWork{{.resource = Bound::tensor, .amount = *operations}, type.ceiling};
    const double time_s = count / (factor * limit->per_s);
    *use.time_s += time_s;
    const auto ceiling_clock_hz = ceilings.clock_hz(id);
    const bool are_clocks_known = use.time_at_clock_s && clock_hz && ceiling_clock_hz && *clock_hz > 0;
    use.time_at_clock_s = are_clocks_known
                              ? std::optional(*use.time_at_clock_s + time_s * *ceiling_clock_hz / *clock_hz)
                              : std::nullopt;
    const auto sustained = ceilings.find(fmt::format("{}{}", id, ceiling_id::kSustained));
    use.sustained_time_s = use.sustained_time_s && sustained
                               ? std::optional(*use.sustained_time_s + count / (factor * sustained->per_s))
                               : std::nullopt;
    use.ceilings.push_back(factor == 1 ? id : fmt::format("{} × {:g}", id, factor));
    if (stands_in) use.stands_in = fmt::format("{} for {}", id, text_of(products));
    use.relative_spread = std::max(use.relative_spread, limit->relative_spread);
  }
  return TensorWork{std::move(use), {}};
}

std::string why_not_counted(const Counters& counters, std::string_view key) {
  const auto found = counters.find(key);
  if (found == counters.end() || found->second.available()) return {};
  // Reasons that concern a whole pass begin with its name.
  constexpr std::string_view kSaidAlready = "operations was not counted: ";
  std::string reason = found->second.reason();
  return reason.starts_with(kSaidAlready) ? reason.substr(kSaidAlready.size()) : reason;
}

namespace {

/// The share of all operations that may be missing from the count.
constexpr double kNegligibleShare = 0.01;

std::string reason_of(const Counters& counters, std::string_view key) {
  const std::string why = why_not_counted(counters, key);
  return why.empty() ? "not counted" : why;
}

/// Operations of FP64 and FP32 instructions, whatever the type of the result.
std::optional<Operations> counted_in_pipes(const Counters& counters) {
  const auto f64 = counted_operations(counters, Dtype::f64);
  const auto f32 = counted_operations(counters, Dtype::f32);
  if (!f64 || !f32) return std::nullopt;
  return Operations{f64->flops + f32->flops, f64->fma_flops + f32->fma_flops};
}

/// The most operations that instructions outside of the Tensor Cores can have done, from how many of these
/// the pipes executed: assuming that all warps were full, and each lane did one multiply-add, of two values
/// where they may be FP16. Nothing where a pipe was not counted.
std::optional<double> most_operations_in_pipes(const Counters& counters) {
  constexpr double kPackedOperations = 4;
  constexpr double kFp64Operations = 2;
  const auto packed = most_half_instructions(counters);
  const auto fp64 = value_of(counters, counter::kFp64PipeInstructions);
  if (!packed || !fp64) return std::nullopt;
  return kLanes * (kPackedOperations * *packed + kFp64Operations * *fp64);
}

/// Whether all instructions outside of the Tensor Cores, which were not counted by type, did next to nothing
/// compared with these.
bool are_negligible_beside_tensor_cores(const Counters& counters) {
  const auto others = most_operations_in_pipes(counters);
  return others && *others < kNegligibleShare * executed_tensor_ops(counters).value_or(0);
}

/// Whether the FP16 multiply-adds only bring constants into registers, as compilers let them do in kernels of
/// other types: a few per thread, and no additions or products.
bool are_constants(const Measurement& measurement, double other_flops) {
  constexpr double kMostPerThread = 8;
  const auto of = [&](std::string_view key) { return value_of(measurement.counters, key).value_or(0); };
  const double threads = static_cast<double>(measurement.launch.grid) * measurement.launch.block;
  return of(counter::kHadd) == 0 && of(counter::kHmul) == 0 && other_flops > 0 &&
         of(counter::kHfma) <= kMostPerThread * threads;
}

/// Whether the machine code has no arithmetic on FP16 and BF16 outside of the Tensor Cores.
bool only_converts_halves(const Measurement& measurement, const CompiledKernel* compiled) {
  const auto& launches = measurement.launches;
  const auto& resources = measurement.resources;
  return (launches && launches->has_half_arithmetic == false) ||
         (resources && resources->has_half_arithmetic == false) ||
         (compiled != nullptr && compiled->has_half_arithmetic == false);
}

/// The most operations that the FP16 and BF16 instructions outside of the Tensor Cores can have done in a
/// kernel that has such arithmetic, and did this many in FP32 and FP64.
double most_half_operations(const Measurement& measurement, double other_flops) {
  const auto of = [&](std::string_view key) { return value_of(measurement.counters, key).value_or(0); };
  if (are_constants(measurement, other_flops)) return 0;
  return 2 * of(counter::kHadd) + 2 * of(counter::kHmul) + 4 * of(counter::kHfma);
}

}  // namespace

ExecutedWork executed_work(const Measurement& measurement, const CompiledKernel* compiled) {
  const Counters& counters = measurement.counters;
  const Dtype precision = precision_of(measurement);
  if (is_integer(precision)) return {};
  const bool converts_only = only_converts_halves(measurement, compiled);
  const bool is_half = precision == Dtype::f16 || precision == Dtype::bf16;
  const bool are_all_types = has_executed_work_alone(measurement) || (is_half && converts_only);
  const auto missing = [](std::string reason) { return ExecutedWork{std::nullopt, std::move(reason)}; };
  auto counted = are_all_types ? counted_in_pipes(counters) : counted_operations(counters, precision);
  if (!counted && are_all_types && are_negligible_beside_tensor_cores(counters)) counted = Operations{};
  if (!counted) {
    const bool is_of_f64 =
        precision == Dtype::f64 || (are_all_types && !counted_operations(counters, Dtype::f64).has_value());
    const std::string_view key = is_of_f64                 ? counter::kDadd
                                 : precision == Dtype::f32 ? counter::kFadd
                                                           : counter::kHadd;
    return missing(precision == Dtype::f64 || precision == Dtype::f32
                       ? fmt::format("{}: {}", key, reason_of(counters, key))
                       : fmt::format("the number of operations per {} instruction is not counted",
                                     to_string(precision)));
  }
  const auto tensor = executed_tensor_ops(counters);
  const double seen = counted->flops + (are_all_types ? tensor.value_or(0) : 0);
  const double atomics = value_of(counters, counter::kL2AtomicOperations).value_or(0);
  if (atomics > kNegligibleShare * (seen + atomics)) {
    return missing(
        fmt::format("{:.0f} atomic operations ran in L2, where the counters do not see their additions; "
                    "{:.0f} operations were counted elsewhere",
                    atomics, seen));
  }
  if (const double instructions = tensor_instructions(counters).value_or(0); instructions > 0 && !tensor) {
    return missing(
        fmt::format("the operations of {:.0f} tensor instructions were not counted", instructions));
  }
  const double flops = counted->flops + tensor.value_or(0);
  if (are_all_types && !tensor) {
    return missing(fmt::format("{}: {}", counter::kTensorPipeInstructions,
                               reason_of(counters, counter::kTensorPipeInstructions)));
  }
  if (const double half = converts_only ? 0 : most_half_operations(measurement, counted->flops);
      are_all_types && half > kNegligibleShare * (flops + half)) {
    return missing(
        "FP16 or BF16 instructions ran outside of the Tensor Cores, and how many of them do two operations, "
        "or "
        "only convert, is unknown");
  }
  if (flops < (1 - kNegligibleShare) * measurement.work.flops()) {
    return missing(
        fmt::format("only {:.0f} operations were counted, but the result needs {:.0f}: the others ran where "
                    "the counters do not see them",
                    flops, measurement.work.flops()));
  }
  return {flops, {}};
}

}  // namespace rooflinectl
