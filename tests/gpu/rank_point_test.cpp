// SPDX-License-Identifier: Apache-2.0
//
// Points over several GPUs, each of which has a process of its own: threads play the processes, as many as
// there are GPUs. On one, all that is tested is a rank alone.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "collector/device/device.h"
#include "collector/points/several_gpus.h"
#include "tests/gpu/device.h"

namespace rooflinectl {
namespace {

PointId point_of(Dtype dtype, std::uint64_t n, int gpus) {
  return {.experiment = "test",
          .subject = "sum_multi_nccl",
          .axes = axes_of({.dtype = dtype, .n_elements = n, .block_size = 512, .gpus = gpus})};
}

class RankPointTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (const auto obstacle = nccl::obstacle()) GTEST_SKIP() << *obstacle;
    devices_ = all_devices();
  }

  /// Calls `body` once for each rank, all at the same time.
  void with_all_ranks(const std::function<void(RankTeam&, const DeviceInfo&, const Stream&)>& body) const {
    std::vector<std::thread> ranks;
    for (std::size_t rank = 0; rank < devices_.size(); ++rank) {
      ranks.emplace_back([&, rank] {
        const DeviceInfo& device = devices_[rank];
        ASSERT_EQ(cudaSetDevice(device.index), cudaSuccess);
        const Stream stream;
        CollectRequest request;
        request.rank_place = {static_cast<int>(rank), static_cast<int>(devices_.size()), "127.0.0.1:29617",
                              ""};
        RankTeam team(request, device, stream);
        body(team, device, stream);
      });
    }
    for (std::thread& rank : ranks) rank.join();
  }

  std::vector<DeviceInfo> devices_;
};

TEST_F(RankPointTest, EverySumIsRightOnEveryRankInEveryTypeAtAwkwardSizes) {
  const int gpus = static_cast<int>(devices_.size());
  with_all_ranks([&](RankTeam& team, const DeviceInfo& device, const Stream& stream) {
    kernels::ReferenceSums references;
    for (const Dtype dtype : kAllDtypes) {
      for (const std::uint64_t n : {0ULL, 1ULL, 3ULL, 257ULL, (1ULL << 20) + 7, (1ULL << 25) + 1}) {
        RankPoint point(point_of(dtype, n, gpus), team.rank(), device, stream, 1);
        point.connect(*team.communicator(gpus));
        const Verification verification = point.verify(references);
        EXPECT_TRUE(verification.passed) << n << " " << to_string(dtype) << ": " << verification.detail;
      }
    }
  });
}

TEST_F(RankPointTest, AllRanksAgreeOnTheTime) {
  const int gpus = static_cast<int>(devices_.size());
  std::vector<TimeResult> times(devices_.size());
  with_all_ranks([&](RankTeam& team, const DeviceInfo& device, const Stream& stream) {
    kernels::ReferenceSums references;
    Timer timer(device, stream);
    RankPoint point(point_of(Dtype::f32, std::uint64_t{1} << 24, gpus), team.rank(), device, stream, 1);
    point.connect(*team.communicator(gpus));
    const TimedWork work =
        point.timed_work({.mode = LaunchMode::plain, .launches_per_graph = 1, .inputs = 1});
    times[static_cast<std::size_t>(team.rank())] = timer.measure(work, {});
    EXPECT_TRUE(point.check_output(references).passed);
  });
  for (const TimeResult& time : times) {
    EXPECT_GT(time.median_s, 0);
    EXPECT_EQ(time.samples_s, times.front().samples_s);
  }
}

TEST_F(RankPointTest, TheFirstRankThatIsWrongIsKnownToAll) {
  const int gpus = static_cast<int>(devices_.size());
  with_all_ranks([&](RankTeam& team, const DeviceInfo&, const Stream&) {
    RankCommunicator& communicator = *team.communicator(gpus);
    EXPECT_EQ(communicator.first_wrong(false), std::nullopt);
    EXPECT_EQ(communicator.first_wrong(team.rank() == gpus - 1), gpus - 1);
    EXPECT_EQ(communicator.first_wrong(true), 0);
  });
}

TEST_F(RankPointTest, RanksBelowANumberShareACommunicatorOfTheirOwn) {
  with_all_ranks([&](RankTeam& team, const DeviceInfo&, const Stream&) {
    RankCommunicator* const first = team.communicator(1);
    ASSERT_EQ(first == nullptr, team.rank() > 0);
    if (first != nullptr) {
      EXPECT_EQ(first->first_wrong(true), 0);
    }
  });
}

TEST_F(RankPointTest, RanksKnowWhetherTheyHaveTheSame) {
  const int gpus = static_cast<int>(devices_.size());
  with_all_ranks([&](RankTeam& team, const DeviceInfo&, const Stream&) {
    EXPECT_TRUE(team.communicator(gpus)->is_same("plan"));
    EXPECT_EQ(team.communicator(gpus)->is_same(std::to_string(team.rank())), gpus == 1);
  });
}

}  // namespace
}  // namespace rooflinectl
