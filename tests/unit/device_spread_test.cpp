// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/devices/devices_together.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::device_spread_test {
namespace {

/// A point with an interval of ± 0.2 %, measured on devices of one model, with these times.
rooflinectl::Run run_with(const std::vector<double>& times_s) {
  rooflinectl::Run run = constructed::run();
  run.plan.experiments.resize(1);
  run.plan.experiments[0].points.resize(1);
  const Measurement measured = run.measurements.front();
  run.measurements.clear();
  run.devices.resize(times_s.size(), run.devices.front());
  for (std::size_t device = 0; device < times_s.size(); ++device) {
    Measurement& measurement = run.measurements.emplace_back(measured);
    measurement.device = device;
    measurement.time = constructed::time(times_s[device]);
  }
  return run;
}

/// The devices that stand out at the only point.
std::vector<std::size_t> outliers_of(const rooflinectl::Run& run) {
  const Analysis analysis = analyse(run);
  const std::vector<ModelSpread> spreads = device_spread(run, analysis);
  std::vector<std::size_t> devices;
  for (const RooflinePoint* point : spreads.at(0).points.at(0).outliers)
    devices.push_back(point->measurement->device);
  return devices;
}

using Devices = std::vector<std::size_t>;

TEST(DeviceSpreadTest, NamesTheDeviceThatIsOffTheOthers) {
  EXPECT_EQ(outliers_of(run_with({1.0, 1.01, 0.99, 1.05})), Devices{3});
  EXPECT_EQ(outliers_of(run_with({1.0, 0.9, 1.01})), Devices{1});
  EXPECT_EQ(outliers_of(run_with({1.1, 1.0, 0.95, 1.0, 1.0})), (Devices{0, 2}));
}

TEST(DeviceSpreadTest, BoardsOfOneModelMayDifferALittle) {
  EXPECT_EQ(outliers_of(run_with({1.0, 1.029, 1.0})), Devices{});
  EXPECT_EQ(outliers_of(run_with({1.0, 1.031, 1.0})), Devices{1});
}

TEST(DeviceSpreadTest, OfTwoDevicesTheSlowerOneIsOdd) {
  EXPECT_EQ(outliers_of(run_with({1.0, 1.04})), Devices{1});
  EXPECT_EQ(outliers_of(run_with({1.04, 1.0})), Devices{0});
  EXPECT_EQ(outliers_of(run_with({1.0, 1.02})), Devices{});
}

TEST(DeviceSpreadTest, ATimeThatIsNotKnownBetterIsNotOdd) {
  rooflinectl::Run run = run_with({1.0, 1.0, 1.05});
  run.measurements[2].time->ci_low_s = 0.99;
  EXPECT_EQ(outliers_of(run), Devices{});
}

TEST(DeviceSpreadTest, ModelsAreNotComparedWithEachOther) {
  rooflinectl::Run run = run_with({1.0, 3.0, 1.0});
  run.devices[1].name = "another model";
  EXPECT_EQ(outliers_of(run), Devices{});
  run.devices[2].name = "a third model";
  EXPECT_TRUE(device_spread(run, analyse(run)).empty());
}

TEST(DeviceSpreadTest, HasTheSpreadAndHowOftenADeviceStandsOut) {
  const rooflinectl::Run run = run_with({1.0, 1.1, 1.02});
  const Analysis analysis = analyse(run);
  const std::vector<ModelSpread> spreads = device_spread(run, analysis);
  ASSERT_EQ(spreads.size(), 1);
  EXPECT_EQ(spreads[0].experiment, "ladder");
  EXPECT_EQ(spreads[0].model, "NVIDIA H200");
  const PointSpread& point = spreads[0].points[0];
  EXPECT_NEAR(point.relative_spread, 0.1 / 1.02, 1e-12);
  EXPECT_NEAR(point.off_usual(*point.points.front()), 1.0 / 1.02 - 1, 1e-12);
  const std::vector<OutlyingDevice> outlying = outlying_devices(spreads);
  ASSERT_EQ(outlying.size(), 1);
  EXPECT_EQ(outlying[0].device, 1);
  EXPECT_EQ(outlying[0].outliers, 1);
  EXPECT_EQ(outlying[0].points, 1);
  EXPECT_NEAR(outlying[0].worst, 1.1 / 1.02 - 1, 1e-12);
}

TEST(DeviceSpreadTest, PointsThatFailedOnADeviceAreLeftOut) {
  rooflinectl::Run run = run_with({1.0, 1.1});
  run.measurements[1].status = Status::failed;
  run.measurements[1].time.reset();
  EXPECT_TRUE(device_spread(run, analyse(run)).empty());
}

}  // namespace
}  // namespace rooflinectl::device_spread_test
