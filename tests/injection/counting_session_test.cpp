// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/counting_session.h"

#include <gmock/gmock.h>

#include <map>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "collector/cupti/profiler.h"
#include "core/error.h"

namespace rooflinectl::injection::counting_session_test {
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
  bool is_idle(bool of_all_devices) override {
    asked_of_all_devices.insert(of_all_devices);
    if (has_failed) throw Error(ErrorKind::environment, "the program's work has failed");
    return is_done();
  }
  void trace(bool on) override { calls.push_back(on ? "trace" : "no trace"); }
  void deliver_trace() override {}
  void begin_pass(Pass pass, std::size_t /*ranges*/, bool only_within_ranges) override {
    if (in_use) throw cupti::CountersInUse(Error(ErrorKind::environment, "another program counts"));
    if (impossible.contains(pass)) throw Error(ErrorKind::environment, "not permitted", "ask");
    calls.push_back("begin " + std::string(to_string(pass)));
    if (!is_done()) calls.push_back("not idle!");
    in_pass = true;
    is_one_by_one = only_within_ranges;
    instruments = pass == Pass::operations && !is_one_by_one;
    room_left = is_one_by_one ? 1 : room_of_a_pass;
    now += 0.25;
    busy_until = now;
  }
  std::vector<CountedRange> end_pass() override {
    calls.push_back("end");
    if (!is_done() || is_open) calls.push_back("not idle!");
    in_pass = instruments = false;
    return std::exchange(counted, {});
  }
  void abandon_pass() override {
    in_pass = is_open = instruments = false;
    calls.push_back("abandon");
  }
  bool has_room() override { return room_left > 0; }
  std::vector<CountedRange> make_room() override {
    calls.push_back("make room");
    if (!is_done() || is_open || !in_pass) calls.push_back("make room out of order!");
    room_left = is_one_by_one ? 1 : room_of_a_pass;
    now += is_one_by_one ? 1e-3 : 0.04;
    return std::exchange(counted, {});
  }
  void open_range(std::uint64_t range) override {
    if (!is_done() || is_open || !in_pass) calls.push_back("open out of order!");
    is_open = true;
    --room_left;
    if (is_one_by_one) switch_instrumentation(true);
    counted.push_back({range,
                       {{std::string(counter::kDramReadBytes), CounterValue::measured(64)},
                        {std::string(counter::kWarpInstructionsSass), CounterValue::measured(instrumented)},
                        {std::string(counter::kTensorPipeInstructions), CounterValue::measured(tensor)},
                        {std::string(counter::kTensorPipeHfma2), CounterValue::measured(0)}}});
    if (!is_one_by_one && calls.back() != "begin operations" && by_hardware > 0)
      counted.back().counters.emplace(counter::kWarpInstructions,
                                      CounterValue::measured(by_hardware += more_each_time));
  }
  void close_range() override {
    if (while_closing) while_closing();
    if (fails) throw Error(ErrorKind::environment, "CUPTI failed");
    if (!is_done() || !is_open) calls.push_back("close out of order!");
    is_open = false;
    if (is_one_by_one) switch_instrumentation(false);
  }
  void begin_timeline() override {
    if (wants_timeline) calls.push_back(in_pass ? "sample in a pass!" : "sample");
    samples = wants_timeline && can_be_sampled;
  }
  bool is_sampled() override { return samples; }
  bool begin_lines() override {
    if (!has_lines) return false;
    if (lines_fail) throw Error(ErrorKind::environment, "no room", "free some");
    const bool is_traced = std::ranges::find(calls, "no trace") == calls.end();
    calls.push_back(in_pass || samples || !is_traced || !is_done() ? "lines out of order!" : "lines");
    return true;
  }
  SourceLines end_lines() override {
    calls.push_back(is_done() ? "end of lines" : "end of lines, not idle!");
    if (lines_end_badly) throw Error(ErrorKind::environment, "CUPTI failed");
    if (are_kernels_unknown) return {.kernels = {}, .are_unknown = true};
    return {.kernels = {{.device = 0, .symbol = "add", .sampled = {.samples = 9, .lines = {}}}}};
  }
  void abandon_lines() override { calls.emplace_back("abandon lines"); }
  double now_s() override { return now; }
  void pause() override { now += 1e-4; }

  bool is_done() const { return now >= busy_until; }
  /// A kernel of that many seconds.
  void launch(double duration_s) {
    busy_until = std::max(busy_until, now) + duration_s;
    if (instruments) ++instrumented_launches;
  }
  void switch_instrumentation(bool on) {
    instruments = on;
    now += switch_s;
    busy_until = now;
    held_to_switch_s += switch_s;
  }

  double now = 100;
  double busy_until = 0;
  double instrumented = 100;  // instructions of each launch
  double more_each_time = 0;
  double by_hardware = 0;  // of each launch in other passes; 0: not counted
  double tensor = 0;       // those in the tensor pipe
  int room_of_a_pass = 1000;
  int room_left = 0;
  bool in_pass = false;
  bool is_one_by_one = false;
  bool instruments = false;
  int instrumented_launches = 0;
  double switch_s = 0.02;
  double held_to_switch_s = 0;
  bool is_open = false;
  bool in_use = false;  // the counters, by another process
  bool fails = false;
  bool has_failed = false;
  bool has_lines = false;
  bool lines_fail = false;
  bool lines_end_badly = false;
  bool are_kernels_unknown = false;
  bool wants_timeline = false;
  bool can_be_sampled = true;
  bool samples = false;
  std::function<void()> while_closing;
  std::set<Pass> impossible;
  std::set<bool> asked_of_all_devices;  // whether it was asked for all of them, or for this one
  std::vector<CountedRange> counted;
  std::vector<std::string> calls;
};

/// How long a kernel takes that waits for the program, and how long where the program is not held up.
constexpr double kForEver = 1e9;
constexpr double kUntilReleasedS = 1e-4;

/// How often a group is counted by default.
const std::map<std::string, int> kThreeInEachPass = {
    {"memory", 3}, {"operations", 3}, {"tensor", 3}, {"pipes", 3}, {"stalls", 3}};

class CountingSessionTest : public testing::Test {
 protected:
  /// One launch of the group; returns whether it was counted.
  bool launch(GroupId group, double duration_s = 1e-5) {
    const bool is_counted = session.before_launch(group, true);
    gpu.launch(duration_s);
    session.after_launch(group, is_counted, false);
    if (!is_counted || duration_s != kForEver)
      session.traced(group, duration_s == kForEver ? kUntilReleasedS : duration_s, is_counted);
    return is_counted;
  }

  /// A group whose id in the records is its id in the session.
  GroupId add_group(const LaunchSampling::Wish& wish = {}) { return add_group_to(session, wish); }
  GroupId add_group_to(CountingSession& to, const LaunchSampling::Wish& wish = {}) {
    return to.add_group({.record = next_group++, .wish = wish});
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

  /// How long the passes of that name lasted, apart from the first.
  double later_s(const std::string& pass) const {
    double sum_s = 0;
    bool is_first = true;
    const auto begun = records_of<record::PassBegun>();
    for (std::size_t i = 0; i < begun.size(); ++i) {
      if (begun[i].pass != pass || std::exchange(is_first, false)) continue;
      const double end_s = i + 1 < begun.size() ? static_cast<double>(begun[i + 1].at_ns) * 1e-9 : gpu.now;
      sum_s += end_s - static_cast<double>(begun[i].at_ns) * 1e-9;
    }
    return sum_s;
  }

  FakeGpu gpu;
  std::vector<ProfileRecord> records;
  std::uint64_t next_group = 0;
  DeviceTurn device;
  CountingSession session{gpu,    0,
                          device, [this](const ProfileRecord& record) { records.push_back(record); },
                          3,      {kPasses.begin(), kPasses.end()},
                          {}};
};

TEST_F(CountingSessionTest, CountsEachGroupInEachPassAndThenTracesAlone) {
  const GroupId one = add_group();
  const GroupId other = add_group();
  steps(200, {one, other});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
  for (const GroupId group : {one, other}) {
    EXPECT_EQ(counted_of(group), kThreeInEachPass);
  }
  EXPECT_THAT(gpu.calls,
              ElementsAre("trace", "begin memory", "end", "no trace", "begin operations", "end", "trace",
                          "begin tensor", "end", "begin stalls", "end", "begin pipes", "end"));
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

TEST_F(CountingSessionTest, OnlyTracesWithoutPasses) {
  const auto sink = [this](const ProfileRecord& record) { records.push_back(record); };
  CountingSession tracing(gpu, 0, device, sink, 3, {}, {});
  const GroupId group = add_group_to(tracing);
  for (int launch = 0; launch < 200; ++launch) {
    EXPECT_FALSE(tracing.before_launch(group, true));
    gpu.launch(1e-5);
    tracing.after_launch(group, false, false);
    tracing.traced(group, 1e-5, false);
    gpu.now += 0.016;
  }
  EXPECT_THAT(gpu.calls, ElementsAre("trace"));
  EXPECT_THAT(passes(), IsEmpty());
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

TEST_F(CountingSessionTest, IsThroughAllPassesAfterAFewRoundsOfAShortProgram) {
  launch(add_group(), 1e-3);  // once, at the start: it holds no pass open
  const GroupId one = add_group();
  const GroupId other = add_group();
  for (int round = 0; round < 24; ++round) {
    for (const GroupId group : {one, other}) launch(group, 0.012);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 1e-3;
  }
  session.finish();
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes"));
  for (const GroupId group : {one, other}) {
    auto counted = counted_of(group);
    EXPECT_GE(counted["pipes"], 1) << "the last, of which the program may have too few launches";
    counted.erase("pipes");
    EXPECT_EQ(counted,
              (std::map<std::string, int>{{"memory", 3}, {"operations", 3}, {"tensor", 3}, {"stalls", 3}}));
  }
}

TEST_F(CountingSessionTest, APassWaitsForWhatTakesMuchOfASteps) {
  const GroupId often = add_group();
  std::optional<GroupId> seldom;
  const auto step = [&] {
    for (int i = 0; i < 50; ++i) launch(often, 1.5e-3);
    if (!seldom) seldom = add_group();
    launch(*seldom, 1e-2);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  };
  for (int i = 0; i < 3; ++i) step();
  EXPECT_THAT(passes(), ElementsAre("memory")) << "its third launch is not counted";
  for (int i = 0; i < 12; ++i) step();
  EXPECT_THAT(passes(), Contains("operations"));
  EXPECT_EQ(counted_of(*seldom)["memory"], 3);
}

TEST_F(CountingSessionTest, LaunchesAGraphByNodesOnceInEachPassIfItIsLaunchedSeldom) {
  const GroupId kernel = add_group({.is_in_graph = true});
  std::map<std::string, int> by_nodes;
  for (int round = 0; round < 24; ++round) {
    if (session.before_graph({kernel}, ByNodes::for_first_samples)) {
      launch(kernel, 0.012);
      session.after_nodes();
      ++by_nodes[passes().back()];
    } else {
      gpu.launch(0.012);
      session.after_other_work();
      session.traced(kernel, 0.012, false);
    }
    gpu.now = std::max(gpu.now, gpu.busy_until) + 1e-3;
  }
  EXPECT_EQ(by_nodes, (std::map<std::string, int>{
                          {"memory", 1}, {"operations", 1}, {"tensor", 1}, {"pipes", 1}, {"stalls", 1}}));
  EXPECT_EQ(passes().back(), "");
}

TEST_F(CountingSessionTest, CountsAllNodesOfAGraphInThePassInWhichTheyAreLaunched) {
  constexpr int kNodes = 12;
  const GroupId kernel = add_group({.is_in_graph = true});
  const GroupId other = add_group({.is_in_graph = true});
  std::vector<GroupId> nodes(kNodes, kernel);
  nodes.insert(nodes.begin(), other);
  const GroupId plain = add_group();
  for (int round = 0; round < 40; ++round) {
    if (session.before_graph(nodes, ByNodes::for_first_samples)) {
      for (const GroupId node : nodes) {
        launch(node, 0.002);
        launch(plain, 1e-4);  // by another thread
      }
      session.after_nodes();
    } else {
      gpu.launch(0.026);
      session.after_other_work();
      for (const GroupId node : nodes) session.traced(node, 0.002, false);
    }
    gpu.now = std::max(gpu.now, gpu.busy_until) + 1e-3;
  }
  session.finish();
  EXPECT_EQ(counted_of(kernel), (std::map<std::string, int>{{"memory", kNodes},
                                                            {"operations", kNodes},
                                                            {"tensor", kNodes},
                                                            {"pipes", kNodes},
                                                            {"stalls", kNodes}}));
  EXPECT_EQ(counted_of(other),
            (std::map<std::string, int>{
                {"memory", 1}, {"operations", 1}, {"tensor", 1}, {"pipes", 1}, {"stalls", 1}}));
}

TEST_F(CountingSessionTest, CountsTensorOperationsWhereTensorInstructionsRan) {
  const GroupId product = add_group();
  gpu.tensor = 1e6;
  steps(200, {product});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "tensor_bf16", "tensor_f16",
                                    "tensor_tf32", "tensor_i8", "tensor_f64", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, CountsNoTensorOperationsThatTheCodeTells) {
  const GroupId product = session.add_group(
      {.record = next_group++, .wish = {}, .tensor = DecodedTensor{{counter::kTensorBf16Ops}, 4096}});
  gpu.tensor = 1e6;
  steps(200, {product});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, WaitsForItsOwnDeviceAloneUnlessThereAreCollectives) {
  const GroupId group = add_group();
  steps(200, {group});
  session.finish();
  EXPECT_THAT(gpu.asked_of_all_devices, ElementsAre(false));
  gpu.asked_of_all_devices.clear();
  session.launches_collectives();
  const GroupId other = add_group();
  steps(400, {other});
  session.finish();
  EXPECT_FALSE(counted_of(other).empty());
  EXPECT_THAT(gpu.asked_of_all_devices, ElementsAre(true));
}

TEST_F(CountingSessionTest, GoesOnAfterACollectiveThatWaitedForAnotherRank) {
  const GroupId group = add_group();
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

/// A program whose ranks wait for each other.
class BesideCollectives : public CountingSessionTest {
 protected:
  BesideCollectives() {
    while (groups.size() < 50) groups.push_back(add_group());
  }
  /// Leaves those groups of which no launch was instrumented.
  void begin_operations() {
    while (passes().empty() || passes().back() != "operations") {
      std::rotate(groups.begin(), groups.begin() + 1, groups.end());
      launch(groups.back());
      gpu.now += 1e-3;
    }
    groups.pop_back();
  }
  std::vector<std::string> causes() const {
    std::vector<std::string> causes;
    for (const auto& problem : records_of<record::Problem>()) causes.push_back(problem.cause);
    return causes;
  }
  /// How long a launch is, after work that does not end by itself.
  double held_by_endless_work() {
    launch(groups[0]);
    gpu.busy_until = kForEver;
    const double before = gpu.now;
    launch(groups[1]);
    return gpu.now - before;
  }

  const LaunchSampling::Wish collective = {.kernel = 7, .may_be_instrumented_alone = false};
  std::vector<GroupId> groups;
};

TEST_F(BesideCollectives, InstrumentsOnlyCountedLaunchesWhenAPassIsOneByOne) {
  session.launches_collectives();
  begin_operations();
  const GroupId last = groups.back();
  groups.pop_back();
  for (const GroupId group : groups) {
    for (const bool is_first : {true, false, false}) {
      const int before = gpu.instrumented_launches;
      EXPECT_EQ(launch(group), is_first) << "each takes long";
      EXPECT_EQ(gpu.instrumented_launches - before, is_first ? 1 : 0);
      EXPECT_FALSE(gpu.instruments);
    }
  }
  groups.push_back(last);
  steps(300, groups);
  for (const GroupId group : groups) {
    EXPECT_EQ(counted_of(group),
              (std::map<std::string, int>{
                  {"memory", 3}, {"operations", 1}, {"tensor", 3}, {"pipes", 3}, {"stalls", 3}}));
  }
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("!"))));
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(BesideCollectives, EndsThePassWhenInstrumentingHasTakenLong) {
  constexpr double kLimitS = 4;
  session.launches_collectives();
  gpu.switch_s = 0.1;
  begin_operations();
  steps(1, groups);
  EXPECT_LE(gpu.held_to_switch_s, kLimitS);
  EXPECT_GT(gpu.held_to_switch_s, 0.9 * kLimitS);
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor"));
  EXPECT_THAT(causes(), ElementsAre("operations could not be counted: beside collectives, launches are "
                                    "instrumented for at most 4 s"));
  steps(500, groups);
  EXPECT_THAT(passes(), Contains("operations").Times(1));
}

TEST_F(BesideCollectives, EndsThePassWhenInstrumentingOnAnotherDeviceHasTakenLong) {
  FakeGpu other_gpu;
  DeviceTurn other_device;
  other_device.collectives = device.collectives;  // as of one process
  CountingSession other(other_gpu, 1, other_device, [](const ProfileRecord&) {}, 3, {Pass::operations}, {});
  other.launches_collectives();
  other_gpu.switch_s = 1.98;
  const GroupId group = other.add_group({.record = 0, .wish = {.is_known_to_end = true}});
  ASSERT_TRUE(other.before_launch(group, true));
  other.after_launch(group, true, false);

  session.launches_collectives();
  begin_operations();
  steps(1, groups);
  EXPECT_EQ(gpu.instrumented_launches, 1);
}

TEST_F(BesideCollectives, WaitsLongForOtherProcesses) {
  session.launches_collectives();
  EXPECT_GE(held_by_endless_work(), 1);
}

TEST_F(BesideCollectives, WaitsNoLongerForDevicesOfItsOwnThanWithoutCollectives) {
  device.collectives->devices = 1;  // another one
  session.launches_collectives();
  EXPECT_LE(held_by_endless_work(), 0.1);
}

TEST_F(BesideCollectives, CountsAgainAfterACollectiveWaitedForADeviceOfItsOwn) {
  device.collectives->devices = 1;
  session.launches_collectives();
  launch(add_group(collective), kForEver);
  gpu.busy_until = gpu.now;
  for (int i = 0; i < 3000; ++i) {
    gpu.launch(2e-3);  // of which the program does not wait for the end
    launch(groups[0]);
    gpu.now += 2e-3;
  }
  EXPECT_GT(counted_of(groups[0])["memory"], 0);
}

TEST_F(BesideCollectives, CountsSlowlyWhenEarlierWorkIsWaitedFor) {
  session.launches_collectives();
  begin_operations();
  const double begin = gpu.now;
  double held_s = 0;
  for (int step = 0; step < 4; ++step) {
    for (const GroupId group : groups) {
      gpu.launch(0.3);  // what is waited for
      const double before = gpu.now;
      launch(group);
      held_s += gpu.now - before;
      gpu.now = std::max(gpu.now, gpu.busy_until);
    }
  }
  session.finish();
  EXPECT_LT(held_s - gpu.held_to_switch_s, 2 + 0.2 * (gpu.now - begin) + 1);
  EXPECT_GT(held_s, 4 + 1) << "waits are no instrumentation";
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(BesideCollectives, EndsThePassWhenAnInstrumentedLaunchIsLate) {
  session.launches_collectives();
  begin_operations();
  ASSERT_TRUE(launch(groups.front(), kForEver));
  EXPECT_TRUE(gpu.instruments) << "CUPTI would wait for it";
  EXPECT_FALSE(launch(groups.back()));
  gpu.busy_until = gpu.now;
  const int before = gpu.instrumented_launches;
  steps(1, groups);
  EXPECT_EQ(gpu.instrumented_launches, before);
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor"));
  EXPECT_THAT(causes(), ElementsAre("operations could not be counted: beside collectives, an instrumented "
                                    "launch was not done in time"));
  steps(500, groups);
  EXPECT_THAT(passes(), Contains("operations").Times(1));
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("!"))));
}

TEST_F(BesideCollectives, EndsThePassWhenOtherWorkCameBesideAnInstrumentedLaunch) {
  session.launches_collectives();
  begin_operations();
  ASSERT_TRUE(session.before_launch(groups.front(), true));
  std::thread([&] {
    session.before_other_work();  // waits, but not for long
    session.after_other_work();
  }).join();
  session.after_launch(groups.front(), true, false);
  steps(1, groups);
  EXPECT_EQ(passes().back(), "tensor");
  EXPECT_THAT(causes(), SizeIs(1));
}

TEST_F(BesideCollectives, LetsAThreadWaitWhenTheProfilerIsStopped) {
  session.launches_collectives();
  begin_operations();
  std::thread thread;
  gpu.while_closing = [&] {
    if (thread.joinable()) return;
    thread = std::thread([&] {
      session.before_other_work();
      session.after_other_work();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(150));  // longer than a launch may take
  };
  EXPECT_TRUE(launch(groups[0]));
  thread.join();
  gpu.while_closing = nullptr;
  EXPECT_TRUE(launch(groups[1]));
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(BesideCollectives, CountsNothingMoreWhenCuptiFails) {
  session.launches_collectives();
  begin_operations();
  gpu.fails = true;
  steps(20, groups);
  EXPECT_FALSE(gpu.instruments);
  EXPECT_THAT(gpu.calls, Contains("abandon").Times(1));
  EXPECT_THAT(causes(), ElementsAre("operations could not be counted: CUPTI failed"));
}

TEST_F(BesideCollectives, InstrumentsNeitherGraphsNorCollectivesWhenAPassIsOneByOne) {
  session.launches_collectives();
  const GroupId node = add_group({.kernel = 1, .is_in_graph = true, .may_be_instrumented_alone = false});
  const GroupId all_reduce = add_group(collective);
  std::set<std::string> by_nodes;
  for (int step = 0; step < 200; ++step) {
    steps(1, groups);
    launch(all_reduce);
    if (session.before_graph({node}, ByNodes::for_any_sample)) {
      by_nodes.insert(passes().back());
      launch(node);
      session.after_nodes();
    } else {
      gpu.launch(1e-5);
      session.after_other_work();
      session.traced(node, 1e-5, false);
    }
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  session.finish();
  EXPECT_EQ(gpu.instrumented_launches, static_cast<int>(groups.size()));
  for (const GroupId other : {node, all_reduce}) {
    EXPECT_EQ(counted_of(other)["operations"], 0);
    EXPECT_EQ(counted_of(other)["pipes"], 3);
  }
  EXPECT_THAT(by_nodes, Not(Contains("operations")));
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(BesideCollectives, GoesOnOneByOneWhenCollectivesBeginWithinThePass) {
  begin_operations();
  EXPECT_TRUE(gpu.instruments);
  session.launches_collectives();
  const GroupId all_reduce = add_group(collective);
  const int before = gpu.instrumented_launches;
  EXPECT_FALSE(launch(all_reduce));
  EXPECT_FALSE(gpu.instruments);
  EXPECT_EQ(gpu.instrumented_launches, before) << "the pass ended before";
  steps(150, groups);
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "operations", "tensor", "stalls", "pipes", ""));
  for (const GroupId group : groups) EXPECT_EQ(counted_of(group)["operations"], 1);
  EXPECT_THAT(causes(), IsEmpty());
}

TEST_F(BesideCollectives, CountsNothingWhenAPassThatInstrumentsEverythingCannotEndYet) {
  begin_operations();
  session.launches_collectives();
  gpu.busy_until = gpu.now + 1.05;
  EXPECT_FALSE(launch(groups[0])) << "the device is busy";
  gpu.now = gpu.busy_until;
  EXPECT_FALSE(launch(groups[1]));
  EXPECT_TRUE(gpu.instruments);
  gpu.now += 0.1;
  EXPECT_TRUE(launch(groups[2]));
  EXPECT_TRUE(gpu.is_one_by_one);
}

TEST_F(CountingSessionTest, CountsOnlyWhatItIsAskedFor) {
  const GroupId unwanted = add_group({.is_counted = false});
  const GroupId wanted = add_group();
  for (int step = 0; step < 100; ++step) {
    launch(unwanted);
    EXPECT_EQ(session.before_launch(wanted, false), false) << "the launch may not be counted";
    session.after_launch(wanted, false, false);
    gpu.now += 0.016;
  }
  session.finish();
  EXPECT_THAT(counted_of(unwanted), IsEmpty());
  EXPECT_THAT(counted_of(wanted), IsEmpty());
}

TEST_F(CountingSessionTest, BeginsWithAnotherPassWhereTheKernelsAreKnownToEnd) {
  CountingSession second(gpu, 0, device, [this](const ProfileRecord& record) { records.push_back(record); },
                         1, {Pass::operations}, {});
  const GroupId group = add_group_to(second, {.is_counted = true, .is_known_to_end = true});
  EXPECT_TRUE(second.before_launch(group, true));
  second.after_launch(group, true, false);
  second.finish();
  EXPECT_EQ(counted_of(group), (std::map<std::string, int>{{"operations", 1}}));
}

TEST_F(CountingSessionTest, RecordsWhichLaunchWasCounted) {
  const GroupId group = add_group();
  steps(20, {group});
  session.finish();
  std::vector<std::uint64_t> ordinals;
  for (const auto& launch : records_of<record::Counted>()) {
    if (launch.pass == "memory") ordinals.push_back(launch.ordinal);
  }
  EXPECT_THAT(ordinals, ElementsAre(1, 2, 4));
}

TEST_F(CountingSessionTest, GoesBackForGroupsThatMatterAndStillCome) {
  const GroupId training = add_group();
  steps(400, {training});
  ASSERT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
  const GroupId evaluation = add_group();
  steps(400, {evaluation});
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", "", "memory",
                                    "operations", "tensor", "stalls", "pipes", ""));
  EXPECT_EQ(counted_of(evaluation), kThreeInEachPass);
}

TEST_F(CountingSessionTest, CountsTheProgramsWorkSoonAfterItsStart) {
  const GroupId start = add_group();
  for (int step = 0; step < 100; ++step) {
    launch(start, 0.002);
    gpu.now += 0.004;
  }
  ASSERT_THAT(passes(), Contains(""));
  const GroupId work = add_group();
  for (int round = 0; round < 24; ++round) {
    launch(work, 0.025);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  session.finish();
  EXPECT_EQ(counted_of(work)["memory"], 3);
  EXPECT_EQ(counted_of(work)["operations"], 3);
}

TEST_F(CountingSessionTest, StaysAtRestWhereNewGroupsAreTooSmallOrCameOnce) {
  const GroupId training = add_group();
  for (int step = 0; step < 1000; ++step) {
    launch(training, 0.01);
    gpu.now += 0.016;
  }
  const GroupId rare = add_group();
  launch(rare, 1e-6);
  for (int step = 0; step < 1000; ++step) {
    launch(training, 0.01);
    gpu.now += 0.016;
  }
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, CountsNothingMoreOnceTheDeviceIsSampled) {
  gpu.wants_timeline = true;
  const GroupId known = add_group();
  steps(200, {known});
  EXPECT_THAT(gpu.calls, Contains("sample").Times(1));
  const GroupId matters = add_group();
  for (int i = 0; i < 1000; ++i) {
    launch(matters, 0.01);
    gpu.now += 0.02;
  }
  EXPECT_THAT(counted_of(matters), IsEmpty());
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("!"))));
}

TEST_F(CountingSessionTest, GoesOnCountingWhereTheDeviceCannotBeSampled) {
  gpu.wants_timeline = true;
  gpu.can_be_sampled = false;
  steps(200, {add_group()});
  const GroupId matters = add_group();
  for (int i = 0; i < 1000; ++i) {
    launch(matters, 0.01);
    gpu.now += 0.02;
  }
  EXPECT_THAT(counted_of(matters), testing::Not(IsEmpty()));
}

TEST_F(CountingSessionTest, SamplesWhereNothingCanBeCounted) {
  gpu.wants_timeline = true;
  gpu.impossible = {kPasses.begin(), kPasses.end()};
  steps(20, {add_group()});
  EXPECT_THAT(gpu.calls, Contains("sample").Times(1));
}

TEST_F(CountingSessionTest, TheProgramGoesOnWhereAKernelWaitsForALaterLaunch) {
  const GroupId waiting = add_group({.kernel = 1});
  const GroupId releasing = add_group({.kernel = 2});
  const double start = gpu.now;
  for (int repeat = 0; repeat < 100; ++repeat) {
    launch(waiting, kForEver);
    ASSERT_LT(gpu.now - start, 0.65 * 3 + 100 * 0.016 + 3 * 0.05 + 0.02) << "held for too long";
    const bool is_counted = session.before_launch(releasing, true);
    gpu.busy_until = gpu.now + 1e-5;  // the flag is set, and both end
    session.after_launch(releasing, is_counted, false);
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
TEST_F(CountingSessionTest, KernelsBehindOneThatWaitsForTheHostAreNotHeldForIt) {
  constexpr std::uint64_t kDelay = 1;
  const double start = gpu.now;
  for (int candidate = 0; candidate < 100; ++candidate) {
    const GroupId delay = add_group({.kernel = kDelay});
    const GroupId product = add_group({.kernel = 2});
    for (int repeat = 0; repeat < 3; ++repeat) {
      launch(delay, kForEver);
      EXPECT_FALSE(session.before_launch(product, true));
      session.after_launch(product, false, false);
      gpu.busy_until = gpu.now + 1e-5;
      gpu.now += 1e-3;
    }
  }
  EXPECT_LT(gpu.now - start, 0.65 + 0.3 + 3 * 0.05 + 0.05);
  EXPECT_THAT(records_of<record::Problem>(), SizeIs(1));
}

TEST_F(CountingSessionTest, IsNotHeldByADeviceThatIsNeverIdle) {
  const GroupId group = add_group();
  gpu.busy_until = kForEver;  // a persistent kernel that the host feeds
  gpu.in_pass = true;
  const double start = gpu.now;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    EXPECT_FALSE(session.before_launch(group, true));
    session.after_launch(group, false, false);
  }
  EXPECT_LT(gpu.now - start, 4) << "1000 launches were held for 20 ms each";
}

TEST_F(CountingSessionTest, WaitsLongerForKernelsThatAreKnownToTakeLonger) {
  const GroupId slow = add_group();
  for (int repeat = 0; repeat < 100; ++repeat) {
    launch(slow, 0.2);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  session.finish();
  EXPECT_GE(counted_of(slow)["memory"], 1);
}

TEST_F(CountingSessionTest, ALateRangeCountsIfNothingElseCameIntoIt) {
  const GroupId slow = add_group();
  const GroupId next = add_group();
  ASSERT_TRUE(session.before_launch(slow, true));
  gpu.launch(0.2);
  const double begin = gpu.now;
  session.after_launch(slow, true, false);
  EXPECT_LT(gpu.now - begin, 0.06) << "the program goes on";
  gpu.now = gpu.busy_until;  // it waits for its kernel
  session.traced(slow, 0.2, true);
  launch(next);
  session.finish();
  EXPECT_EQ(counted_of(slow), (std::map<std::string, int>{{"memory", 1}}));
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("!"))));
}

TEST_F(CountingSessionTest, ALateRangeCountsAtTheEndOfTheProgram) {
  const GroupId slow = add_group();
  launch(slow, 0.2);  // which the trace has, too
  gpu.now = gpu.busy_until;
  session.finish();
  EXPECT_EQ(counted_of(slow), (std::map<std::string, int>{{"memory", 1}}));
}

// What it executed while it waited is no property of the kernel.
// Threads of the program may go on launching when it ends.
TEST_F(CountingSessionTest, ALateRangeStaysOpenAtTheEndOfTheProgramUntilItsLaunchIsDone) {
  const GroupId group = add_group();
  EXPECT_TRUE(launch(group));
  EXPECT_TRUE(launch(group, kForEver));
  session.finish();
  EXPECT_TRUE(gpu.is_open && gpu.in_pass);
  EXPECT_EQ(device.late, &session);
  EXPECT_FALSE(launch(group)) << "it waits for the one before it, which is not done";
  EXPECT_TRUE(gpu.is_open && gpu.in_pass);
  gpu.busy_until = gpu.now;
  session.finish();
  EXPECT_FALSE(gpu.is_open || gpu.in_pass);
  EXPECT_EQ(device.late, nullptr);
  EXPECT_THAT(gpu.calls, ElementsAre("trace", "begin memory", "end")) << "in their order";
  EXPECT_EQ(counted_of(group), (std::map<std::string, int>{{"memory", 1}}))
      << "other work came into the range";
}

TEST_F(CountingSessionTest, ALateRangeOfAKernelThatWaitsForTheProgramDoesNotCount) {
  const GroupId fed = add_group();
  for (int repeat = 0; repeat < 100; ++repeat) {
    const bool is_counted = session.before_launch(fed, true);
    gpu.launch(kForEver);
    session.after_launch(fed, is_counted, false);
    gpu.busy_until = gpu.now + 1e-4;  // the host sets a flag
    session.traced(fed, is_counted ? 0.0501 : 1e-4, is_counted);
    gpu.now += 1e-3;
  }
  session.finish();
  EXPECT_THAT(counted_of(fed), IsEmpty());
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, testing::StartsWith(record::kLeftAlone));
}

TEST_F(CountingSessionTest, ACopyBeforeALateRangeIsDoneMakesItVoid) {
  const GroupId slow = add_group();
  launch(slow, 0.2);
  session.before_other_work();
  session.after_other_work();
  gpu.now = gpu.busy_until;
  session.finish();
  EXPECT_THAT(counted_of(slow), IsEmpty());
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].group, slow);
  EXPECT_THAT(problems[0].cause, testing::StartsWith(record::kHeldTooShort));
}

TEST_F(CountingSessionTest, WaitsForAKernelThatTookLongInAnEarlierRun) {
  const GroupId once = session.add_group({.record = 0, .wish = {}, .known_s = 3});
  const GroupId other = session.add_group({.record = 1, .wish = {}});
  launch(once, 3.5);
  launch(other);
  session.finish();
  EXPECT_EQ(counted_of(once), (std::map<std::string, int>{{"memory", 1}}));
}

// The trace shows that it took much longer than it was held, so it did not wait for the program.
TEST_F(CountingSessionTest, AFewLaunchesShowHowLongAKernelTakes) {
  const GroupId slow = add_group();
  const GroupId fast = add_group();
  for (int repeat = 0; repeat < 5; ++repeat) {
    launch(slow, 0.1);
    for (int i = 0; i < 100; ++i) {
      launch(fast, 1e-5);
      gpu.now += 1e-3;
    }
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  session.finish();
  EXPECT_GE(counted_of(slow)["memory"], 1);
}

TEST_F(CountingSessionTest, FailedLaunchesAreNoSamples) {
  const GroupId group = add_group();
  for (int step = 0; step < 200; ++step) {
    const bool is_counted = session.before_launch(group, true);
    const bool has_failed = step % 2 == 0;
    if (!has_failed) gpu.launch(1e-5);
    session.after_launch(group, is_counted, has_failed);
    gpu.now += 0.016;
  }
  session.finish();
  std::vector<std::uint64_t> ordinals;
  for (const auto& counted : records_of<record::Counted>()) {
    if (counted.pass == "memory") ordinals.push_back(counted.ordinal);
  }
  EXPECT_THAT(ordinals, SizeIs(3));
  EXPECT_EQ(ordinals.front(), 1u) << "failed ones have no number";
}

TEST_F(CountingSessionTest, AProgramOfEverNewKernelsIsCountedSlowly) {
  gpu.room_of_a_pass = 128;
  const double begin = gpu.now;
  double held_s = 0;
  for (int i = 0; i < 20'000; ++i) {
    const double before = gpu.now;
    launch(add_group(), 1e-3);  // each is waited for
    held_s += gpu.now - before;
    gpu.now = std::max(gpu.now, gpu.busy_until) + 1e-3;
  }
  EXPECT_LT(held_s, 2 + 3 + 0.2 * (gpu.now - begin) + 2);
  EXPECT_GT(held_s, 0.15 * (gpu.now - begin));
}

TEST_F(CountingSessionTest, TheCountersServeOneContextOfADeviceAtATime) {
  CountingSession second(gpu, 0, device, [this](const ProfileRecord& record) { records.push_back(record); },
                         3, {Pass::memory}, {});
  const GroupId one = add_group();
  const GroupId other = add_group_to(second);
  for (int step = 0; step < 400; ++step) {
    launch(one);
    const bool is_counted = second.before_launch(other, true);
    EXPECT_TRUE(!is_counted || gpu.calls.back() == "begin memory");
    gpu.launch(1e-5);
    second.after_launch(other, is_counted, false);
    gpu.now += 0.016;
  }
  second.finish();
  EXPECT_EQ(counted_of(one), kThreeInEachPass);
  EXPECT_EQ(counted_of(other + 1), (std::map<std::string, int>{{"memory", 3}})) << "its id in records";
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

TEST_F(CountingSessionTest, WhenCuptiFailsWithinAPassTheTraceGoesOn) {
  const GroupId group = add_group();
  launch(group);
  gpu.fails = true;
  steps(100, {group});
  EXPECT_THAT(gpu.calls, Contains("abandon").Times(1));
  EXPECT_FALSE(gpu.is_open);
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, HasSubstr("memory could not be counted: CUPTI failed"));
}

TEST_F(CountingSessionTest, LetsGoOfTheCountersWhenAKernelHasFailed) {
  const GroupId group = add_group();
  launch(group);
  const bool is_counted = session.before_launch(group, true);
  ASSERT_TRUE(is_counted);
  gpu.has_failed = true;
  session.after_launch(group, is_counted, false);
  EXPECT_THAT(gpu.calls, Contains("abandon").Times(1)) << "while its launch is held";
  EXPECT_FALSE(session.before_launch(group, true));
  session.after_launch(group, false, true);
  session.finish();
  EXPECT_THAT(gpu.calls, Contains("abandon").Times(1));
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, HasSubstr("memory could not be counted: the program's work has failed"));
}

TEST_F(CountingSessionTest, LetsGoOfTheCountersAtTheEndWhenAKernelHasFailed) {
  const GroupId group = add_group();
  launch(group);
  gpu.has_failed = true;
  session.finish();
  EXPECT_THAT(gpu.calls, Contains("abandon").Times(1));
  EXPECT_THAT(gpu.calls, Not(Contains("end")));
}

TEST_F(CountingSessionTest, CountsMoreOfAGroupWhoseLaunchesDiffer) {
  const GroupId varying = add_group();
  const GroupId steady = add_group();
  for (int step = 0; step < 300; ++step) {
    launch(varying, step % 3 == 0 ? 1e-3 : 1e-4);
    launch(steady, 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  session.finish();
  EXPECT_EQ(counted_of(varying)["memory"], 32);
  EXPECT_GE(counted_of(varying)["operations"], 8);
  EXPECT_EQ(counted_of(steady)["memory"], 3);
}

TEST_F(CountingSessionTest, CountsEachLaunchOfALongStepWhereTheyDiffer) {
  constexpr int kLaunches = 48;
  const GroupId varying = add_group();
  for (int step = 0; step < 100; ++step) {
    for (int i = 0; i < kLaunches; ++i) launch(varying, i == 0 ? 1e-3 : i % 3 == 0 ? 2e-4 : 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  session.finish();
  for (const std::string pass : {"memory", "operations", "tensor"}) {
    std::set<std::uint64_t> places;
    for (const auto& launch : records_of<record::Counted>()) {
      if (launch.pass == pass) places.insert(launch.ordinal % kLaunches);
    }
    EXPECT_EQ(places.size(), kLaunches) << pass;
  }
}

TEST_F(CountingSessionTest, CountsEachPlaceOfAPeriodOnceWhenLaunchesTakeSimilarTimes) {
  constexpr int kLaunches = 6;
  gpu.by_hardware = 1000;
  gpu.more_each_time = 200;
  const GroupId group = add_group();
  for (int step = 0; step < 400; ++step) {
    for (int i = 0; i < kLaunches; ++i) launch(group, i == 0 ? 1.3e-4 : 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  session.finish();
  for (const std::string pass : {"memory", "operations", "tensor"}) {
    std::set<std::uint64_t> places;
    for (const auto& launch : records_of<record::Counted>()) {
      if (launch.pass == pass) places.insert(launch.ordinal % kLaunches);
    }
    EXPECT_EQ(places.size(), kLaunches) << pass;
    EXPECT_LT(counted_of(group)[pass], 2 * kLaunches) << pass;
  }
}

TEST_F(CountingSessionTest, StaysAtRestWhereLaunchesBeginToDifferLater) {
  const GroupId group = add_group();
  steps(200, {group});
  for (int step = 0; step < 500; ++step) {
    launch(group, step % 3 == 0 ? 1e-3 : 1e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, WaitsForWhatTheProgramGaveTheDeviceAheadOfTime) {
  const GroupId group = add_group();
  for (int repeat = 0; repeat < 2000; ++repeat) {
    launch(group, 1e-3);  // and never waits for any: the device lags further and further behind
    gpu.now += 1e-5;
  }
  session.finish();
  EXPECT_EQ(counted_of(group)["memory"], 3);
}

TEST_F(CountingSessionTest, AProgramOfSlowStepsIsCountedInEachPass) {
  const GroupId group = add_group();
  steps(60, {group}, 10);
  EXPECT_EQ(counted_of(group), kThreeInEachPass);
}

TEST_F(CountingSessionTest, MoreLaunchesAreCountedOfAGroupThatDidSomethingElseInAnotherPass) {
  gpu.by_hardware = 2 * gpu.instrumented + 1000;
  const GroupId group = add_group();
  steps(1000, {group});
  EXPECT_EQ(counted_of(group)["memory"], LaunchSampling::kVaryingSamples);
  EXPECT_GE(counted_of(group)["operations"], 8);
}

TEST_F(CountingSessionTest, FewLaunchesOfAGroupOfWhichOnlyTheFirstDifferedAreCountedInLaterPasses) {
  const GroupId group = add_group();
  const GroupId rest = add_group();
  gpu.instrumented = 1e5;
  gpu.by_hardware = 3e5;
  for (int trial = 0; trial < 60; ++trial) {
    launch(group, trial % 3 == 0 ? 1e-3 : 1e-4);
    launch(add_group(), 1e-5);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  gpu.by_hardware = 1.03e5;
  gpu.more_each_time = 50;  // it waits in a loop
  for (int step = 0; step < 1000; ++step) {
    for (const GroupId each : {group, rest}) launch(each, 1e-3);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  EXPECT_EQ(counted_of(group)["memory"], LaunchSampling::kVaryingSamples + LaunchSampling::kEnoughToSettle);
  EXPECT_EQ(counted_of(group)["operations"], 3);
  for (const std::string pass : {"tensor", "pipes", "stalls"})
    EXPECT_EQ(counted_of(group)[pass], LaunchSampling::kEnoughThatVary) << pass;
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, CountsAGroupOfWhichOnlyTheFirstLaunchDidSomethingElseUntilThatIsSeen) {
  const GroupId group = add_group();
  gpu.instrumented = 1e5;
  gpu.by_hardware = 3e5;
  launch(group);
  gpu.by_hardware = 1e5;
  gpu.more_each_time = 50;
  for (int step = 0; step < 1000; ++step) {
    launch(group, 1e-3);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  EXPECT_EQ(counted_of(group),
            (std::map<std::string, int>{
                {"memory", 9}, {"operations", 3}, {"tensor", 3}, {"pipes", 3}, {"stalls", 3}}));
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, GoesThroughAllPassesOfAProgramWithFewLongSteps) {
  std::vector<GroupId> groups;
  for (int i = 0; i < 10; ++i) groups.push_back(add_group());
  gpu.instrumented = gpu.by_hardware = 1e5;
  gpu.more_each_time = 1e4;  // each launch does something else
  for (int step = 0; step < 24; ++step) {
    for (const GroupId group : groups) {
      launch(group, 0.02);
      gpu.now = std::max(gpu.now, gpu.busy_until);
    }
  }
  session.finish();
  for (const std::string pass : {"memory", "operations", "tensor", "stalls", "pipes"})
    EXPECT_GE(counted_of(groups.back())[pass], 2) << pass;
}

TEST_F(CountingSessionTest, GoesThroughAllPassesInALongTextThatGrowsWordByWord) {
  std::uint64_t kernel = 0;
  std::vector<GroupId> beginning;
  std::vector<GroupId> of_words;
  for (int i = 0; i < 5; ++i) beginning.push_back(add_group({.kernel = ++kernel}));
  for (int layer = 0; layer < 16; ++layer) {
    for (const GroupId group : beginning) launch(group, 5e-5);
  }
  for (int i = 0; i < 5; ++i) of_words.push_back(add_group({.kernel = ++kernel}));
  const auto word = [&] {
    const GroupId longer = add_group({.kernel = kernel});
    for (int layer = 0; layer < 16; ++layer) {
      for (const GroupId group : of_words) launch(group, 1e-5);
      if (layer < 8) launch(longer, 1e-5);
    }
    gpu.now += 0.03;
  };
  for (int i = 0; i < 60; ++i) word();
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
  for (const std::string pass : {"memory", "operations", "tensor", "stalls", "pipes"}) {
    for (const GroupId group : of_words) EXPECT_GE(counted_of(group)[pass], 3) << pass;
  }
}

TEST_F(CountingSessionTest, EndsAPassOfALaterRoundOnceLittleIsMissing) {
  std::uint64_t kernel = 0;
  const GroupId group = add_group({.kernel = ++kernel});
  const auto steps_of = [&](int count, const std::function<void()>& others) {
    for (int step = 0; step < count; ++step) {
      launch(group, 2e-4);
      others();
      gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
    }
  };
  steps_of(200, [] {});
  const GroupId later = add_group({.kernel = ++kernel});
  steps_of(400, [&] {
    launch(later, 1e-4);
    launch(add_group({.kernel = ++kernel}), 1e-6);  // there is always something new
  });
  EXPECT_EQ(counted_of(later), kThreeInEachPass);
}

TEST_F(CountingSessionTest, CountsSmallGroupsOfALaterRoundAsOftenAsThoseOfTheFirst) {
  std::uint64_t kernel = 0;
  const GroupId group = add_group({.kernel = ++kernel});
  steps(200, {group});
  const GroupId small = add_group({.kernel = ++kernel});
  const GroupId varying = add_group({.kernel = ++kernel});
  std::minstd_rand random;
  for (int step = 0; step < 3000; ++step) {
    launch(group, 2e-4);
    launch(small, 5e-6);
    launch(varying, random() % 2 == 0 ? 2e-6 : 1.2e-5);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.016;
  }
  for (const std::string pass : {"memory", "operations", "tensor", "stalls", "pipes"}) {
    EXPECT_EQ(counted_of(small)[pass], 3) << pass;
    EXPECT_GE(counted_of(varying)[pass], LaunchSampling::kEnoughThatVary) << pass;
  }
}

TEST_F(CountingSessionTest, PassesOfLaterRoundsDoNotWaitForShapesThatNeverComeAgain) {
  std::uint64_t kernel = 0;
  std::vector<GroupId> of_words;
  for (int i = 0; i < 5; ++i) of_words.push_back(add_group({.kernel = ++kernel}));
  for (int word = 0; word < 2000; ++word) {
    const GroupId longer = add_group({.kernel = kernel});
    for (int layer = 0; layer < 16; ++layer) {
      for (const GroupId group : of_words) launch(group, 1e-5);
      if (layer < 8) launch(longer, 1e-5);
    }
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.03;
  }
  EXPECT_GT(later_s("memory"), 1);
  EXPECT_LT(later_s("memory"), 15) << "of a minute";
}

TEST_F(CountingSessionTest, ShapesThatComeOnceDoNotHideThatTheProgramRepeatsItsSteps) {
  std::uint64_t kernel = 0;
  std::vector<GroupId> of_words;
  for (int i = 0; i < 40; ++i) of_words.push_back(add_group({.kernel = ++kernel}));
  for (int word = 0; word < 300; ++word) {
    for (const GroupId group : of_words) launch(group, 5e-5);
    launch(add_group({.kernel = kernel}), 1e-5);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.01;
  }
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(CountingSessionTest, CountsAChosenKernelHoweverLittleOfTheTimeItTakes) {
  std::uint64_t kernel = 0;
  const GroupId other = add_group({.kernel = ++kernel, .is_counted = false});
  std::optional<GroupId> chosen;
  for (int step = 0; step < 500; ++step) {
    for (int i = 0; i < 50; ++i) launch(other, 1e-3);
    if (!chosen) chosen = add_group({.kernel = ++kernel});
    launch(*chosen, 2.5e-4);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  EXPECT_EQ(counted_of(*chosen), kThreeInEachPass);
}

TEST_F(CountingSessionTest, ALaterRoundWaitsForWhatComesOnceInALongStep) {
  std::uint64_t kernel = 0;
  std::vector<GroupId> of_layers;
  for (int i = 0; i < 5; ++i) of_layers.push_back(add_group({.kernel = ++kernel}));
  std::optional<GroupId> update;
  for (int step = 0; step < 16; ++step) {
    for (int layer = 0; layer < 100; ++layer) {
      for (const GroupId group : of_layers) launch(group, 1.7e-3);
      gpu.now = std::max(gpu.now, gpu.busy_until);
    }
    if (!update) update = add_group({.kernel = ++kernel});
    for (int i = 0; i < 20; ++i) launch(*update, 7.5e-3);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  }
  EXPECT_EQ(counted_of(*update), kThreeInEachPass);
}

TEST_F(CountingSessionTest, ALaterRoundWaitsOnceForWhatHasStoppedComing) {
  const GroupId group = add_group({.kernel = 1});
  const auto step = [&] {
    launch(group, 1e-3);
    gpu.now = std::max(gpu.now, gpu.busy_until) + 0.01;
  };
  while (passes().empty() || !passes().back().empty()) step();
  const GroupId other = add_group({.kernel = 2, .is_known_to_end = true});
  for (int i = 0; i < 30; ++i) {  // while the session rests
    launch(other, 5e-4);
    step();
  }
  for (int i = 0; i < 2000; ++i) step();
  EXPECT_GT(later_s("memory"), 0.5);
  EXPECT_LT(later_s("memory"), 2);
  EXPECT_LT(later_s("operations"), 0.5) << "the pass before has shown that it does not come";
}

TEST_F(CountingSessionTest, ALaterRoundOfLongKernelsWaitsByTheClock) {
  const GroupId group = add_group({.kernel = 1});
  const auto step = [&] {
    launch(group, 0.3);
    gpu.now = std::max(gpu.now, gpu.busy_until);
  };
  while (passes().empty() || !passes().back().empty()) step();
  const GroupId other = add_group({.kernel = 2});
  for (int i = 0; i < 5; ++i) launch(other, 0.1);  // while the session rests
  for (int i = 0; i < 200; ++i) step();
  EXPECT_GT(later_s("memory"), 0.5);
  EXPECT_LT(later_s("memory"), 6) << "20 of these launches take 6 s";
}

TEST_F(CountingSessionTest, MoreInstrumentedInstructionsAreOtherWorkUnlessTheHardwareSawLaunchesWait) {
  const GroupId steady = add_group();
  gpu.by_hardware = 1e5;
  gpu.instrumented = 1.2e5;
  steps(1000, {steady});
  EXPECT_EQ(counted_of(steady)["memory"], LaunchSampling::kVaryingSamples);
}

TEST_F(CountingSessionTest, LaunchesThatWaitMayExecuteMoreWhenTheyAreInstrumented) {
  const GroupId waiting = add_group();
  gpu.by_hardware = 1e5;
  gpu.more_each_time = 2 * record::kOwnInstructions;
  gpu.instrumented = 1.2e5;
  steps(1000, {waiting});
  EXPECT_EQ(counted_of(waiting)["memory"], 3);
}

TEST_F(CountingSessionTest, OneLaunchOfAGroupThatDoesTheSameIsInstrumented) {
  gpu.by_hardware = gpu.instrumented;
  const GroupId group = add_group();
  steps(500, {group});
  EXPECT_EQ(counted_of(group),
            (std::map<std::string, int>{
                {"memory", 3}, {"operations", 1}, {"tensor", 3}, {"pipes", 3}, {"stalls", 3}}));
}

TEST_F(CountingSessionTest, LaunchesOfAGroupThatVariesByFewInstructionsAreInstrumentedAsOftenAsCounted) {
  gpu.instrumented = gpu.by_hardware = 1e6;
  gpu.more_each_time = 300;
  const GroupId group = add_group();
  steps(500, {group});
  EXPECT_EQ(counted_of(group)["operations"], 3);
}

TEST_F(CountingSessionTest, APauseOfTheProgramDoesNotProlongAPass) {
  const GroupId once = add_group();
  launch(once);
  gpu.now += 10;  // it compiles something
  const GroupId often = add_group();
  steps(100, {often});
  EXPECT_THAT(passes(), testing::Contains("operations"));
}

TEST_F(CountingSessionTest, MakesRoomWithinAPass) {
  gpu.room_of_a_pass = 2;
  std::vector<GroupId> groups;
  for (int i = 0; i < 5; ++i) groups.push_back(add_group());
  steps(200, groups, 0.1);
  for (const GroupId group : groups) EXPECT_EQ(counted_of(group)["memory"], 3);
  EXPECT_THAT(passes(), ElementsAre("memory", "operations", "tensor", "stalls", "pipes", ""));
  EXPECT_THAT(gpu.calls, testing::Contains("make room"));
}

TEST_F(CountingSessionTest, MakesRoomWithinTheNodesOfAGraph) {
  gpu.room_of_a_pass = 2;
  std::vector<GroupId> kernels;
  for (int i = 0; i < 5; ++i) kernels.push_back(add_group({.is_in_graph = true}));
  ASSERT_TRUE(session.before_graph(kernels, ByNodes::for_first_samples));
  for (const GroupId kernel : kernels) launch(kernel);
  session.after_nodes();
  session.finish();
  for (const GroupId kernel : kernels) EXPECT_EQ(counted_of(kernel)["memory"], 1);
}

TEST_F(CountingSessionTest, WithoutCountersItTracesAndTellsWhy) {
  gpu.impossible = {kPasses.begin(), kPasses.end()};
  const GroupId group = add_group();
  steps(500, {group});
  EXPECT_THAT(gpu.calls, ElementsAre("trace"));
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].cause, "memory could not be counted: not permitted");
  EXPECT_EQ(problems[0].hint, "ask");
}

TEST_F(CountingSessionTest, WaitsForCountersThatAnotherProcessUses) {
  gpu.in_use = true;
  const GroupId group = add_group();
  steps(50, {group});
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
  gpu.in_use = false;
  steps(400, {group});
  session.finish();
  EXPECT_EQ(counted_of(group), kThreeInEachPass);
  EXPECT_THAT(records_of<record::Problem>(), IsEmpty());
}

// It may give up: the counters are free when such a kernel is running already.
TEST_F(CountingSessionTest, HoldsTheProgramForASecondAtMostWhereAKernelWaitsForIt) {
  gpu.in_use = true;
  const GroupId sets_flag = add_group();
  steps(50, {sets_flag});
  gpu.in_use = false;
  double longest_s = 0;
  for (int round = 0; round < 300; ++round) {
    gpu.busy_until = kForEver;
    const double before_s = gpu.now;
    launch(sets_flag);
    longest_s = std::max(longest_s, gpu.now - before_s);
    gpu.now += 0.016;
  }
  EXPECT_GT(longest_s, 0.5) << "it waited";
  EXPECT_LT(longest_s, 1.1);
}

TEST_F(CountingSessionTest, CountersThatAnotherProcessUsesToTheEndAreNamed) {
  gpu.in_use = true;
  const GroupId group = add_group();
  steps(1000, {group});
  EXPECT_THAT(passes(), Each(""));
  session.finish();
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].cause, "memory could not be counted: another program counts");
}

TEST_F(CountingSessionTest, APassThatIsImpossibleIsLeftOut) {
  gpu.impossible = {Pass::operations};
  gpu.tensor = 1;
  const GroupId group = add_group();
  steps(300, {group});
  EXPECT_THAT(passes(), ElementsAre("memory", "tensor", "tensor_bf16", "tensor_f16", "tensor_tf32",
                                    "tensor_i8", "tensor_f64", "stalls", "pipes", ""));
  EXPECT_THAT(records_of<record::Problem>(), SizeIs(1));
}

TEST_F(CountingSessionTest, AShortProgramKeepsWhatWasCounted) {
  const GroupId once = add_group();
  launch(once);
  gpu.now += 0.1;
  session.finish();
  EXPECT_EQ(counted_of(once), (std::map<std::string, int>{{"memory", 1}}));
  EXPECT_EQ(gpu.calls.back(), "end");
}

TEST_F(CountingSessionTest, ALaunchOfAnotherThreadWaitsUntilTheCountedOneIsMade) {
  // On a busy machine a thread may take long to begin.
  CountingSession patient(gpu, 0, device, [this](const ProfileRecord& record) { records.push_back(record); },
                          3, {Pass::memory}, {.after_launch_s = 60});
  const GroupId counted = add_group_to(patient);
  const GroupId other = add_group_to(patient);
  ASSERT_TRUE(patient.before_launch(counted, true));
  std::thread thread([&] {
    const bool is_counted = patient.before_launch(other, true);
    patient.after_launch(other, is_counted, false);
  });
  gpu.launch(1e-5);
  patient.after_launch(counted, true, false);
  thread.join();
  patient.finish();
  EXPECT_EQ(counted_of(counted)["memory"], 1);
}

TEST_F(CountingSessionTest, SamplesLinesAfterTheFirstPass) {
  gpu.has_lines = gpu.wants_timeline = true;
  const GroupId group = add_group();
  steps(250, {group});
  EXPECT_THAT(gpu.calls, ElementsAre("trace", "begin memory", "end", "lines", "end of lines", "no trace",
                                     "begin operations", "end", "trace", "begin tensor", "end",
                                     "begin stalls", "end", "begin pipes", "end", "sample"));
  EXPECT_THAT(passes(), ElementsAre("memory", "", "operations", "tensor", "stalls", "pipes", ""));
  const auto begun = records_of<record::PassBegun>();
  EXPECT_NEAR(static_cast<double>(begun[2].at_ns - begun[1].at_ns) * 1e-9, 0.75, 0.1)
      << "with the beginning of a pass";
  EXPECT_THAT(records_of<record::SampledKernel>(), SizeIs(1));
}

class SamplingLines : public CountingSessionTest {
 protected:
  SamplingLines() {
    gpu.has_lines = true;
    while (gpu.calls.empty() || gpu.calls.back() != "lines") steps(1, {group});
  }
  std::vector<std::string> causes() const {
    std::vector<std::string> causes;
    for (const auto& problem : records_of<record::Problem>()) causes.push_back(problem.cause);
    return causes;
  }

  const GroupId group = add_group();
};

TEST_F(SamplingLines, EndsWhenTheProgramEnds) {
  session.finish();
  EXPECT_EQ(gpu.calls.back(), "end of lines");
  EXPECT_THAT(records_of<record::SampledKernel>(), SizeIs(1));
}

TEST_F(SamplingLines, CountsNothingMeanwhile) {
  const GroupId later = add_group();
  CountingSession other(gpu, 0, device, [](const ProfileRecord&) {}, 3, {kPasses.begin(), kPasses.end()}, {});
  const GroupId of_other = other.add_group({});
  for (int launch = 0; launch < 10; ++launch) {
    EXPECT_FALSE(session.before_launch(later, true));
    session.after_launch(later, false, false);
    EXPECT_FALSE(other.before_launch(of_other, true));
    other.after_launch(of_other, false, false);
  }
}

TEST_F(SamplingLines, GoesOnWithThePassesWhenCuptiFails) {
  gpu.lines_end_badly = true;
  steps(250, {group});
  EXPECT_THAT(causes(), ElementsAre("source lines could not be sampled: CUPTI failed"));
  EXPECT_THAT(passes(), ElementsAre("memory", "", "operations", "tensor", "stalls", "pipes", ""));
}

TEST_F(SamplingLines, SaysSoWhenCuptiKnowsNothingThatRan) {
  gpu.are_kernels_unknown = true;
  steps(250, {group});
  EXPECT_THAT(causes(),
              ElementsAre("source lines could not be sampled: CUPTI does not know the kernels that ran"));
}

TEST_F(SamplingLines, WaitsUntilTheDeviceIsIdle) {
  gpu.busy_until = gpu.now + 3;
  while (gpu.now < gpu.busy_until - 0.1) {
    session.before_launch(group, true);
    session.after_launch(group, false, false);
    gpu.now += 0.016;
  }
  EXPECT_EQ(gpu.calls.back(), "lines");
  gpu.now = gpu.busy_until;
  steps(20, {group});
  EXPECT_THAT(gpu.calls, Contains("end of lines"));
}

TEST_F(SamplingLines, IsAbandonedWhenTheProgramsWorkHasFailed) {
  gpu.has_failed = true;
  gpu.now += 1;
  for (int launch = 0; launch < 100; ++launch) {
    session.before_launch(group, true);
    session.after_launch(group, false, false);
    gpu.now += 0.016;
  }
  EXPECT_THAT(gpu.calls, Contains("abandon lines").Times(1));
  EXPECT_EQ(device.counting, nullptr);
  EXPECT_THAT(causes(), Contains("source lines could not be sampled: the program's work has failed"));
}

TEST_F(SamplingLines, IsAbandonedWhenTheDeviceIsNeverIdle) {
  gpu.busy_until = kForEver;
  session.finish();
  EXPECT_EQ(gpu.calls.back(), "abandon lines");
  EXPECT_EQ(device.counting, nullptr);
  EXPECT_THAT(
      causes(),
      ElementsAre("source lines could not be sampled: the GPU was still busy when the program ended"));
}

TEST_F(CountingSessionTest, SaysWhyWhenLinesCannotBeSampled) {
  gpu.has_lines = gpu.lines_fail = gpu.wants_timeline = true;
  steps(300, {add_group()});
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_EQ(problems[0].cause, "source lines could not be sampled: no room");
  EXPECT_EQ(gpu.calls.back(), "sample");
}

TEST_F(CountingSessionTest, NoLaunchBeginsWhileAVoidRangeIsClosed) {
  const GroupId slow = add_group();
  const GroupId other = add_group();
  launch(slow, 0.2);
  session.before_other_work();  // makes the range void
  session.after_other_work();
  gpu.now = gpu.busy_until;
  std::atomic<bool> is_about_to_begin = false;
  std::atomic<bool> has_begun = false;
  std::thread thread;
  gpu.while_closing = [&] {
    if (thread.joinable()) return;
    thread = std::thread([&] {
      is_about_to_begin = true;
      session.before_other_work();
      has_begun = true;
      session.after_other_work();
    });
    while (!is_about_to_begin) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(has_begun) << "CUPTI would wait for it";
  };
  launch(other);
  ASSERT_TRUE(thread.joinable());
  thread.join();
  EXPECT_TRUE(has_begun);
  EXPECT_THAT(gpu.calls, Not(Contains(HasSubstr("out of order"))));
}

TEST_F(CountingSessionTest, ACountedLaunchThatWaitsForAnotherThreadsIsVoid) {
  const GroupId counted = add_group();
  const GroupId other = add_group();
  ASSERT_TRUE(session.before_launch(counted, true));
  std::thread([&] {
    EXPECT_FALSE(session.before_launch(other, true));
    session.after_launch(other, false, false);
  }).join();  // would be for ever without a limit
  session.after_launch(counted, true, false);
  session.finish();
  EXPECT_THAT(counted_of(counted), IsEmpty());
}

}  // namespace
}  // namespace rooflinectl::injection::counting_session_test
