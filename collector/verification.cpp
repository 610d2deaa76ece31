// SPDX-License-Identifier: Apache-2.0
#include "collector/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/error.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::check;
using kernels::DataSet;
using kernels::Problem;
using kernels::ReferenceSum;
using kernels::ReferenceSums;
using kernels::Variant;

/// Results beyond the last one that are looked at, if the memory holds them.
constexpr std::size_t kGuardResults = 256;

/// Of a float or a 32-bit integer.
constexpr std::size_t kResultBytes = 4;

/// The pattern that `kernels::poison` writes.
constexpr std::uint32_t kPoisonBits = 0xFFFFFFFF;

/// γ_h of the variant; 0 for data that must come out exactly; nothing where no bound exists.
std::optional<double> allowed_error_factor(const Variant& variant, const Problem& problem, DataSet data_set) {
  if (kernels::is_exact(data_set, problem.dtype)) return 0.0;
  return kernels::gamma_factor(variant.longest_chain(problem));
}

/// What a 32-bit integer sum comes to: modulo 2^32.
double wrapped(double sum) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(sum)));
}

bool matches(double got, const ReferenceSum& expected, double bound) {
  if (std::isnan(expected.sum)) return std::isnan(got);
  if (std::isinf(expected.sum)) return got == expected.sum;
  return std::abs(got - expected.sum) <= bound;
}

/// What one launch left in the output.
struct Output {
  std::vector<double> results;
  bool wrote_beyond = false;
};

void check_memory(const Variant& variant, const Problem& problem, const VerificationMemory& memory) {
  const std::size_t input_bytes = problem.n * size_bytes(problem.dtype);
  const std::size_t output_bytes = kernels::output_count(variant, problem) * kResultBytes;
  if (memory.input.bytes < input_bytes || memory.output.bytes < output_bytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: {} bytes of input and {} of output are not enough memory to verify; "
                    "it takes {} and {}",
                    variant.info.id, memory.input.bytes, memory.output.bytes, input_bytes, output_bytes));
  }
  if (accumulator(problem.dtype) != Dtype::f32 && problem.dtype != Dtype::i32) {
    throw Error(ErrorKind::usage, fmt::format("{}: results of type {} cannot be verified", variant.info.id,
                                              to_string(accumulator(problem.dtype))));
  }
}

/// The data set in the input and NaN everywhere else.
void prepare(const Problem& problem, DataSet data_set, const VerificationMemory& memory,
             cudaStream_t stream) {
  const std::size_t input_bytes = problem.n * size_bytes(problem.dtype);
  kernels::fill(data_set, problem.dtype, memory.input.d_data, problem.n, stream);
  kernels::poison(static_cast<std::byte*>(memory.input.d_data) + input_bytes,
                  memory.input.bytes - input_bytes, stream);
  kernels::poison(memory.output.d_data, memory.output.bytes, stream);
}

/// The result that `word` holds.
double result_of(std::uint32_t word, Dtype dtype) {
  if (dtype == Dtype::i32) return std::bit_cast<std::int32_t>(word);
  return static_cast<double>(std::bit_cast<float>(word));
}

Output run(const Variant& variant, const Problem& problem, DataSet data_set, const VerificationMemory& memory,
           cudaStream_t stream) {
  prepare(problem, data_set, memory, stream);
  variant.launch(problem, {.d_input = memory.input.d_data, .d_output = memory.output.d_data}, stream);
  const std::size_t count = kernels::output_count(variant, problem);
  std::vector<std::uint32_t> words(std::min(count + kGuardResults, memory.output.bytes / kResultBytes));
  check(cudaMemcpyAsync(words.data(), memory.output.d_data, words.size() * kResultBytes,
                        cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), variant.info.id);

  Output output;
  for (std::size_t i = 0; i < count; ++i) output.results.push_back(result_of(words[i], problem.dtype));
  output.wrote_beyond = std::any_of(words.begin() + static_cast<std::ptrdiff_t>(count), words.end(),
                                    [](std::uint32_t word) { return word != kPoisonBits; });
  return output;
}

/// Elements that each result covers.
std::uint64_t elements_per_result(const Variant& variant, const Problem& problem) {
  return variant.info.output == OutputKind::scalar ? problem.n : variant.elements_per_partial(problem);
}

std::string summary(const Problem& problem, DataSet data_set, const Comparison& comparison,
                    std::uint64_t longest_chain) {
  if (!comparison.passed) return fmt::format("{}: {}", to_string(data_set), comparison.mismatch);
  if (kernels::is_exact(data_set, problem.dtype)) return fmt::format("{}: exact", to_string(data_set));
  return fmt::format("{}: worst error {:.2g} of the bound (h = {})", to_string(data_set),
                     comparison.worst_error_over_bound, longest_chain);
}

void append(std::string& detail, std::string_view text) {
  if (!detail.empty()) detail += "; ";
  detail += text;
}

}  // namespace

Comparison compare(const Variant& variant, const Problem& problem, DataSet data_set,
                   std::span<const double> results, ReferenceSums& references) {
  const std::optional<double> factor = allowed_error_factor(variant, problem, data_set);
  if (!factor) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: no error bound for {} data", variant.info.id, to_string(data_set)));
  }
  const std::uint64_t elements = elements_per_result(variant, problem);
  Comparison comparison;
  if (results.size() * elements < problem.n) {
    comparison.passed = false;
    comparison.mismatch =
        fmt::format("{} results of {} elements each leave {} of {} elements out", results.size(), elements,
                    problem.n - results.size() * elements, problem.n);
    return comparison;
  }
  // Asked for as a whole first, the reference is computed on all cores; then segment by segment it only looks
  // up.
  references.of(data_set, problem.dtype, 0, problem.n);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint64_t begin = std::min(i * elements, problem.n);
    const std::uint64_t end = std::min(begin + elements, problem.n);
    ReferenceSum expected = references.of(data_set, problem.dtype, begin, end);
    if (problem.dtype == Dtype::i32) expected.sum = wrapped(expected.sum);
    const double bound = *factor * expected.sum_of_magnitudes;
    if (!matches(results[i], expected, bound)) {
      comparison.passed = false;
      comparison.mismatch = fmt::format("result {} of {} (elements {} to {}) is {}, expected {}", i,
                                        results.size(), begin, end, results[i], expected.sum);
      if (bound > 0) comparison.mismatch += fmt::format(" ± {:.3g}", bound);
      return comparison;
    }
    if (bound > 0) {
      const double error = std::abs(results[i] - expected.sum);
      comparison.worst_error_over_bound = std::max(comparison.worst_error_over_bound, error / bound);
    }
  }
  return comparison;
}

Verification verify(const Variant& variant, const Problem& problem, const VerificationMemory& memory,
                    ReferenceSums& references, cudaStream_t stream, std::span<const DataSet> data_sets) {
  check_memory(variant, problem, memory);
  const std::uint64_t longest_chain = variant.longest_chain(problem);
  Verification verification;
  verification.passed = true;
  for (const DataSet data_set : data_sets) {
    if (!kernels::has_data(data_set, problem.dtype)) continue;
    if (!allowed_error_factor(variant, problem, data_set)) {
      append(verification.detail, fmt::format("{}: left out, no bound for chains of {} additions",
                                              to_string(data_set), longest_chain));
      continue;
    }
    const Output output = run(variant, problem, data_set, memory, stream);
    Comparison comparison = compare(variant, problem, data_set, output.results, references);
    if (comparison.passed && output.wrote_beyond) {
      comparison.passed = false;
      comparison.mismatch = fmt::format("wrote beyond its {} results", output.results.size());
    }
    append(verification.detail, summary(problem, data_set, comparison, longest_chain));
    verification.worst_error_over_bound =
        std::max(verification.worst_error_over_bound, comparison.worst_error_over_bound);
    if (!comparison.passed) {
      verification.passed = false;
      return verification;
    }
  }
  return verification;
}

}  // namespace rooflinectl
