// SPDX-License-Identifier: Apache-2.0
//
// Every variant, in every type and block size, against the reference.
//
// Under compute-sanitizer run the small sizes, which reach every branch inside a block:
//   compute-sanitizer --tool memcheck --error-exitcode 1 rooflinectl-gpu-tests --gtest_filter='*SmallSizes*'
// and the same with --tool racecheck, initcheck and synccheck. What blocks do with each other, and the rings
// of asynchronous copies, begin at the larger sizes: '*LargerSizes*', which takes far longer.

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "kernels/reduction/best_table.h"
#include "kernels/variant.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using kernels::DataSet;
using kernels::Problem;
using kernels::Variant;

/// A variant as it can be asked for.
struct Configuration {
  const Variant* variant;
  Dtype dtype;
  int block_size;
  int elements_per_thread;
};

/// As test names and messages show it.
void PrintTo(const Configuration& c, std::ostream* out) {
  *out << c.variant->info.id << "_" << to_string(c.dtype) << "_b" << c.block_size;
  if (c.elements_per_thread > 0) *out << "_e" << c.elements_per_thread;
}

std::vector<Configuration> all_configurations() {
  std::vector<Configuration> configurations;
  for (const Variant& variant : kernels::all_variants()) {
    if (variant.gathering) continue;  // over several GPUs: team_point_test.cpp
    const std::vector<int> elements_per_thread =
        variant.info.default_elements_per_thread ? std::vector{1, 8, 128} : std::vector{0};
    for (const Dtype dtype : variant.info.dtypes) {
      for (const int block_size : variant.info.block_sizes) {
        for (const int elements : elements_per_thread) {
          configurations.push_back({&variant, dtype, block_size, elements});
        }
      }
    }
  }
  return configurations;
}

std::vector<Configuration> default_configurations() {
  std::vector<Configuration> configurations;
  for (const Variant& variant : kernels::all_variants()) {
    if (variant.gathering) continue;  // over several GPUs: team_point_test.cpp
    for (const Dtype dtype : variant.info.dtypes) {
      configurations.push_back({&variant, dtype, variant.info.default_block_size,
                                variant.info.default_elements_per_thread.value_or(0)});
    }
  }
  return configurations;
}

std::vector<Configuration> deterministic_configurations() {
  std::vector<Configuration> configurations = all_configurations();
  std::erase_if(configurations, [](const Configuration& c) { return !c.variant->info.deterministic; });
  return configurations;
}

class VariantTest : public GpuTest, public testing::WithParamInterface<Configuration> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    const int minimum_sm = GetParam().variant->info.minimum_sm;
    if (minimum_sm > compute_capability()) GTEST_SKIP() << "needs sm_" << minimum_sm;
  }

  static Problem problem(std::uint64_t n) {
    return {.dtype = GetParam().dtype,
            .n = n,
            .block_size = GetParam().block_size,
            .elements_per_thread = GetParam().elements_per_thread};
  }

  static std::size_t result_bytes() { return size_bytes(accumulator(GetParam().dtype)); }

  /// Verifies every size with these data sets, with an input that begins `offset` elements into an
  /// allocation.
  static void expect_right_results(const std::vector<std::uint64_t>& sizes, std::size_t offset,
                                   std::span<const DataSet> data_sets = kernels::kAllDataSets) {
    const Variant& variant = *GetParam().variant;
    const std::size_t element_bytes = size_bytes(GetParam().dtype);
    for (const std::uint64_t n : sizes) {
      // Allocations of just the right size let compute-sanitizer see what the poisoned tail does not.
      const DeviceBuffer input((n + offset + kTailElements) * element_bytes);
      const DeviceBuffer output((kernels::output_count(variant, problem(n)) + kTailElements) *
                                result_bytes());
      const DeviceBuffer workspace(kernels::workspace_bytes(variant, problem(n)));
      const Verification verification =
          verify(variant, problem(n),
                 {memory_of(input, offset * element_bytes), memory_of(output), memory_of(workspace)},
                 references(), /*stream=*/nullptr, data_sets);
      EXPECT_TRUE(verification.passed) << "n = " << n << ": " << verification.detail;
      EXPECT_LE(verification.worst_error_over_bound, 1.0);
    }
  }

  static constexpr std::size_t kTailElements = 64;
};

TEST_P(VariantTest, IsRightAtSmallSizes) {
  expect_right_results({0, 1, 31, 32, 33, 127, 128, 129, 255, 256, 257, 511, 513, 1023, 1025}, 0);
}

TEST_P(VariantTest, IsRightForMisalignedInputAtSmallSizes) {
  expect_right_results({1, 33, 257, 1024}, 1);
}

TEST_P(VariantTest, IsRightAtLargerSizes) {
  expect_right_results({(1 << 15) - 1, 1 << 15, (1 << 15) + 1, (1 << 18) - 1, (1 << 20) - 1, 1 << 20,
                        (1 << 20) + 1, (1 << 20) + 3},
                       0);
}

TEST_P(VariantTest, IsRightForMisalignedInputAtLargerSizes) {
  expect_right_results({(1 << 15) + 1, (1 << 20) + 3}, 1);
}

INSTANTIATE_TEST_SUITE_P(All, VariantTest, testing::ValuesIn(all_configurations()),
                         testing::PrintToStringParamName());

class DefaultVariantTest : public VariantTest {};

/// Where launch shapes change.
TEST_P(DefaultVariantTest, IsRightAroundEveryPowerOfTwo) {
  std::vector<std::uint64_t> sizes;
  for (int power = 1; power <= 23; ++power) {
    const std::uint64_t n = std::uint64_t{1} << power;
    sizes.insert(sizes.end(), {n - 1, n, n + 1});
  }
  expect_right_results(sizes, 0, kUsualDataSets);
}

INSTANTIATE_TEST_SUITE_P(All, DefaultVariantTest, testing::ValuesIn(default_configurations()),
                         testing::PrintToStringParamName());

class DeterministicVariantTest : public VariantTest {
 protected:
  /// 100 launches over `n` elements leave the same bits.
  static void expect_same_bits(std::uint64_t n) {
    const Variant& variant = *GetParam().variant;
    const Problem problem = VariantTest::problem(n);
    const std::size_t output_bytes = kernels::output_count(variant, problem) * result_bytes();
    const DeviceBuffer input(problem.n * size_bytes(problem.dtype));
    const DeviceBuffer output(output_bytes);
    const DeviceBuffer workspace(kernels::workspace_bytes(variant, problem));
    if (workspace.bytes() > 0)
      kernels::check(cudaMemset(workspace.data(), 0, workspace.bytes()), "cudaMemset");
    std::vector<std::byte> first;
    for (int run = 0; run < 100; ++run) {
      if (run == 0 || variant.info.destroys_input) {
        kernels::fill(DataSet::uniform, problem.dtype, input.data(), problem.n, /*stream=*/nullptr);
      }
      kernels::poison(output.data(), output_bytes, /*stream=*/nullptr);
      variant.launch(problem, {input.data(), output.data(), workspace.data()}, /*stream=*/nullptr);
      const std::vector<std::byte> bits = read<std::byte>(output, output_bytes);
      if (run == 0) first = bits;
      ASSERT_EQ(bits, first) << "n = " << n << ", run " << run;
    }
  }
};

TEST_P(DeterministicVariantTest, GivesTheSameBitsEveryTime) {
  for (const std::uint64_t n : {5000, 100'003, (1 << 20) + 3}) expect_same_bits(n);
}

INSTANTIATE_TEST_SUITE_P(All, DeterministicVariantTest, testing::ValuesIn(deterministic_configurations()),
                         testing::PrintToStringParamName());

/// The variants that choose a kernel by type, size and chip.
class DispatcherTest : public DeterministicVariantTest {
 protected:
  /// The last size of every row of the table, and the first of the next.
  static std::vector<std::uint64_t> sizes() {
    const Dtype dtype = GetParam().dtype;
    std::vector<std::uint64_t> sizes;
    for (const kernels::best::Row& row : kernels::best::rows_for(dtype, compute_capability())) {
      if (row.up_to_bytes == kernels::best::kAnySize) continue;
      const std::uint64_t last = row.up_to_bytes / size_bytes(dtype);
      sizes.insert(sizes.end(), {last, last + 1});
    }
    return sizes;
  }
};

std::vector<Configuration> dispatcher_configurations() {
  std::vector<Configuration> configurations = default_configurations();
  std::erase_if(configurations,
                [](const Configuration& c) { return !c.variant->info.id.ends_with("_best"); });
  return configurations;
}

TEST_P(DispatcherTest, IsRightInEveryRowOfItsTable) {
  for (const std::size_t offset : {0, 1}) expect_right_results(sizes(), offset);
}

TEST_P(DispatcherTest, GivesTheSameBitsInEveryRowOfItsTable) {
  if (!GetParam().variant->info.deterministic) GTEST_SKIP() << "the variant does not claim it";
  for (const std::uint64_t n : sizes()) expect_same_bits(n);
}

INSTANTIATE_TEST_SUITE_P(All, DispatcherTest, testing::ValuesIn(dispatcher_configurations()),
                         testing::PrintToStringParamName());

class HugeVariantTest : public VariantTest {};

TEST_P(HugeVariantTest, IsRightBeyondTwoToThe32Elements) {
  const Variant& variant = *GetParam().variant;
  const Problem problem = VariantTest::problem((std::uint64_t{1} << 32) + 5);
  const std::size_t input_bytes = (problem.n + kTailElements) * size_bytes(problem.dtype);
  const std::size_t output_bytes = (kernels::output_count(variant, problem) + kTailElements) * result_bytes();
  if (!fits_in_device_memory(input_bytes + output_bytes)) {
    GTEST_SKIP() << "takes " << (input_bytes + output_bytes) / 1'000'000'000 << " GB of device memory";
  }
  const DeviceBuffer input(input_bytes);
  const DeviceBuffer output(output_bytes);
  const DeviceBuffer workspace(kernels::workspace_bytes(variant, problem));
  const std::vector<DataSet> data_sets = {DataSet::integers};
  const Verification verification =
      verify(variant, problem, {memory_of(input), memory_of(output), memory_of(workspace)}, references(),
             /*stream=*/nullptr, data_sets);
  EXPECT_TRUE(verification.passed) << verification.detail;
}

/// A sum with one atomic addition per element takes eight seconds: one type of it will do.
std::vector<Configuration> configurations_for_huge_inputs() {
  std::vector<Configuration> configurations = default_configurations();
  std::erase_if(configurations, [](const Configuration& c) {
    return c.variant->info.id == "sum_atomic" && c.dtype != Dtype::f32;
  });
  return configurations;
}

INSTANTIATE_TEST_SUITE_P(Default, HugeVariantTest, testing::ValuesIn(configurations_for_huge_inputs()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace rooflinectl
