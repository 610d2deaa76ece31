// SPDX-License-Identifier: Apache-2.0
//
// The ceiling benchmarks do the work that they claim: what they write is there, and a launch with the other
// shapes succeeds too. How much work they do is a matter for the counters (`fadd`, `ffma`, DRAM bytes).

#include "collector/ceilings/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collector/device/device.h"
#include "collector/timing/timing.h"
#include "kernels/ceiling.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using kernels::CeilingBenchmark;
using kernels::CeilingBuffers;
using kernels::CeilingShape;
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
      const DeviceBuffer memory(2 * kBytes);
      auto* const target = static_cast<std::byte*>(memory.data()) + kBytes;
      kernels::fill(DataSet::integers, Dtype::f32, memory.data(), kFloats, /*stream=*/nullptr);
      kernels::poison(target, kBytes, /*stream=*/nullptr);
      const CeilingBuffers buffers{memory.data(), target, kBytes, kL2Bytes};
      const int grid = shape.grid(/*sm_count=*/3);
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

TEST_F(CeilingBenchmarkTest, MixesWriteTheirShareOfTheTarget) {
  for (const auto& [id, share] :
       {std::pair("dram_mix_10", 1.0 / 9), {"dram_mix_25", 1.0 / 3}, {"dram_mix_75", 1.0}}) {
    for_each_shape(id, [&](const std::vector<float>& target) {
      const auto written =
          std::find_if(target.begin(), target.end(), [](float value) { return std::isnan(value); });
      const auto floats = static_cast<double>(written - target.begin());
      EXPECT_NEAR(floats / static_cast<double>(target.size()), share, 0.01) << id;
      EXPECT_TRUE(std::all_of(written, target.end(), [](float value) { return std::isnan(value); })) << id;
    });
  }
}

TEST_F(CeilingBenchmarkTest, L2WriteStaysWithinAThirdOfL2) {
  for_each_shape("l2_write", [](const std::vector<float>& target) {
    const std::uint64_t part = (std::size_t{1} << 20) / sizeof(float);  // the power of two below a third
    for (std::uint64_t i = 0; i < part; ++i)
      ASSERT_EQ(target[i], static_cast<float>(i % 4 + 1)) << "at " << i;
    EXPECT_TRUE(std::isnan(target[part]));
  });
}

TEST_F(CeilingBenchmarkTest, CopiesOfTheHostCopyAllThatIsPinned) {
  constexpr std::size_t kPinnedBytes = kBytes / 2;
  const auto copied = [&](std::string_view id, float of_host, float of_device) {
    const PinnedBuffer pinned(kPinnedBytes);
    std::vector<float> values(kFloats, of_device);
    const DeviceBuffer memory(kBytes);
    EXPECT_EQ(cudaMemcpy(memory.data(), values.data(), kBytes, cudaMemcpyDefault), cudaSuccess);
    auto* const h_pinned = static_cast<float*>(pinned.data());
    std::fill_n(h_pinned, kPinnedBytes / sizeof(float), of_host);
    const CeilingBuffers buffers{memory.data(), memory.data(), kBytes, kL2Bytes, pinned.data(), kPinnedBytes};
    EXPECT_EQ(benchmark(id).amount(buffers, 1, 1), static_cast<double>(kPinnedBytes));
    benchmark(id).launch(buffers, 1, 1, /*stream=*/nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    values = read<float>(memory.data(), kFloats);
    EXPECT_EQ(values.back(), of_device) << "no more than is pinned";
    return std::pair(std::vector(values.begin(), values.begin() + kFloats / 2),
                     std::vector(h_pinned, h_pinned + kFloats / 2));
  };
  const auto [to_device, unchanged_host] = copied("pcie_h2d", 1, 2);
  EXPECT_EQ(to_device, unchanged_host);
  EXPECT_EQ(to_device.back(), 1);
  const auto [unchanged_device, to_host] = copied("pcie_d2h", 1, 2);
  EXPECT_EQ(to_host, unchanged_device);
  EXPECT_EQ(to_host.back(), 2);
}

/// Follows the chain of pointers on the host, from the start of the target back to it.
TEST_F(CeilingBenchmarkTest, LatenciesFollowOneCycleThroughAllPlaces) {
  constexpr std::size_t kFootprint = 32 << 20;
  for (const auto& [id, places] : {std::pair<const char*, std::size_t>("dram_latency", 16384),
                                   std::pair<const char*, std::size_t>("nvlink_latency", 16384),
                                   std::pair<const char*, std::size_t>("l2_latency", kL2Bytes / 8 / 128)}) {
    SCOPED_TRACE(id);
    const DeviceBuffer target(kFootprint);
    kernels::poison(target.data(), kFootprint, /*stream=*/nullptr);
    const CeilingBuffers buffers{.d_target = target.data(),
                                 .bytes = kFootprint,
                                 .l2_bytes = kL2Bytes,
                                 .d_peer = target.data(),  // any memory will do
                                 .peer_bytes = kFootprint};
    benchmark(id).prepare(buffers, /*stream=*/nullptr);
    const auto words = read<std::uint64_t>(target, kFootprint / sizeof(std::uint64_t));
    const auto begin = reinterpret_cast<std::uintptr_t>(target.data());
    std::size_t visited = 0;
    std::uint64_t offset = 0;
    do {
      offset = words.at(offset / sizeof(std::uint64_t)) - begin;
      ASSERT_LT(offset, kFootprint);
      ++visited;
    } while (offset != 0 && visited <= places);
    EXPECT_EQ(visited, places);
    const CeilingShape& shape = benchmark(id).shapes.front();
    benchmark(id).launch(buffers, shape.grid(/*sm_count=*/3), shape.block, /*stream=*/nullptr);
    EXPECT_EQ(read<std::uint64_t>(target, words.size()), words) << "it only reads";
  }
}

TEST_F(CeilingBenchmarkTest, LatenciesAreThoseOfMemory) {
  const Stream stream;
  const DeviceInfo device = select_device("0");
  Timer timer(device, stream);
  CeilingBench bench(device, timer, stream);
  const double l2_s = bench.measure(benchmark("l2_latency")).front().value;
  const double dram_s = bench.measure(benchmark("dram_latency")).front().value;
  EXPECT_GT(l2_s, 50e-9) << "longer than a hit in L1";
  EXPECT_GT(dram_s, 1.3 * l2_s);
  EXPECT_LT(dram_s, 5e-6);
}

/// Every thread of every block adds as often as declared: half of the lanes add 1.
TEST_F(CeilingBenchmarkTest, AtomicsAllAddToTheFirstValue) {
  const auto added = [&](std::string_view id, auto zero) {
    using Value = decltype(zero);
    const DeviceBuffer target(kBytes);
    EXPECT_EQ(cudaMemset(target.data(), 0, kBytes), cudaSuccess);
    const CeilingBuffers buffers{nullptr, target.data(), kBytes, kL2Bytes};
    benchmark(id).launch(buffers, /*grid=*/2, /*block=*/1024, /*stream=*/nullptr);
    EXPECT_EQ(read<Value>(target, 2)[1], zero) << id;
    return static_cast<double>(read<Value>(target, 1)[0]) / benchmark(id).amount(buffers, 2, 1024);
  };
  EXPECT_EQ(added("atomic_f32", 0.0F), 0.5);
  EXPECT_EQ(added("atomic_f64", 0.0), 0.5);
  EXPECT_EQ(added("atomic_i32", std::int32_t{0}), 0.5);
  EXPECT_EQ(added("atomic_i64", std::int64_t{0}), 0.5);
}

TEST_F(CeilingBenchmarkTest, OthersWriteNothing) {
  for (const CeilingBenchmark& benchmark : kernels::all_ceiling_benchmarks()) {
    const bool writes = benchmark.operation == "copy" || benchmark.operation == "write" ||
                        benchmark.operation == "triad" || benchmark.operation == "mix" ||
                        benchmark.operation == "atomic" || benchmark.kind == CeilingKind::transfer;
    if (writes || benchmark.prepare != nullptr || benchmark.minimum_sm > compute_capability()) continue;
    for_each_shape(benchmark.id, [&](const std::vector<float>& target) {
      EXPECT_TRUE(std::all_of(target.begin(), target.end(), [](float value) { return std::isnan(value); }))
          << benchmark.id;
    });
  }
}

}  // namespace
}  // namespace rooflinectl
