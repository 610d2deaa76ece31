// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collector/device/instruments.h"
#include "collector/points/prepared_point.h"
#include "kernels/cuda_check.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using KernelResourcesTest = GpuTest;

TEST_F(KernelResourcesTest, AreThoseOfTheKernelThatDoesTheWork) {
  const Stream stream;
  Workbench bench;
  const PointId id = {.experiment = "test",
                      .subject = "sum_smem_tree",  // zeroes its output first
                      .axes = axes_of({.n_elements = 1 << 20, .block_size = 256, .elements_per_thread = 8})};
  VariantPoint point(id, bench, stream, 1);
  const auto resources = kernel_resources([&] { point.launch(0); }, stream);
  ASSERT_TRUE(resources);
  EXPECT_GE(resources->shared_bytes_per_block, 256 * 4);
  EXPECT_GT(resources->registers_per_thread, 8);
  EXPECT_LT(resources->registers_per_thread, 128);
  EXPECT_GE(resources->blocks_per_sm, 2);
  EXPECT_LE(resources->blocks_per_sm, resources->blocks_per_sm_by_registers);
}

TEST_F(KernelResourcesTest, AreUnknownForWorkThatCannotBeCaptured) {
  const Stream stream;
  EXPECT_FALSE(kernel_resources([&] { stream.synchronize(); }, stream));
  EXPECT_FALSE(kernel_resources([] {}, stream));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  stream.synchronize();  // the stream can still be used
}

}  // namespace
}  // namespace rooflinectl
