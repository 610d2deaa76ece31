// SPDX-License-Identifier: Apache-2.0
// Every primitive gives the values of its reference, in both forms in which it is measured.
#include <gtest/gtest.h>

#include "collector/device/device.h"
#include "collector/steps/steps.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

using kernels::Form;

class PrimitivesTest : public GpuTest {};

TEST_F(PrimitivesTest, LanesGetTheValuesOfTheReference) {
  const Stream stream;
  for (const kernels::LanePrimitive& primitive : kernels::all_lane_primitives()) {
    if (primitive.minimum_sm > compute_capability()) continue;
    for (const int trips : {1, 2, 5}) {
      EXPECT_EQ(wrong_value(primitive, Form::latency, 1, trips, stream), "") << primitive.info.id;
      EXPECT_EQ(wrong_value(primitive, Form::throughput, 3, trips, stream), "") << primitive.info.id;
    }
  }
}

TEST_F(PrimitivesTest, ScansOfTheDeviceAreRightAtEverySize) {
  const Stream stream;
  for (const kernels::DevicePrimitive& primitive : kernels::all_device_primitives()) {
    for (const std::uint64_t n :
         {1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 4095, 4096, 4097, 8191, 135171, 1048579, 16777217}) {
      EXPECT_EQ(wrong_value(primitive, n, stream), "") << primitive.info.id << " of " << n;
    }
  }
}

TEST_F(PrimitivesTest, ThroughputIsNoWorseThanLatency) {
  const Stream stream;
  const DeviceInfo device = select_device("0");
  Timer timer(device, stream);
  PrimitiveBench bench(device, timer, stream);
  for (const char* id :
       {"shuffle_xor_i32", "warp_scan_inclusive_i32", "block_scan_inclusive_i32_cub", "vote_ballot"}) {
    const PrimitiveResult result = bench.measure(id);
    ASSERT_EQ(result.status, Status::ok) << id << ": " << result.cause;
    EXPECT_GT(*result.latency.median.value(), 1) << id;
    EXPECT_LT(*result.throughput.median.value(), *result.latency.median.value()) << id;
  }
}

}  // namespace
}  // namespace rooflinectl
