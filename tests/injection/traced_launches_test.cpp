// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/traced_launches.h"

#include <gmock/gmock.h>
#include <malloc.h>

#include <vector>

#include "tests/injection/fake_driver.h"

namespace rooflinectl::injection::traced_launches_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class TracedLaunchesTest : public testing::Test {
 protected:
  void launch(std::uint32_t correlation, std::uint64_t group = 0) {
    launches.announce({.correlation = correlation, .group = {.session = &session, .record = group}});
  }
  void deliver(std::uint32_t correlation) {
    launches.add(
        activities::Kernel{.correlation = correlation, .start_ns = 100, .end_ns = 300, .symbol = "add"});
  }

  std::vector<ProfileRecord> records;
  const TracedLaunches::Sink sink = [this](const ProfileRecord& record) { records.push_back(record); };
  FakeDevice device;
  FakeGpu gpu{device};
  DeviceTurn turn;
  CountingSession session{gpu, 0, turn, sink, 3, {}, {}};
  Kernels kernels{sink};
  TracedLaunches launches{kernels, sink};
};

TEST_F(TracedLaunchesTest, RecordsWhatIsDelivered) {
  launch(1);
  launch(2);
  deliver(2);
  deliver(1);
  launches.write();
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_THAT(std::get<record::Launches>(records[0]).launches, SizeIs(2));
  launches.report_undelivered();
  EXPECT_THAT(records, SizeIs(1));
}

TEST_F(TracedLaunchesTest, NamesWhatWasNotDelivered) {
  launch(1, 7);
  launches.report_undelivered();
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[0], ProfileRecord(record::Untraced{.group = 7, .launches = 1}));
  EXPECT_THAT(std::get<record::Problem>(records[1]).cause, HasSubstr("did not deliver 1 launches"));
}

TEST_F(TracedLaunchesTest, KernelsOfAGraphThatAreTooManyAreLeftOut) {
  Kernels few(sink, 1);
  TracedLaunches graphs(few, sink);
  graphs.announce({.correlation = 1, .group = {.session = &session, .record = 7}, .is_graph = true});
  for (const char* symbol : {"add", "multiply", "add"})
    graphs.add(activities::Kernel{.correlation = 1, .start_ns = 100, .end_ns = 300, .symbol = symbol});
  graphs.write();
  const auto& inside = std::get<record::GraphKernels>(records.back()).kernels;
  ASSERT_THAT(inside, SizeIs(1));
  EXPECT_EQ(inside[0].launches, 2u);
}

TEST_F(TracedLaunchesTest, AwaitsNoLaunchThatFailed) {
  launch(1);
  launch(2);
  launch(3);
  launches.retract(2);
  deliver(3);
  launches.retract(1);  // after it was taken for awaited
  launches.write();
  records.clear();
  launches.report_undelivered();
  EXPECT_THAT(records, SizeIs(0));
}

// As long as another profiler has the trace.
TEST_F(TracedLaunchesTest, AwaitsABoundedNumberOfLaunches) {
  constexpr std::uint32_t kLaunches = 2'000'000;
  const std::size_t before = mallinfo2().uordblks;
  for (std::uint32_t i = 1; i <= kLaunches; ++i) launch(i);
  EXPECT_LT(mallinfo2().uordblks - before, std::size_t{64} << 20);
  launches.report_undelivered();
  EXPECT_EQ(records[0], ProfileRecord(record::Untraced{.group = 0, .launches = kLaunches}));
}

TEST_F(TracedLaunchesTest, ALaunchThatTakesLongIsAwaitedWhileManyOthersEnd) {
  launch(1);
  for (std::uint32_t i = 2; i <= 1'000'000; ++i) {
    launch(i);
    deliver(i);
    if (i % 10'000 == 0) launches.write();
  }
  deliver(1);
  launches.write();
  records.clear();
  launches.report_undelivered();
  EXPECT_THAT(records, SizeIs(0));
}

}  // namespace
}  // namespace rooflinectl::injection::traced_launches_test
