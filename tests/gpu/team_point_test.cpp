// SPDX-License-Identifier: Apache-2.0
//
// Variants over several GPUs, on as many as there are. On one, all that is tested is a team of one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/device/device.h"
#include "collector/points/several_gpus.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

std::vector<std::string> variants_over_gpus() {
  std::vector<std::string> ids;
  for (const kernels::Variant& variant : kernels::all_variants()) {
    if (variant.gathering) ids.push_back(variant.info.id);
  }
  return ids;
}

PointId point_of(const std::string& variant, Dtype dtype, std::uint64_t n, int gpus) {
  return {.experiment = "test",
          .subject = variant,
          .axes = axes_of({.dtype = dtype, .n_elements = n, .block_size = 512, .gpus = gpus})};
}

/// The first GPU and those that can work with it.
class TeamPointTest : public GpuTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped()) device_ = select_device("0");
  }

  /// Numbers of GPUs that can share a sum as the variant does it.
  std::vector<int> possible() const {
    const kernels::Gathering gathering = *kernels::find_variant(GetParam())->gathering;
    Teammates teammates(device_);
    std::vector<int> numbers;
    for (int gpus = 1; gpus <= static_cast<int>(teammates.devices().size()); ++gpus) {
      if (!teammates.obstacle(gpus, gathering)) numbers.push_back(gpus);
    }
    return numbers;
  }

  DeviceInfo device_;
};

TEST_P(TeamPointTest, EverySumIsRightInEveryTypeAtAwkwardSizes) {
  const Stream stream;
  kernels::ReferenceSums references;
  Teammates teammates(device_);
  for (const int gpus : possible()) {
    for (const Dtype dtype : kAllDtypes) {
      for (const std::uint64_t n : {0ULL, 1ULL, 3ULL, 257ULL, (1ULL << 20) + 7, (1ULL << 25) + 1}) {
        TeamPoint team(point_of(GetParam(), dtype, n, gpus), teammates, stream, 1);
        const Verification verification = team.verify(references);
        EXPECT_TRUE(verification.passed)
            << gpus << " GPUs, " << n << " " << to_string(dtype) << ": " << verification.detail;
      }
    }
  }
}

TEST_P(TeamPointTest, LaunchAfterLaunchIsRightInGraphsAndWithoutThem) {
  const Stream stream;
  kernels::ReferenceSums references;
  Teammates teammates(device_);
  Timer timer(device_, stream);
  for (const int gpus : possible()) {
    for (const LaunchMode mode : {LaunchMode::graph, LaunchMode::plain}) {
      const PointId id = point_of(GetParam(), Dtype::f32, (1ULL << 20) * static_cast<unsigned>(gpus), gpus);
      TeamPoint team(id, teammates, stream, 4);
      TimedWork work = team.timed_work({.mode = mode, .launches_per_graph = 8, .inputs = 4});
      ResultCheck last;
      work.finish = [&](const std::function<void()>& launch_again) {
        team.poison_output();
        launch_again();
        last = team.check_output(references);
      };
      const TimeResult time = timer.measure(work, {.relative_half_width = 0.05, .time_limit_s = 0.5});
      EXPECT_TRUE(last.passed) << gpus << " GPUs, " << to_string(mode) << ": " << last.mismatch;
      EXPECT_GT(time.median_s, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, TeamPointTest, testing::ValuesIn(variants_over_gpus()),
                         [](const auto& test) { return test.param; });

class TeammatesTest : public GpuTest {};

TEST_F(TeammatesTest, WhatIsMissingIsNamed) {
  Teammates teammates(select_device("0"));
  const kernels::Gathering through_host = *kernels::find_variant("sum_multi_host")->gathering;
  EXPECT_EQ(teammates.obstacle(1, through_host), std::nullopt);
  const auto visible = static_cast<int>(all_devices().size());
  EXPECT_EQ(
      teammates.obstacle(visible + 1, through_host),
      fmt::format("needs {} GPUs; {} {} visible here", visible + 1, visible, visible == 1 ? "is" : "are"));
  EXPECT_EQ(teammates.obstacle(kernels::kMostGpus + 1, through_host),
            "needs 17 GPUs; the most that can share a sum are 16");
}

TEST_F(TeammatesTest, TheDataOfAShareAreThoseOfTheWhole) {
  const Stream stream;
  constexpr std::uint64_t kN = 1000;
  constexpr std::uint64_t kFirst = 600;
  const DeviceBuffer whole(kN * sizeof(float));
  const DeviceBuffer share((kN - kFirst) * sizeof(float));
  kernels::fill(kernels::DataSet::uniform, Dtype::f32, whole.data(), kN, stream);
  kernels::fill(kernels::DataSet::uniform, Dtype::f32, share.data(), kN - kFirst, stream, kFirst);
  stream.synchronize();
  const auto all = read<float>(whole, kN);
  EXPECT_EQ(read<float>(share, kN - kFirst), std::vector<float>(all.begin() + kFirst, all.end()));
}

}  // namespace
}  // namespace rooflinectl
