// SPDX-License-Identifier: Apache-2.0
#include "injection/graph_gate.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

namespace rooflinectl::injection::graph_gate_test {
namespace {

using Call = GraphGate::Call;

constexpr double kForever = 1e6;
constexpr double kShort = 1e-3;

/// A call, for as long as this lives.
class InProgress {
 public:
  InProgress(GraphGate& gate, Call call) : gate_(gate), passage_(gate.enter(call)) {}
  ~InProgress() { gate_.leave(passage_); }
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;

 private:
  GraphGate& gate_;
  const GraphGate::Passage passage_;
};

TEST(GraphGate, LaunchesRunSideBySide) {
  GraphGate gate(kForever);
  const InProgress one(gate, Call::launch);
  const InProgress another(gate, Call::launch);
}

/// As CUPTI's table: read by launches, changed by others, without a lock.
TEST(GraphGate, NothingIsReadWhileItChanges) {
  constexpr int kCalls = 2000;
  GraphGate gate(kForever);
  std::map<int, int> table;
  std::atomic<int> found{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kCalls; ++i) {
        {
          const InProgress change(gate, Call::change);
          table[thread * kCalls + i] = i;
        }
        const InProgress launch(gate, Call::launch);
        found += table.contains(thread * kCalls + i) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 4 * kCalls);
  EXPECT_EQ(table.size(), 4U * kCalls);
}

/// Two threads that make graphs all the time, so that one is always waiting.
TEST(GraphGate, ALaunchComesBeforeLaterChanges) {
  GraphGate gate(kForever);
  std::atomic<bool> is_over = false;
  const auto change_on = [&] {
    while (!is_over) {
      const InProgress change(gate, Call::change);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  };
  std::thread one(change_on);
  std::thread another(change_on);
  for (int i = 0; i < 20; ++i) const InProgress launch(gate, Call::launch);
  is_over = true;
  one.join();
  another.join();
}

TEST(GraphGate, GoesOnIfACallTakesTooLong) {
  GraphGate gate(kShort);
  const InProgress launch(gate, Call::launch);  // it waits for what this thread does next
  const InProgress change(gate, Call::change);
}

TEST(GraphGate, WaitsOnlyOnceForACallThatTakesTooLong) {
  GraphGate gate(kShort);
  const InProgress launch(gate, Call::launch);
  for (int i = 0; i < 10 * GraphGate::kMostLate; ++i) const InProgress change(gate, Call::change);
  EXPECT_EQ(gate.late(), 1);
}

TEST(GraphGate, ALaunchThatWaitsForAChangeDoesNotGiveUpOtherLaunches) {
  GraphGate gate(kShort);
  const InProgress launch(gate, Call::launch);
  const InProgress change(gate, Call::change);  // which waited for the launch
  const InProgress another(gate, Call::launch);
  const InProgress third(gate, Call::launch);
  EXPECT_EQ(gate.late(), 2) << "the first launch and the change";
}

TEST(GraphGate, NobodyWaitsAfterSomeCallsThatTookTooLong) {
  GraphGate gate(kShort);
  const auto wait_for_another = [&] {
    const InProgress launch(gate, Call::launch);
    const InProgress change(gate, Call::change);
  };
  for (int i = 0; i < GraphGate::kMostLate; ++i) wait_for_another();
  EXPECT_TRUE(gate.has_given_up());
  EXPECT_FALSE(gate.has_given_up()) << "it was told";
  const auto start = std::chrono::steady_clock::now();
  constexpr int kMany = 100'000;  // which would take 100 s
  for (int i = 0; i < kMany; ++i) wait_for_another();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::duration<double>(kMany * kShort / 2));
}

}  // namespace
}  // namespace rooflinectl::injection::graph_gate_test
