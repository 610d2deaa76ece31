// SPDX-License-Identifier: Apache-2.0
#include "collector/points/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "core/error.h"
#include "kernels/cuda_check.h"

namespace rooflinectl {

namespace {

using kernels::check;
using kernels::DataSet;
using kernels::Exact;
using kernels::Operation;
using kernels::Problem;
using kernels::ReferenceSum;
using kernels::ReferenceSums;
using kernels::Variant;

/// Results beyond the last one that are looked at, if the memory holds them.
constexpr std::size_t kGuardResults = 256;

/// Every byte that `kernels::poison` writes.
constexpr std::byte kPoison{0xFF};

/// The least and the greatest element are taken, not computed.
bool must_be_exact(const Variant& variant, const Problem& problem, DataSet data_set) {
  return variant.operation != Operation::sum || kernels::is_exact(data_set, problem.dtype);
}

/// γ_h of the variant; 0 for what must come out exactly; nothing where no bound exists.
std::optional<double> allowed_error_factor(const Variant& variant, const Problem& problem, DataSet data_set) {
  if (must_be_exact(variant, problem, data_set)) return 0.0;
  return kernels::gamma_factor(variant.longest_chain(problem), problem.dtype);
}

bool matches(Exact got, Exact expected, Exact bound) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::abs(got - expected) <= bound;
}

/// What one launch left in the output.
struct Output {
  std::vector<Exact> results;
  bool wrote_beyond = false;
};

void check_memory(const Variant& variant, const Problem& problem, const VerificationMemory& memory) {
  const std::size_t input_bytes = problem.n * size_bytes(problem.dtype);
  const std::size_t output_bytes =
      kernels::output_count(variant, problem) * size_bytes(accumulator(problem.dtype));
  if (memory.input.bytes < input_bytes || memory.output.bytes < output_bytes) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: {} bytes of input and {} of output are not enough memory to verify; "
                    "it takes {} and {}",
                    variant.info.id, memory.input.bytes, memory.output.bytes, input_bytes, output_bytes));
  }
  const std::size_t workspace_bytes = kernels::workspace_bytes(variant, problem);
  if (memory.workspace.bytes < workspace_bytes) {
    throw Error(ErrorKind::usage, fmt::format("{}: a workspace of {} bytes is too small; {} are needed",
                                              variant.info.id, memory.workspace.bytes, workspace_bytes));
  }
}

/// The data set in the input, zeros in the workspace and NaN everywhere else.
void prepare(const Problem& problem, DataSet data_set, const VerificationMemory& memory,
             cudaStream_t stream) {
  const std::size_t input_bytes = problem.n * size_bytes(problem.dtype);
  kernels::fill(data_set, problem.dtype, memory.input.d_data, problem.n, stream);
  kernels::poison(static_cast<std::byte*>(memory.input.d_data) + input_bytes,
                  memory.input.bytes - input_bytes, stream);
  kernels::poison(memory.output.d_data, memory.output.bytes, stream);
  if (memory.workspace.bytes > 0)
    check(cudaMemsetAsync(memory.workspace.d_data, 0, memory.workspace.bytes, stream), "cudaMemsetAsync");
}

template <typename T>
Exact value_at(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return static_cast<Exact>(value);
}

/// The result that lies at `place`.
Exact result_at(const std::byte* place, Dtype dtype) {
  switch (accumulator(dtype)) {
    case Dtype::f64:
      return value_at<double>(place);
    case Dtype::i32:
      return value_at<std::int32_t>(place);
    case Dtype::i64:
      return value_at<std::int64_t>(place);
    default:
      return value_at<float>(place);
  }
}

/// What the last launch left behind; waits for it.
Output read_output(const Variant& variant, const Problem& problem, const VerificationMemory& memory,
                   cudaStream_t stream) {
  const std::size_t count = kernels::output_count(variant, problem);
  const std::size_t result_bytes = size_bytes(accumulator(problem.dtype));
  std::vector<std::byte> bytes(std::min((count + kGuardResults) * result_bytes, memory.output.bytes));
  check(cudaMemcpyAsync(bytes.data(), memory.output.d_data, bytes.size(), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), variant.info.id);

  Output output;
  for (std::size_t i = 0; i < count; ++i) {
    output.results.push_back(result_at(&bytes[i * result_bytes], problem.dtype));
  }
  output.wrote_beyond = std::any_of(bytes.begin() + static_cast<std::ptrdiff_t>(count * result_bytes),
                                    bytes.end(), [](std::byte byte) { return byte != kPoison; });
  return output;
}

/// Elements that each result covers.
std::uint64_t elements_per_result(const Variant& variant, const Problem& problem) {
  return variant.info.output == OutputKind::scalar ? problem.n : variant.elements_per_partial(problem);
}

std::string summary(const Variant& variant, const Problem& problem, DataSet data_set,
                    const ResultCheck& comparison) {
  if (!comparison.passed) return fmt::format("{}: {}", to_string(data_set), comparison.mismatch);
  if (must_be_exact(variant, problem, data_set)) return fmt::format("{}: exact", to_string(data_set));
  return fmt::format("{}: worst error {:.2g} of the bound (h = {})", to_string(data_set),
                     comparison.worst_error_over_bound, variant.longest_chain(problem));
}

/// What the elements [begin, end) come to, with the magnitudes that a bound is made of.
ReferenceSum expected_result(const Variant& variant, const Problem& problem, DataSet data_set,
                             std::uint64_t begin, std::uint64_t end, ReferenceSums& references) {
  if (variant.operation == Operation::sum) return references.of(data_set, problem.dtype, begin, end);
  return {.sum = kernels::reference_extreme(variant.operation, data_set, problem.dtype, end)};
}

void append(std::string& detail, std::string_view text) {
  if (!detail.empty()) detail += "; ";
  detail += text;
}

}  // namespace

ResultCheck compare(const Variant& variant, const Problem& problem, DataSet data_set,
                    std::span<const Exact> results, ReferenceSums& references) {
  const std::optional<double> factor = allowed_error_factor(variant, problem, data_set);
  if (!factor) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: no error bound for {} data", variant.info.id, to_string(data_set)));
  }
  const std::uint64_t elements = elements_per_result(variant, problem);
  ResultCheck comparison;
  if (results.size() * elements < problem.n) {
    comparison.passed = false;
    comparison.mismatch =
        fmt::format("{} results of {} elements each leave out {} of {} elements", results.size(), elements,
                    problem.n - results.size() * elements, problem.n);
    return comparison;
  }
  // Asked for as a whole first, the reference is computed on all cores; then segment by segment it only looks
  // up.
  if (variant.operation == Operation::sum) references.of(data_set, problem.dtype, 0, problem.n);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::uint64_t begin = std::min(i * elements, problem.n);
    const std::uint64_t end = std::min(begin + elements, problem.n);
    const ReferenceSum expected = expected_result(variant, problem, data_set, begin, end, references);
    const Exact bound = *factor * expected.sum_of_magnitudes;
    if (!matches(results[i], expected.sum, bound)) {
      comparison.passed = false;
      comparison.mismatch = fmt::format("result {} of {} (elements {} to {}) is {}, expected {}", i,
                                        results.size(), begin, end, results[i], expected.sum);
      if (bound > 0) comparison.mismatch += fmt::format(" ± {:.3g}", bound);
      return comparison;
    }
    if (bound > 0) {
      const auto error_over_bound = static_cast<double>(std::abs(results[i] - expected.sum) / bound);
      comparison.worst_error_over_bound = std::max(comparison.worst_error_over_bound, error_over_bound);
    }
  }
  return comparison;
}

ResultCheck compare_output(const Variant& variant, const Problem& problem, DataSet data_set,
                           const VerificationMemory& memory, ReferenceSums& references, cudaStream_t stream) {
  const Output output = read_output(variant, problem, memory, stream);
  return compare(variant, problem, data_set, output.results, references);
}

Verification verify_launches(const Variant& variant, const Problem& problem, const VerificationMemory& memory,
                             ReferenceSums& references, cudaStream_t stream,
                             std::span<const DataSet> data_sets, const std::function<void(DataSet)>& launch) {
  const std::uint64_t longest_chain = variant.longest_chain(problem);
  Verification verification;
  verification.passed = true;
  for (const DataSet data_set : data_sets) {
    if (!kernels::has_data(data_set, problem.dtype)) continue;
    if (!allowed_error_factor(variant, problem, data_set)) {
      append(verification.detail,
             fmt::format("{}: skipped, there is no error bound for chains of {} additions",
                         to_string(data_set), longest_chain));
      continue;
    }
    launch(data_set);
    const Output output = read_output(variant, problem, memory, stream);
    ResultCheck comparison = compare(variant, problem, data_set, output.results, references);
    if (comparison.passed && output.wrote_beyond) {
      comparison.passed = false;
      comparison.mismatch = fmt::format("wrote beyond its {} results", output.results.size());
    }
    append(verification.detail, summary(variant, problem, data_set, comparison));
    verification.worst_error_over_bound =
        std::max(verification.worst_error_over_bound, comparison.worst_error_over_bound);
    if (!comparison.passed) {
      verification.passed = false;
      return verification;
    }
  }
  return verification;
}

Verification verify(const Variant& variant, const Problem& problem, const VerificationMemory& memory,
                    ReferenceSums& references, cudaStream_t stream, std::span<const DataSet> data_sets) {
  check_memory(variant, problem, memory);
  return verify_launches(variant, problem, memory, references, stream, data_sets, [&](DataSet data_set) {
    prepare(problem, data_set, memory, stream);
    variant.launch(problem, {memory.input.d_data, memory.output.d_data, memory.workspace.d_data}, stream);
  });
}

}  // namespace rooflinectl
