// SPDX-License-Identifier: Apache-2.0
// What follows from the times of collectives and the bandwidths of links.
#include <gtest/gtest.h>

#include "analysis/devices/devices_together.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::links_test {
namespace {

constexpr double kGiga = 1e9;

TEST(BusBandwidth, IsWhatADeviceMustSendOrReceive) {
  const CollectiveTime time = {.bytes = 8 * kGiga, .time_s = 1};
  EXPECT_DOUBLE_EQ(algorithm_bytes_per_s(time), 8 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::all_reduce, time, 2), 8 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::all_reduce, time, 4), 12 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::all_gather, time, 4), 6 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::reduce_scatter, time, 4), 6 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::broadcast, time, 4), 8 * kGiga);
  EXPECT_DOUBLE_EQ(bus_bytes_per_s(Collective::send_receive, time, 4), 8 * kGiga);
}

TEST(BusBandwidth, IsThatOfTheBytesThatAllDevicesSend) {
  const double bytes = 8 * kGiga;
  for (const Collective collective : {Collective::all_reduce, Collective::all_gather,
                                      Collective::reduce_scatter, Collective::send_receive}) {
    EXPECT_DOUBLE_EQ(bytes_to_send(collective, bytes, 4) / 4,
                     bus_bytes_per_s(collective, {.bytes = bytes, .time_s = 1}, 4));
  }
  // Only the first device has something to broadcast, and all others need it.
  EXPECT_DOUBLE_EQ(bytes_to_send(Collective::broadcast, bytes, 4), 3 * bytes);
}

TEST(BusBandwidth, IsHighestAtOneSize) {
  CollectiveTimes times = {
      .collective = Collective::broadcast,
      .sizes = {{.bytes = 8, .time_s = 8}, {.bytes = 64, .time_s = 16}, {.bytes = 128, .time_s = 64}}};
  EXPECT_EQ(fastest(times, 2), &times.sizes[1]);
  times.sizes.clear();
  EXPECT_EQ(fastest(times, 2), nullptr);
}

TEST(InterpolatedTime, IsBetweenTheMeasuredSizes) {
  const CollectiveTimes times = {.collective = Collective::broadcast,
                                 .sizes = {{.bytes = 8, .time_s = 4}, {.bytes = 108, .time_s = 24}}};
  EXPECT_DOUBLE_EQ(interpolated_time_s(times, 4).value(), 4);
  EXPECT_DOUBLE_EQ(interpolated_time_s(times, 8).value(), 4);
  EXPECT_DOUBLE_EQ(interpolated_time_s(times, 33).value(), 9);
  EXPECT_DOUBLE_EQ(interpolated_time_s(times, 108).value(), 24);
  EXPECT_DOUBLE_EQ(interpolated_time_s(times, 216).value(), 48) << "the bandwidth of the largest";
  EXPECT_FALSE(interpolated_time_s({}, 8));
}

TEST(SentRatio, ComparesWithTheLargestSize) {
  CollectiveTimes times = {.collective = Collective::all_reduce,
                           .sizes = {{.bytes = 8, .time_s = 1}, {.bytes = 1000, .time_s = 1}},
                           .sent_bytes = CounterValue::measured(6060)};
  EXPECT_DOUBLE_EQ(sent_ratio(times, 4).value(), 1.01);
  times.sent_bytes = CounterValue::unavailable("not counted");
  EXPECT_FALSE(sent_ratio(times, 4));
}

TEST(CountedRatio, IsOfWhatIsFurtherFromTheBytesThatWereMoved) {
  LinkBandwidth link = {.to = 1, .bytes_per_s = 1, .moved_bytes = 1000};
  EXPECT_FALSE(counted_ratio(link));
  link.sent_bytes = CounterValue::measured(1001);
  EXPECT_DOUBLE_EQ(counted_ratio(link).value(), 1.001);
  link.received_bytes = CounterValue::measured(500);
  EXPECT_DOUBLE_EQ(counted_ratio(link).value(), 0.5);
  link.moved_bytes = 0;
  EXPECT_FALSE(counted_ratio(link));
}

Ceiling nvlink_of(std::size_t device, double bytes_per_s) {
  Ceiling ceiling = constructed::ceiling("nvlink", CeilingKind::transfer, CeilingSource::theoretical,
                                         "nvlink", "", bytes_per_s, "18 links");
  ceiling.device = device;
  return ceiling;
}

TEST(LinkRoof, IsThatOfTheDeviceWithFewestLinksAndOfTheSlowestPair) {
  rooflinectl::Run run = constructed::empty_run();
  run.devices.resize(2, run.devices[0]);
  EXPECT_FALSE(link_roof(run).theoretical_bytes_per_s);
  EXPECT_FALSE(link_roof(run).measured_bytes_per_s);
  run.ceilings = {nvlink_of(0, 450 * kGiga)};
  EXPECT_FALSE(link_roof(run).theoretical_bytes_per_s) << "one device has none";
  run.ceilings.push_back(nvlink_of(1, 300 * kGiga));
  run.links = {{.from = 0, .to = 1, .bytes_per_s = 250 * kGiga},
               {.from = 0, .to = 1, .mover = LinkMover::load, .bytes_per_s = 270 * kGiga},
               {.from = 1, .to = 0, .bytes_per_s = 260 * kGiga},
               {.from = 0, .to = 1, .both_ways = true, .bytes_per_s = 500 * kGiga},
               {.from = 1, .to = 0, .mover = LinkMover::load, .missing = "no peer access"}};
  EXPECT_DOUBLE_EQ(link_roof(run).theoretical_bytes_per_s.value(), 300 * kGiga);
  EXPECT_DOUBLE_EQ(link_roof(run).measured_bytes_per_s.value(), 260 * kGiga);
}

TEST(TheoreticalLink, IsThatOfTheDeviceWithFewerLinks) {
  rooflinectl::Run run = constructed::empty_run();
  run.devices.resize(3, run.devices[0]);
  run.ceilings = {nvlink_of(0, 400 * kGiga), nvlink_of(1, 200 * kGiga)};
  LinkBandwidth link = {.from = 0, .to = 1, .bytes_per_s = 150 * kGiga};
  EXPECT_DOUBLE_EQ(theoretical_bytes_per_s(run, link).value(), 200 * kGiga);
  EXPECT_DOUBLE_EQ(share_of_theoretical(run, link).value(), 0.75);
  link.both_ways = true;
  EXPECT_DOUBLE_EQ(theoretical_bytes_per_s(run, link).value(), 400 * kGiga);
  EXPECT_DOUBLE_EQ(share_of_theoretical(run, link).value(), 0.375);
  link.missing = "no peer access";
  EXPECT_FALSE(share_of_theoretical(run, link));
  EXPECT_FALSE(theoretical_bytes_per_s(run, {.from = 0, .to = 2})) << "the third has none";
}

}  // namespace
}  // namespace rooflinectl::links_test
