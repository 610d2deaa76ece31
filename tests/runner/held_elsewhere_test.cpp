// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runner/merging/merging.h"

namespace rooflinectl::held_elsewhere_test {
namespace {

/// Two ranks of two runs; the collectives of rank 1 end at 100, 200, 300 and 400 ns; rank 0 is held from 110
/// to 210 ns.
Application ranks() {
  Application application;
  application.hosts = {{.name = "a", .uncertainty_s = 0}, {.name = "b", .uncertainty_s = 1e-6}};
  application.collectives = {{.subject = "ncclDevKernel_AllReduce", .path = "step"}};
  application.processes = {{.id = 10, .host = 0, .holds = {{.start_ns = 110, .duration_ns = 100}}},
                           {.id = 11, .host = 1}};
  for (const std::uint64_t end_ns : {100, 200, 300, 400}) {
    application.processes[1].collectives.push_back({.kernel = 0, .start_ns = end_ns - 90, .duration_ns = 90});
  }
  return application;
}

PointId point(const std::string& path, std::uint64_t grid) {
  PointId id = {.experiment = "train", .subject = "ncclDevKernel_AllReduce", .axes = {}};
  id.axes.set("grid", grid);
  id.axes.set("path", path);
  return id;
}

TEST(HeldElsewhere, IsWhatTheOwnRunDidNotKnow) {
  const PointId step = point("step", 1);
  const auto held = held_elsewhere(ranks(), {0, 1}, {{11, &step, 4}});
  EXPECT_EQ(held[0].count, 2);
  EXPECT_DOUBLE_EQ(held[0].total_s, 180e-9);
  EXPECT_EQ(held_elsewhere(ranks(), {0, 0}, {{11, &step, 2}})[0].count, 0) << "of the same run";
}

TEST(HeldElsewhere, IsSharedOutToTheShapesOfACollective) {
  const PointId small = point("step", 1);
  const PointId large = point("step", 24);
  const PointId other = point("eval", 24);
  const auto held =
      held_elsewhere(ranks(), {0, 1}, {{11, &small, 3}, {11, &large, 1}, {11, &other, 9}, {10, &small, 4}});
  EXPECT_EQ(held[0].count + held[1].count, 2);
  EXPECT_DOUBLE_EQ(held[0].total_s + held[1].total_s, 180e-9);
  EXPECT_LE(held[1].count, 1);
  EXPECT_EQ(held[2].count + held[3].count, 0);
}

TEST(HeldElsewhere, IsUnknownWhereClocksAreNotAligned) {
  const PointId step = point("step", 1);
  for (const std::size_t host : {0, 1}) {
    Application application = ranks();
    application.hosts[host].uncertainty_s.reset();
    EXPECT_EQ(held_elsewhere(application, {0, 1}, {{11, &step, 4}})[0].count, 0);
  }
}

}  // namespace
}  // namespace rooflinectl::held_elsewhere_test
