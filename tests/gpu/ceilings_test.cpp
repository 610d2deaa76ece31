// SPDX-License-Identifier: Apache-2.0
//
// The ceiling benchmarks do the work that they claim: what they write is there, and a launch with the other
// shapes succeeds too. How much work they do is a matter for the counters (`fadd`, `ffma`, DRAM bytes).

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/ceiling.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using kernels::CeilingBenchmark;
using kernels::CeilingBuffers;
using kernels::DataSet;

class CeilingBenchmarkTest : public GpuTest {
 protected:
  static constexpr std::size_t kBytes = 8 << 20;
  static constexpr std::size_t kL2Bytes = 4 << 20;
  static constexpr std::uint64_t kFloats = kBytes / sizeof(float);

  static const CeilingBenchmark& benchmark(std::string_view id) {
    return *std::find_if(kernels::all_ceiling_benchmarks().begin(), kernels::all_ceiling_benchmarks().end(),
                         [&](const CeilingBenchmark& b) { return b.id == id; });
  }

  /// Launches the benchmark in each of its shapes on fresh buffers, and gives the target to `inspect`.
  template <typename Inspect>
  static void for_each_shape(std::string_view id, const Inspect& inspect) {
    for (const kernels::CeilingShape& shape : benchmark(id).shapes) {
      const DeviceBuffer source(kBytes);
      const DeviceBuffer target(kBytes);
      kernels::fill(DataSet::integers, Dtype::f32, source.data(), kFloats, /*stream=*/nullptr);
      kernels::poison(target.data(), kBytes, /*stream=*/nullptr);
      const CeilingBuffers buffers{source.data(), target.data(), kBytes, kL2Bytes};
      const int grid = 3 * shape.blocks_per_sm;  // as on a GPU with three SMs
      EXPECT_GT(benchmark(id).amount(buffers, grid, shape.block), 0);
      benchmark(id).launch(buffers, grid, shape.block, /*stream=*/nullptr);
      inspect(read<float>(target, kFloats));
    }
  }
};

TEST_F(CeilingBenchmarkTest, CopyCopiesEverything) {
  for_each_shape("dram_copy", [](const std::vector<float>& target) {
    for (std::uint64_t i = 0; i < target.size(); ++i) {
      ASSERT_EQ(target[i], kernels::element(DataSet::integers, Dtype::f32, i)) << "at " << i;
    }
  });
}

TEST_F(CeilingBenchmarkTest, WriteWritesEverything) {
  for_each_shape("dram_write", [](const std::vector<float>& target) {
    for (std::uint64_t i = 0; i < target.size(); ++i) {
      ASSERT_EQ(target[i], static_cast<float>(i % 4 + 1)) << "at " << i;
    }
  });
}

TEST_F(CeilingBenchmarkTest, TriadWritesHalfOfTheTarget) {
  for_each_shape("dram_triad", [](const std::vector<float>& target) {
    const std::uint64_t half = target.size() / 2;
    for (std::uint64_t i = 0; i < half; ++i) {
      const auto first = static_cast<float>(kernels::element(DataSet::integers, Dtype::f32, i));
      const auto second = static_cast<float>(kernels::element(DataSet::integers, Dtype::f32, half + i));
      ASSERT_EQ(target[i], first + 0.5F * second) << "at " << i;
    }
    EXPECT_TRUE(std::isnan(target[half]));
  });
}

TEST_F(CeilingBenchmarkTest, L2WriteStaysWithinAThirdOfL2) {
  for_each_shape("l2_write", [](const std::vector<float>& target) {
    const std::uint64_t part = (std::size_t{1} << 20) / sizeof(float);  // the power of two below a third
    for (std::uint64_t i = 0; i < part; ++i)
      ASSERT_EQ(target[i], static_cast<float>(i % 4 + 1)) << "at " << i;
    EXPECT_TRUE(std::isnan(target[part]));
  });
}

TEST_F(CeilingBenchmarkTest, OthersWriteNothing) {
  for (const CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    const bool writes =
        benchmark.operation == "copy" || benchmark.operation == "write" || benchmark.operation == "triad";
    if (writes || benchmark.minimum_sm > compute_capability()) continue;
    for_each_shape(benchmark.id, [&](const std::vector<float>& target) {
      EXPECT_TRUE(std::all_of(target.begin(), target.end(), [](float value) { return std::isnan(value); }))
          << benchmark.id;
    });
  }
}

}  // namespace
}  // namespace rooflinectl
