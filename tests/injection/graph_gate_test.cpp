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
using Passage = GraphGate::Passage;

constexpr double kForEver = 1e6;
constexpr double kShort = 1e-3;

TEST(GraphGate, LaunchesRunSideBySide) {
  GraphGate gate(kForEver);
  const Passage one(gate, Call::launch);
  const Passage another(gate, Call::launch);
}

/// As CUPTI's table: read by launches, changed by others, without a lock.
TEST(GraphGate, NothingIsReadWhileItChanges) {
  constexpr int kCalls = 2000;
  GraphGate gate(kForEver);
  std::map<int, int> table;
  std::atomic<int> found{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kCalls; ++i) {
        {
          const Passage change(gate, Call::change);
          table[thread * kCalls + i] = i;
        }
        const Passage launch(gate, Call::launch);
        found += table.contains(thread * kCalls + i) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 4 * kCalls);
  EXPECT_EQ(table.size(), 4U * kCalls);
}

TEST(GraphGate, GoesOnIfACallTakesTooLong) {
  GraphGate gate(kShort);
  const Passage launch(gate, Call::launch);  // it waits for what this thread does next
  const Passage change(gate, Call::change);
}

TEST(GraphGate, NobodyWaitsOnceItWasInVainThreeTimes) {
  GraphGate gate(kShort);
  const Passage launch(gate, Call::launch);
  for (int i = 0; i < GraphGate::kMostLate; ++i) const Passage change(gate, Call::change);
  const auto start = std::chrono::steady_clock::now();
  constexpr int kMany = 100'000;  // which would take 100 s
  for (int i = 0; i < kMany; ++i) const Passage change(gate, Call::change);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::duration<double>(kMany * kShort / 2));
}

}  // namespace
}  // namespace rooflinectl::injection::graph_gate_test
