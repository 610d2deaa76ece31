// SPDX-License-Identifier: Apache-2.0
#include "collector/injection/session.h"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <thread>

#include "collector/cupti/counters_in_use.h"
#include "core/error.h"

namespace rooflinectl::injection {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A device on which launches take the time that is set, and whose clock advances only as they do.
class FakeGpu : public Gpu {
 public:
  bool is_idle() override { return now >= busy_until; }
  void trace(bool on) override { calls.push_back(on ? "trace" : "no trace"); }
  void begin_pass(Pass pass, std::size_t /*ranges*/) override {
    if (in_use) throw cupti::CountersInUse(Error(ErrorKind::environment, "another program counts"));
    if (impossible.contains(pass)) throw Error(ErrorKind::environment, "not permitted", "ask");
    calls.push_back("begin " + std::string(to_string(pass)));
    if (!is_idle()) calls.push_back("not idle!");
    in_pass = true;
    room = room_of_a_pass;
    now += 0.65;
    busy_until = now;
  }
  std::vector<CountedRange> end_pass() override {
    calls.push_back("end");
    if (!is_idle() || is_open) calls.push_back("not idle!");
    in_pass = false;
    return std::exchange(counted, {});
  }
  bool is_full() override { return room == 0; }
  void open_range(std::uint64_t range) override {
    if (!is_idle() || is_open || !in_pass) calls.push_back("open out of order!");
    is_open = true;
    --room;
    counted.push_back({range,
                       {{std::string(counter::kDramReadBytes), CounterValue::measured(64)},
                        {std::string(counter::kWarpInstructionsSass), CounterValue::measured(instrumented)},
                        {std::string(counter::kTensorPipeInstructions), CounterValue::measured(tensor)},
                        {std::string(counter::kTensorPipeHfma2), CounterValue::measured(0)}}});
  }
  void close_range() override {
    if (!is_idle() || !is_open) calls.push_back("close out of order!");
    is_open = false;
  }
  void begin_timeline() override {
    if (wants_timeline) calls.push_back(in_pass ? "sample in a pass!" : "sample");
    samples = wants_timeline && can_be_sampled;
  }
  bool is_sampled() override { return samples; }
  double now_s() override { return now; }
  void pause() override { now += 1e-4; }

  /// A kernel of that many seconds.
  void launch(double duration_s) { busy_until = std::max(busy_until, now) + duration_s; }

  double now = 100;
  double busy_until = 0;
  double instrumented = 100;  // instructions of each launch
  double tensor = 0;          // those in the tensor pipe
  int room_of_a_pass = 1000;
  int room = 0;
  bool in_pass = false;
  bool is_open = false;
  bool in_use = false;  // the counters, by another process
  bool wants_timeline = false;
  bool can_be_sampled = true;
  bool samples = false;
  std::set<Pass> impossible;
  std::vector<CountedRange> counted;
  std::vector<std::string> calls;
};

/// How long a kernel takes that waits for the program, and how long where the program is not held up.
constexpr double kForEver = 1e9;
constexpr double kUntilReleasedS = 1e-4;

class SessionTest : public testing::Test {
 protected:
  /// One launch of the group; returns whether it was counted.
  bool launch(GroupId group, double duration_s = 1e-5) {
    const bool is_counted = session.before_launch(group, true);
    gpu.launch(duration_s);
    if (is_counted) session.after_launch();
    if (!is_counted) session.traced(group, duration_s == kForEver ? kUntilReleasedS : duration_s);
    return is_counted;
  }

  /// That many steps of a program that launches each group once.
  void steps(int count, const std::vector<GroupId>& groups, double step_s = 0.016) {
    for (int step = 0; step < count; ++step) {
      for (const GroupId group : groups) launch(group);
      gpu.now = std::max(gpu.now + step_s, gpu.busy_until);
    }
  }

  template <typename Record>
  std::vector<Record> records_of() const {
    std::vector<Record> found;
    for (const ProfileRecord& record : records) {
      if (const auto* one = std::get_if<Record>(&record)) found.push_back(*one);
    }
    return found;
  }

  std::vector<std::string> passes() const {
    std::vector<std::string> names;
    for (const auto& begun : records_of<record::PassBegun>()) names.push_back(begun.pass);
    return names;
  }

  std::map<std::string, int> counted_of(GroupId group) const {
    std::map<std::string, int> counted;
    for (const auto& launch : records_of<record::Counted>()) {
      if (launch.group == group) ++counted[launch.pass];
    }
    return counted;
  }

  FakeGpu gpu;
  std::vector<ProfileRecord> records;
  Session session{gpu,
                  [this](const ProfileRecord& record) { records.push_back(record); },
                  3,
                  {kPasses.begin(), kPasses.end()},
                  {}};
};

TEST_F(SessionTest, CountsEachGroupInEachPassAndThenTracesAlone) {
  const GroupId one = session.add_group({});
  const GroupId other = session.add_group({});
  steps(200, {one, other});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", ""));
  for (const GroupId group : {one, other}) {
    EXPECT_EQ(counted_of(group),
              (std::map<std::string, int>{{"memory", 3}, {"operations", 3}, {"tensor", 3}}));
  }
  EXPECT_THAT(gpu.calls, ElementsAre("trace", "begin memory", "end", "no trace", "begin operations", "end",
                                     "trace", "begin tensor", "end"));
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

TEST_F(SessionTest, CountsTensorOperationsWhereTensorInstructionsRan) {
  const GroupId product = session.add_group({});
  gpu.tensor = 1e6;
  steps(200, {product});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "tensor_bf16", "tensor_f16",
                                    "tensor_tf32", "tensor_i8", "tensor_f64", ""));
}

TEST_F(SessionTest, CountsThePipesOfWhatIsNotInstrumented) {
  const GroupId graph = session.add_group({});
  gpu.instrumented = 0;
  steps(200, {graph});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "pipes", ""));
}

// As of a program whose ranks wait for each other.
TEST_F(SessionTest, InstrumentsNothingBesideCollectives) {
  const GroupId group = session.add_group({});
  steps(1, {group});
  session.launches_collectives();
  session.launches_collectives();
  steps(200, {group});
  EXPECT_THAT(passes(), ElementsAre("memory", "tensor", "pipes", ""));
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause,
              HasSubstr("operations could not be counted: instrumented code of collective"));
}

TEST_F(SessionTest, GoesOnAfterACollectiveThatWaitedForAnotherRank) {
  const GroupId group = session.add_group({});
  session.launches_collectives();
  EXPECT_TRUE(launch(group));
  EXPECT_TRUE(launch(group, 2.5)) << "so late comes the kernel of the other rank";
  for (int step = 0; step < 1000; ++step) {
    launch(group);
    gpu.now += 0.016;
    gpu.busy_until = std::max(gpu.busy_until, gpu.now + 0.5);  // launches are far ahead of the device
  }
  EXPECT_THAT(passes(), Contains("pipes"));
}

TEST_F(SessionTest, EndsTheOperationsPassWhereCollectivesBegin) {
  const GroupId group = session.add_group({});
  while (passes().empty() || passes().back() != "operations") steps(1, {group});
  session.launches_collectives();
  steps(1, {group});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor"));
}

TEST_F(SessionTest, CountsOnlyWhatItIsAskedFor) {
  const GroupId unwanted = session.add_group({.is_counted = false});
  const GroupId wanted = session.add_group({});
  for (int step = 0; step < 100; ++step) {
    launch(unwanted);
    EXPECT_EQ(session.before_launch(wanted, false), false) << "the launch may not be counted";
    gpu.now += 0.016;
  }
  session.finish();
  EXPECT_THAT(counted_of(unwanted), IsEmpty());
  EXPECT_THAT(counted_of(wanted), IsEmpty());
}

TEST_F(SessionTest, BeginsWithAnotherPassWhereTheKernelsAreKnownToEnd) {
  Session second(gpu, [this](const ProfileRecord& record) { records.push_back(record); }, 1,
                 {Pass::operations}, {});
  const GroupId group = second.add_group({.is_counted = true, .is_known_to_end = true});
  EXPECT_TRUE(second.before_launch(group, true));
  second.after_launch();
  second.finish();
  EXPECT_EQ(counted_of(group), (std::map<std::string, int>{{"operations", 1}}));
}

TEST_F(SessionTest, ReportsLaunchesThatTheTraceCouldNotSee) {
  const GroupId group = session.add_group({});
  steps(200, {group});
  std::uint64_t untraced = 0;
  for (const auto& record : records_of<record::Untraced>()) untraced += record.launches;
  EXPECT_GT(untraced, 3u);
  EXPECT_LT(untraced, 20u);
}

TEST_F(SessionTest, RecordsWhichLaunchWasCounted) {
  const GroupId group = session.add_group({});
  steps(20, {group});
  session.finish();
  std::vector<std::uint64_t> ordinals;
  for (const auto& launch : records_of<record::Counted>()) {
    if (launch.pass == "memory") ordinals.push_back(launch.ordinal);
  }
  EXPECT_THAT(ordinals, ElementsAre(1, 2, 4));
}

TEST_F(SessionTest, GoesBackForGroupsThatMatterAndStillCome) {
  const GroupId training = session.add_group({});
  steps(400, {training});
  ASSERT_THAT(passes(), ElementsAre("memory", "operations", "tensor", ""));
  const GroupId evaluation = session.add_group({});
  steps(400, {evaluation});
  EXPECT_THAT(passes(),
              ElementsAre("memory", "operations", "tensor", "", "memory", "operations", "tensor", ""));
  EXPECT_EQ(counted_of(evaluation),
            (std::map<std::string, int>{{"memory", 3}, {"operations", 3}, {"tensor", 3}}));
}

TEST_F(SessionTest, StaysAtRestWhereNewGroupsAreTooSmallOrCameOnce) {
  const GroupId training = session.add_group({});
  for (int step = 0; step < 1000; ++step) {
    launch(training, 0.01);
    gpu.now += 0.016;
  }
  const GroupId rare = session.add_group({});
  launch(rare, 1e-6);
  for (int step = 0; step < 1000; ++step) {
    launch(training, 0.01);
    gpu.now += 0.016;
  }
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", ""));
}

TEST_F(SessionTest, CountsNothingMoreOnceTheDeviceIsSampled) {
  gpu.wants_timeline = true;
  const GroupId known = session.add_group({});
  steps(200, {known});
  EXPECT_THAT(gpu.calls, Contains("sample").Times(1));
  const GroupId matters = session.add_group({});
  for (int i = 0; i < 1000; ++i) {
    launch(matters, 0.01);
    gpu.now += 0.02;
  }
  EXPECT_THAT(counted_of(matters), IsEmpty());
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("!"))));
}

TEST_F(SessionTest, GoesOnCountingWhereTheDeviceCannotBeSampled) {
  gpu.wants_timeline = true;
  gpu.can_be_sampled = false;
  steps(200, {session.add_group({})});
  const GroupId matters = session.add_group({});
  for (int i = 0; i < 1000; ++i) {
    launch(matters, 0.01);
    gpu.now += 0.02;
  }
  EXPECT_THAT(counted_of(matters), testing::Not(IsEmpty()));
}

TEST_F(SessionTest, SamplesWhereNothingCanBeCounted) {
  gpu.wants_timeline = true;
  gpu.impossible = {kPasses.begin(), kPasses.end()};
  steps(20, {session.add_group({})});
  EXPECT_THAT(gpu.calls, Contains("sample").Times(1));
}

TEST_F(SessionTest, TheProgramGoesOnWhereAKernelWaitsForALaterLaunch) {
  const GroupId waiting = session.add_group({.kernel = 1});
  const GroupId releasing = session.add_group({.kernel = 2});
  const double start = gpu.now;
  for (int repeat = 0; repeat < 100; ++repeat) {
    launch(waiting, kForEver);
    ASSERT_LT(gpu.now - start, 0.65 * 3 + 100 * 0.016 + 3 * 0.05 + 0.02) << "held for too long";
    const bool is_counted = session.before_launch(releasing, true);
    gpu.busy_until = gpu.now + 1e-5;  // the flag is set, and both end
    if (is_counted) session.after_launch();
    gpu.now += 0.016;
  }
  session.finish();
  EXPECT_THAT(counted_of(waiting), IsEmpty());
  EXPECT_THAT(counted_of(releasing), IsEmpty()) << "the device is never idle before it";
  EXPECT_THAT(gpu.calls, Each(testing::Not(testing::EndsWith("!"))));
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].group, waiting);
}

// As JAX measures its products: the host lets the first kernel go when the others are launched, and each
// candidate has an NVTX range of its own.
TEST_F(SessionTest, KernelsBehindOneThatWaitsForTheHostAreNotHeldForIt) {
  constexpr std::uint64_t kDelay = 1;
  const double start = gpu.now;
  for (int candidate = 0; candidate < 100; ++candidate) {
    const GroupId delay = session.add_group({.kernel = kDelay});
    const GroupId product = session.add_group({.kernel = 2});
    for (int repeat = 0; repeat < 3; ++repeat) {
      launch(delay, kForEver);
      EXPECT_FALSE(session.before_launch(product, true));
      gpu.busy_until = gpu.now + 1e-5;
      gpu.now += 1e-3;
    }
  }
  EXPECT_LT(gpu.now - start, 0.65 + 0.3 + 3 * 0.05 + 0.05);
  EXPECT_THAT(records_of<record::Problem>(), SizeIs(1));
}

TEST_F(SessionTest, IsNotHeldByADeviceThatIsNeverIdle) {
  const GroupId group = session.add_group({});
  gpu.busy_until = kForEver;  // a persistent kernel that the host feeds
  gpu.in_pass = true;
  const double start = gpu.now;
  for (int repeat = 0; repeat < 1000; ++repeat) EXPECT_FALSE(session.before_launch(group, true));
  EXPECT_LT(gpu.now - start, 4) << "1000 launches were held for 20 ms each";
}

TEST_F(SessionTest, WaitsLongerForKernelsThatAreKnownToTakeLonger) {
  const GroupId slow = session.add_group({});
  for (int repeat = 0; repeat < 100; ++repeat) {
    launch(slow, 0.2);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  session.finish();
  EXPECT_GE(counted_of(slow)["memory"], 1);
}

TEST_F(SessionTest, CountsMoreOfAGroupWhoseLaunchesDiffer) {
  const GroupId varying = session.add_group({});
  const GroupId steady = session.add_group({});
  for (int step = 0; step < 300; ++step) {
    launch(varying, step % 3 == 0 ? 1e-3 : 1e-4);
    launch(steady, 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  session.finish();
  EXPECT_EQ(counted_of(varying)["memory"], 32);
  EXPECT_EQ(counted_of(varying)["operations"], 32);
  EXPECT_EQ(counted_of(steady)["memory"], 3);
}

TEST_F(SessionTest, StaysAtRestWhereLaunchesBeginToDifferLater) {
  const GroupId group = session.add_group({});
  steps(200, {group});
  for (int step = 0; step < 500; ++step) {
    launch(group, step % 3 == 0 ? 1e-3 : 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", ""));
}

TEST_F(SessionTest, WaitsForWhatTheProgramGaveTheDeviceAheadOfTime) {
  const GroupId group = session.add_group({});
  for (int repeat = 0; repeat < 2000; ++repeat) {
    launch(group, 1e-3);  // and never waits for any: the device lags further and further behind
    gpu.now += 1e-5;
  }
  session.finish();
  EXPECT_EQ(counted_of(group)["memory"], 3);
}

TEST_F(SessionTest, AProgramOfSlowStepsIsCountedInEachPass) {
  const GroupId group = session.add_group({});
  steps(60, {group}, 10);
  EXPECT_EQ(counted_of(group), (std::map<std::string, int>{{"memory", 3}, {"operations", 3}, {"tensor", 3}}));
}

TEST_F(SessionTest, APauseOfTheProgramDoesNotProlongAPass) {
  const GroupId once = session.add_group({});
  launch(once);
  gpu.now += 10;  // it compiles something
  const GroupId often = session.add_group({});
  steps(100, {often});
  EXPECT_THAT(passes(), testing::Contains("operations"));
}

TEST_F(SessionTest, EndsAPassToMakeRoom) {
  gpu.room_of_a_pass = 2;
  std::vector<GroupId> groups;
  for (int i = 0; i < 5; ++i) groups.push_back(session.add_group({}));
  steps(200, groups, 0.1);
  for (const GroupId group : groups) EXPECT_EQ(counted_of(group)["memory"], 3);
}

TEST_F(SessionTest, WithoutCountersItTracesAndTellsWhy) {
  gpu.impossible = {kPasses.begin(), kPasses.end()};
  const GroupId group = session.add_group({});
  steps(500, {group});
  EXPECT_THAT(gpu.calls, ElementsAre("trace"));
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].cause, "memory could not be counted: not permitted");
  EXPECT_EQ(problems[0].hint, "ask");
}

TEST_F(SessionTest, WaitsForCountersThatAnotherProcessUses) {
  gpu.in_use = true;
  const GroupId group = session.add_group({});
  steps(50, {group});
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
  gpu.in_use = false;
  steps(400, {group});
  session.finish();
  EXPECT_EQ(counted_of(group), (std::map<std::string, int>{{"memory", 3}, {"operations", 3}, {"tensor", 3}}));
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

TEST_F(SessionTest, CountersThatAnotherProcessUsesToTheEndAreNamed) {
  gpu.in_use = true;
  const GroupId group = session.add_group({});
  steps(1000, {group});
  EXPECT_THAT(passes(), Each(""));
  session.finish();
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].cause, "memory could not be counted: another program counts");
}

TEST_F(SessionTest, APassThatIsImpossibleIsLeftOut) {
  gpu.impossible = {Pass::operations};
  gpu.tensor = 1;
  const GroupId group = session.add_group({});
  steps(300, {group});
  EXPECT_THAT(passes(), ElementsAre("memory", "tensor", "pipes", "tensor_bf16", "tensor_f16", "tensor_tf32",
                                    "tensor_i8", "tensor_f64", ""));
  EXPECT_THAT(records_of<record::Problem>(), SizeIs(1));
}

TEST_F(SessionTest, AShortProgramKeepsWhatWasCounted) {
  const GroupId once = session.add_group({});
  launch(once);
  gpu.now += 0.1;
  session.finish();
  EXPECT_EQ(counted_of(once), (std::map<std::string, int>{{"memory", 1}}));
  EXPECT_EQ(gpu.calls.back(), "end");
}

TEST_F(SessionTest, ALaunchOfAnotherThreadWaitsUntilTheCountedOneIsMade) {
  // On a busy machine a thread may take long to begin.
  Session patient(gpu, [this](const ProfileRecord& record) { records.push_back(record); }, 3, {Pass::memory},
                  {.after_launch_s = 60});
  const GroupId counted = patient.add_group({});
  const GroupId other = patient.add_group({});
  ASSERT_TRUE(patient.before_launch(counted, true));
  std::thread thread([&] { patient.before_launch(other, true); });
  gpu.launch(1e-5);
  patient.after_launch();
  thread.join();
  patient.finish();
  EXPECT_EQ(counted_of(counted)["memory"], 1);
}

TEST_F(SessionTest, ACountedLaunchThatWaitsForAnotherThreadsIsVoid) {
  const GroupId counted = session.add_group({});
  const GroupId other = session.add_group({});
  ASSERT_TRUE(session.before_launch(counted, true));
  std::thread([&] {
    EXPECT_FALSE(session.before_launch(other, true));
  }).join();  // would be for ever without a limit
  session.after_launch();
  session.finish();
  EXPECT_THAT(counted_of(counted), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::injection
