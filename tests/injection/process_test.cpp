// SPDX-License-Identifier: Apache-2.0
#include "injection/process.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/serial/program/program_files.h"
#include "tests/injection/fake_driver.h"
#include "tests/support/temporary_folder.h"

namespace rooflinectl::injection::process_test {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// A program that launches kernels on fake devices, with many threads, and what was recorded of it.
class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    settings.records = folder.path().string();
    begin();
  }

  void begin(std::size_t most_groups = LaunchGroups::kMostGroups) {
    process = std::make_unique<Process>(settings, most_groups);
    process->observe(driver);
  }

  Launch launch_of(Handle on, std::uint64_t kernel, std::uint32_t grid) {
    // Handles are never followed.
    const Handle function =
        reinterpret_cast<Handle>(0x1000 + kernel * 16);  // NOLINT(performance-no-int-to-ptr)
    static const std::string names[] = {"add", "multiply", "copy", "reduce", "scan", "sort", "fill", "cast"};
    return {.context = on,
            .function = function,
            .stream = &stream,
            .symbol = names[kernel % std::size(names)].c_str(),
            .correlation = ++last_correlation,
            .grid = {grid, 1, 1},
            .block = {128, 1, 1}};
  }

  /// One launch of a kernel that takes that long, as CUPTI tells of it.
  void launch(Handle on, std::uint64_t kernel, std::uint32_t grid, double duration_s = 2e-6) {
    const Launch made = launch_of(on, kernel, grid);
    process->entered(made);
    driver.device(on).launch(duration_s);
    ++launched;
    process->left(nullptr);
    if (!driver.is_traced) return;
    process->traced(activities::Kernel{.correlation = made.correlation,
                                       .start_ns = made.correlation,
                                       .end_ns = made.correlation + 100,
                                       .symbol = made.symbol});
  }

  /// What a graph of two launches of one kernel and one of another launches.
  std::shared_ptr<const GraphNodes> graph() {
    GraphNodes nodes = {.name = "CUDA graph"};
    for (const std::uint64_t kernel : {0, 1, 0}) nodes.kernels.push_back(launch_of(&context, kernel, 1));
    return std::make_shared<GraphNodes>(nodes);
  }

  void trace_kernel(const Launch& kernel, std::uint32_t correlation) {
    ++launched;
    if (!driver.is_traced) return;
    process->traced(activities::Kernel{.correlation = correlation,
                                       .start_ns = launched,
                                       .end_ns = launched + 100,
                                       .symbol = kernel.symbol,
                                       .grid = kernel.grid,
                                       .block = kernel.block});
  }

  /// Returns whether its kernels were launched one by one.
  bool launch_graph(const std::shared_ptr<const GraphNodes>& nodes, const char* error = nullptr) {
    Launch call = {
        .context = &context, .graph = &nodes, .stream = &stream, .correlation = ++last_correlation};
    const auto path = process->entered_graph(call, nodes);
    if (path) {
      std::thread([&] { launch_nodes(*nodes, *path); }).join();
      process->entered_other_work(&context);
      process->left(error);
      return true;
    }
    for (const Launch& kernel : nodes->kernels) {
      if (error != nullptr) break;
      driver.device(&context).launch(2e-6);
      trace_kernel(kernel, call.correlation);
    }
    process->left(error);
    return false;
  }

  void launch_nodes(const GraphNodes& nodes, PathId path) {
    process->begin_nodes(path);
    for (Launch kernel : nodes.kernels) {
      kernel.stream = &stream;
      kernel.correlation = ++last_correlation;
      process->entered(kernel);
      driver.device(&context).launch(2e-6);
      process->left(nullptr);
      trace_kernel(kernel, kernel.correlation);
    }
    process->end_nodes();
    process->left_graph();
  }

  void fail(Handle on, std::uint64_t kernel, std::uint32_t grid) {
    process->entered(launch_of(on, kernel, grid));
    process->left("CUDA_ERROR_INVALID_VALUE");
  }

  void in_threads(int count, const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<ProfileRecord> records() const {
    std::vector<ProfileRecord> all;
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
      std::ifstream text(file.path());
      visit_profile(text, "records", [&](const ProfileRecord& record) { all.push_back(record); });
    }
    return all;
  }

  template <typename Record>
  std::vector<Record> records_of() const {
    std::vector<Record> found;
    for (const ProfileRecord& record : records()) {
      if (const auto* one = std::get_if<Record>(&record)) found.push_back(*one);
    }
    return found;
  }

  /// Of every launch that was counted, how many launches were in its range.
  std::vector<double> launches_in_ranges() const {
    std::vector<double> launches;
    for (const auto& counted : records_of<record::Counted>())
      launches.push_back(counted.counters.at(std::string(counter::kWarpInstructions)).value().value());
    return launches;
  }

  std::uint64_t recorded_launches() const {
    std::uint64_t launches = 0;
    for (const ProfileRecord& record : records()) {
      if (const auto* traced = std::get_if<record::Launches>(&record)) launches += traced->launches.size();
      if (const auto* untraced = std::get_if<record::Untraced>(&record)) launches += untraced->launches;
    }
    return launches;
  }

  const TemporaryFolder folder;
  ProfileSettings settings;
  const int context = 0;
  const int other_context = 0;
  const int stream = 0;
  FakeDriver driver;
  std::unique_ptr<Process> process;
  std::atomic<std::uint32_t> last_correlation = 0;
  std::atomic<std::uint64_t> launched = 0;
};

// Two threads of which one ends a pass while the other launches a new group waited for each other for ever.
TEST_F(ProcessTest, ThreadsLaunchNewKernelsWhilePassesEnd) {
  in_threads(4, [&](int thread) {
    for (std::uint32_t i = 0; i < 1500; ++i) launch(&context, i % 40, 1 + i / 4 + 10'000 * thread);
  });
  process->finish();
  EXPECT_THAT(driver.device(&context).mistakes(), IsEmpty());
  EXPECT_THAT(launches_in_ranges(), testing::AllOf(SizeIs(testing::Gt(100)), Each(1)))
      << "no range has a launch of another thread";
  EXPECT_EQ(recorded_launches(), launched);
  EXPECT_THAT(records_of<record::End>(), SizeIs(1));
}

TEST_F(ProcessTest, AContextsPassesDoNotHoldThreadsOfAnotherDevice) {
  launch(&context, 0, 1, 0.5);  // which is counted: its thread waits for 50 ms
  const double begin = seconds_now();
  in_threads(1, [&](int) {
    for (std::uint32_t i = 0; i < 20; ++i) launch(&other_context, 1, 1);
  });
  EXPECT_LT(seconds_now() - begin, 0.4);
  process->finish();
}

TEST_F(ProcessTest, NamesACuptiOfTheProgram) {
  driver.cupti_of_program = "/opt/other/libcupti.so.12";
  launch(&context, 0, 1);
  process->finish();
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, testing::HasSubstr("a CUPTI of its own, /opt/other/libcupti.so.12,"));
}

TEST_F(ProcessTest, FailedLaunchesAreNamedAndInNoCount) {
  in_threads(2, [&](int thread) {
    for (std::uint32_t i = 0; i < 1000; ++i) {
      if (i % 2 == 0)
        fail(&context, 0, 1);
      else
        launch(&context, 0, 1);
      if (thread == 0) fail(&context, 1, 2);
    }
  });
  process->finish();
  std::map<std::uint64_t, std::uint64_t> failed;
  for (const auto& record : records_of<record::Failed>()) {
    EXPECT_EQ(record.error, "CUDA_ERROR_INVALID_VALUE");
    failed[record.group] += record.launches;
  }
  std::uint64_t all = 0;
  for (const auto& [group, launches] : failed) all += launches;
  EXPECT_EQ(all, 2000u);
  EXPECT_EQ(recorded_launches(), 1000u);
  EXPECT_THAT(launches_in_ranges(), Each(1)) << "an empty range is no sample";
  for (const auto& problem : records_of<record::Problem>())
    EXPECT_THAT(problem.cause, testing::Not(HasSubstr("deliver")));
}

TEST_F(ProcessTest, CopiesOfOtherThreadsAreInNoRange) {
  launch(&context, 0, 1);  // copies before the first launch of a context are not followed
  std::atomic<bool> is_over = false;
  std::thread copying([&] {
    while (!is_over) {
      process->entered_other_work(&context);
      driver.device(&context).launch(1e-6);
      process->left(nullptr);
    }
  });
  for (std::uint32_t i = 0; i < 3000; ++i) launch(&context, i % 8, 1 + i % 48);
  is_over = true;
  copying.join();
  process->finish();
  EXPECT_THAT(driver.device(&context).mistakes(), IsEmpty());
  EXPECT_THAT(launches_in_ranges(), testing::Not(IsEmpty()));
  EXPECT_THAT(launches_in_ranges(), Each(1));
}

TEST_F(ProcessTest, ChangesNoPassWhileAGraphIsMade) {
  constexpr int kChanges = 6;
  constexpr double kLimitS = 20;
  std::atomic<int> in_progress = 0;
  std::atomic<int> beside = 0;
  std::atomic<int> changes = 0;
  for (const Handle one : {Handle{&context}, Handle{&other_context}}) {
    driver.device(one).while_changing = [&] {
      ++changes;
      for (int i = 0; i < 20; ++i) {
        beside += in_progress;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    };
  }
  launch(&context, 0, 1);
  launch(&other_context, 0, 1);
  std::thread making([&] {
    while (changes < kChanges) {
      process->entered_graph_change();
      ++in_progress;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      --in_progress;
      process->left(nullptr);
    }
  });
  const double end_s = seconds_now() + kLimitS;
  for (std::uint32_t i = 0; changes < kChanges && seconds_now() < end_s; ++i)
    launch(i % 2 == 0 ? &context : &other_context, i % 8, 1 + i % 48);
  EXPECT_GE(changes, kChanges);
  changes = kChanges;
  making.join();
  process->finish();
  EXPECT_EQ(beside, 0);
}

TEST_F(ProcessTest, ContextsEndWhileOthersLaunch) {
  const std::vector<int> contexts(20);
  in_threads(2, [&](int thread) {
    for (std::uint32_t i = 0; i < 10; ++i) {
      const Handle own = &contexts[thread * 10 + i];
      for (std::uint32_t repeat = 0; repeat < 50; ++repeat) launch(own, repeat % 3, 1);
      process->context_ends(own);
      process->context_destroyed(own);
      process->module_unloaded();
    }
  });
  process->finish();
  for (const int& one : contexts) EXPECT_THAT(driver.device(&one).mistakes(), IsEmpty());
  EXPECT_THAT(launches_in_ranges(), SizeIs(testing::Ge(20)));
}

// The driver tells of it with locks of its own, for which the thread that has the turn may wait.
TEST_F(ProcessTest, AContextIsDestroyedDuringAnotherThreadsTurn) {
  std::promise<void> begins_pass;
  std::promise<void> is_destroyed;
  driver.device(&context).while_changing = [&, is_first = true]() mutable {
    if (!std::exchange(is_first, false)) return;
    begins_pass.set_value();
    is_destroyed.get_future().wait();
  };
  std::thread launching([&] { launch(&context, 0, 1); });
  begins_pass.get_future().wait();
  auto destroyed = std::async(std::launch::async, [&] { process->context_destroyed(&context); });
  EXPECT_EQ(destroyed.wait_for(std::chrono::seconds(2)), std::future_status::ready);
  is_destroyed.set_value();
  launching.join();
  destroyed.get();
  process->finish();
  EXPECT_EQ(recorded_launches(), launched);
}

// A thread remembers the last context only.
TEST_F(ProcessTest, ContextsBeginWhileOthersAreLookedUp) {
  const std::vector<int> contexts(100);
  in_threads(4, [&](int thread) {
    for (std::uint32_t i = 0; i < contexts.size(); ++i) {
      const Handle own = thread == 0 ? &contexts[i] : &context;
      launch(own, 0, 1);
      launch(&other_context, 0, 1);
    }
  });
  process->finish();
  EXPECT_EQ(recorded_launches(), launched);
  EXPECT_EQ(records_of<record::Device>().size(), contexts.size() + 2);
}

TEST_F(ProcessTest, ThreadsLaunchWhileTheProgramEnds) {
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; !is_over; ++i) launch(&context, i % 5, 1 + i + 1'000'000 * thread);
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process->finish();
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(records_of<record::End>(), SizeIs(1));
}

TEST_F(ProcessTest, RangesOfThreadsAndTheirLaunchesBelongTogether) {
  in_threads(4, [&](int thread) {
    for (int i = 0; i < 200; ++i) {
      process->paths().push(nullptr, "thread " + std::to_string(thread));
      launch(&context, static_cast<std::uint64_t>(thread), 1);
      process->paths().pop(nullptr);
    }
  });
  process->finish();
  const auto groups = records_of<record::Group>();
  ASSERT_THAT(groups, SizeIs(4));
  for (const auto& group : groups) EXPECT_THAT(group.path, testing::StartsWith("thread "));
}

TEST_F(ProcessTest, SaysForHowLongLaunchesWereHeld) {
  const double begin = seconds_now();
  launch(&context, 0, 1, 0.03);  // is counted, and so waited for
  const double held_s = seconds_now() - begin;
  process->finish();
  double recorded_s = 0;
  for (const auto& held : records_of<record::Held>()) {
    for (const auto& span : held.spans) recorded_s += static_cast<double>(span.duration_ns) * 1e-9;
  }
  EXPECT_GT(recorded_s, 0.03);
  EXPECT_LT(recorded_s, held_s + 0.1);
}

TEST_F(ProcessTest, AForkedChildDoesNothingAndWaitsForNothing) {
  std::atomic<bool> is_over = false;
  std::thread launching([&] {
    for (std::uint32_t i = 0; !is_over; ++i) {
      process->paths().push(nullptr, "step");
      launch(&context, i % 5, 1 + i % 1000);
      process->paths().pop(nullptr);
    }
  });
  int ended_well = 0;
  for (int i = 0; i < 20; ++i) {
    process->before_fork();
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      process->after_fork_in_child();
      process->paths().push(nullptr, "in the child");
      process->paths().current();
      process->paths().pop(nullptr);
      process->finish();
      _exit(process->is_active() ? 1 : 0);
    }
    process->after_fork_in_parent();
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) ++ended_well;
  }
  is_over = true;
  launching.join();
  EXPECT_EQ(ended_well, 20);
  process->finish();
  EXPECT_EQ(recorded_launches(), launched);
}

TEST_F(ProcessTest, KernelsOfGraphsAreInGroupsOfTheirOwn) {
  const auto nodes = graph();
  process->paths().push(nullptr, "step");
  for (int i = 0; i < 100; ++i) launch_graph(nodes);
  process->paths().pop(nullptr);
  process->finish();
  const auto groups = records_of<record::Group>();
  ASSERT_THAT(groups, SizeIs(2));
  for (const auto& group : groups) {
    EXPECT_EQ(group.path, "step/CUDA graph");
    EXPECT_EQ(group.first_launch, std::nullopt) << "ncu counts launches in graphs otherwise";
  }
  EXPECT_EQ(recorded_launches(), 300u);
}

TEST_F(ProcessTest, KernelsOfFewLaunchesOfAGraphAreCounted) {
  const auto nodes = graph();
  int by_nodes = 0;
  for (int i = 0; i < 2000; ++i) by_nodes += launch_graph(nodes) ? 1 : 0;
  process->finish();
  EXPECT_GE(by_nodes, 2);
  EXPECT_LE(by_nodes, 3 + 2000 / 50);
  EXPECT_THAT(driver.device(&context).mistakes(), IsEmpty());
  EXPECT_THAT(launches_in_ranges(), SizeIs(testing::Ge(6))) << "three samples of each kernel";
  EXPECT_THAT(launches_in_ranges(), Each(1));
  EXPECT_EQ(recorded_launches(), launched);
  for (const auto& problem : records_of<record::Problem>())
    EXPECT_THAT(problem.cause, testing::Not(HasSubstr("deliver")));
}

TEST_F(ProcessTest, ThreadsLaunchGraphsAndKernels) {
  const auto nodes = graph();
  in_threads(4, [&](int thread) {
    for (std::uint32_t i = 0; i < 500; ++i) {
      if (thread % 2 == 0)
        launch_graph(nodes);
      else
        launch(&context, i % 5, 1 + i % 7);
    }
  });
  process->finish();
  EXPECT_THAT(driver.device(&context).mistakes(), IsEmpty());
  EXPECT_THAT(launches_in_ranges(), Each(1)) << "no range has a launch of another thread";
  EXPECT_EQ(recorded_launches(), launched);
}

TEST_F(ProcessTest, LaunchesOfAGraphThatFailedAreThoseOfItsKernels) {
  const auto nodes = graph();
  for (int i = 0; i < 40; ++i) launch_graph(nodes);
  ASSERT_FALSE(launch_graph(nodes, "CUDA_ERROR_INVALID_VALUE"));
  process->finish();
  std::uint64_t failed = 0;
  for (const auto& record : records_of<record::Failed>()) failed += record.launches;
  EXPECT_EQ(failed, 3u);
  EXPECT_EQ(recorded_launches(), launched);
}

TEST_F(ProcessTest, LaunchesOfGraphsWithTooManyKernelsAreLeftOut) {
  constexpr std::uint32_t kMost = 100;
  begin(kMost);
  GraphNodes nodes = {.name = "CUDA graph"};
  for (std::uint32_t grid = 1; grid <= kMost + 10; ++grid)
    nodes.kernels.push_back(launch_of(&context, 0, grid));
  const auto graph = std::make_shared<GraphNodes>(nodes);
  for (int i = 0; i < 2; ++i) launch_graph(graph);
  process->finish();
  const auto ends = records_of<record::End>();
  ASSERT_THAT(ends, SizeIs(1));
  EXPECT_EQ(ends[0].left_out_launches, 20u);
}

TEST_F(ProcessTest, SaysWhyTheKernelsOfAGraphAreNotToldApart) {
  Launch call = {.context = &context, .graph = &stream, .stream = &stream, .correlation = 1};
  call.obstacle = "it has conditional nodes";
  for (int i = 0; i < 2; ++i) {
    process->entered(call);
    process->left(nullptr);
  }
  process->finish();
  std::vector<std::string> causes;
  for (const auto& problem : records_of<record::Problem>()) {
    if (problem.group) causes.push_back(problem.cause);
  }
  EXPECT_THAT(causes, testing::Contains(HasSubstr("are not told apart: it has conditional nodes")).Times(1));
}

// A handler of a signal calls exit() while its thread is in one of these functions.
TEST_F(ProcessTest, FinishDoesNothingWhereItInterruptsOurOwnWork) {
  launch(&context, 0, 1);
  const OurOwnCall own;
  process->finish();
  EXPECT_THAT(records_of<record::End>(), IsEmpty());
}

TEST_F(ProcessTest, CountsOnlyWhatIsCaptured) {
  settings.capture = Capture::nvtx;
  settings.capture_range = "measured";
  begin();
  for (int i = 0; i < 10; ++i) launch(&context, 0, 1);
  EXPECT_THAT(records_of<record::Group>(), IsEmpty());
  process->paths().push(nullptr, "measured");
  for (int i = 0; i < 10; ++i) launch(&context, 0, 1);
  process->paths().pop(nullptr);
  process->finish();
  EXPECT_EQ(recorded_launches(), 10u);
}

}  // namespace
}  // namespace rooflinectl::injection::process_test
