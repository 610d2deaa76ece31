// SPDX-License-Identifier: Apache-2.0
#include "analysis/explain/explanation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "analysis/roofline/point.h"
#include "core/model/run.h"
#include "core/serial/run_file.h"
#include "tests/support/constructed_run.h"

namespace rooflinectl::explanation_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAreArray;

using Ids = std::vector<std::string_view>;

Ids ids_of(const std::vector<Finding>& findings) {
  Ids ids;
  for (const Finding& finding : findings) ids.push_back(finding.rule);
  return ids;
}

// ---- one rule at a time ----

/// A sum of 2^26 floats on a device with all ceilings: half as fast as DRAM, and otherwise unremarkable.
struct Example {
  Run run = constructed::with_levels(constructed::empty_run());
  Measurement measurement;

  Example() {
    for (const auto& [id, seconds] : {std::pair{"atomic_f32", 1.75e-9}, {"dram_latency", 500e-9}}) {
      run.ceilings.push_back(constructed::ceiling(id, CeilingKind::latency, CeilingSource::measured, "", "",
                                                  seconds, "constructed"));
    }
    measurement.point = {"test", "sum_smem_tree",
                         axes_of({.n_elements = 1 << 26, .block_size = 256, .elements_per_thread = 32})};
    // 7.76 waves on 132 SMs, and two loads of 16 bytes under way in each thread.
    measurement.launch = {.grid = 8192, .block = 256, .bytes_in_flight_per_block = 8192};
    measurement.resources = KernelResources{.registers_per_thread = 30,
                                            .shared_bytes_per_block = 1024,
                                            .blocks_per_sm = 8,
                                            .blocks_per_sm_by_registers = 10};
    const double n = 1 << 26;
    measurement.work = {
        .read_bytes = 4 * n, .written_bytes = 4, .operations = {{Dtype::f32, {.flops = n - 1}}}};
    time(4 * n / 2.3e12);
    set(counter::kDramReadBytes, 4 * n);
    set(counter::kDramWriteBytes, 100e3);
    set(counter::kL2Bytes, 4 * n);
    set(counter::kL1Bytes, 4 * n);
    set(counter::kSharedBytes, n / 4);
    for (const auto key : {counter::kFmul, counter::kFfma}) set(key, 0);
    set(counter::kFadd, 1.01 * n);
    set(counter::kWarpInstructions, n / 8);
    set(counter::kWarpExecutionEfficiency, 0.99);
    set(counter::kWarpNonpredExecutionEfficiency, 0.95);
    set(counter::kOccupancy, 0.45);
    set(counter::kBranchTargets, 1e6);
    set(counter::kBranchTargetsDivergent, 0);
    for (const auto key : {counter::kSharedLoadWavefronts, counter::kSharedStoreWavefronts,
                           counter::kSharedLoadInstructions, counter::kSharedStoreInstructions}) {
      set(key, n / 320);
    }
    set(counter::kGlobalLoadSectorEfficiency, 1);
    set(counter::kGlobalStoreSectorEfficiency, 0.125);
    set(counter::kL2AtomicOperations, 8192);
    set(counter::kActiveWarpCycles, 1e9);
    set(counter::kBarrierStallWarpCycles, 0.05e9);
  }

  void set(std::string_view key, double value) {
    measurement.counters.insert_or_assign(std::string(key), CounterValue::measured(value));
  }
  void scale(std::string_view key, double factor) { set(key, factor * *value_of(measurement.counters, key)); }
  /// As much as takes this share of the time.
  void receive_over_nvlink(double share) {
    constexpr double kBytesPerS = 400e9;
    run.ceilings.push_back(constructed::ceiling("nvlink", CeilingKind::transfer, CeilingSource::measured,
                                                "nvlink", "", kBytesPerS, "constructed"));
    measurement.work.link_bytes = share * measurement.time->median_s * kBytesPerS;
  }
  /// Makes it a kernel from a file.
  void compile_with_spills(std::uint64_t bytes) {
    FileKernel kernel;
    kernel.id = measurement.point.subject;
    kernel.function = "sum";
    kernel.launch = {.grid = {"8192"}, .block = {"256"}, .cluster = {}, .shared_bytes = {}};
    run.plan.kernels = {kernel};
    CompiledKernel compiled;
    compiled.kernel = kernel.id;
    compiled.function = kernel.function;
    compiled.architecture = run.device().compute_capability;
    compiled.spill_bytes = bytes;
    run.compiled_kernels = {compiled};
  }
  void time(double seconds) { measurement.time = constructed::time(seconds); }
  void forget(std::string_view key) {
    measurement.counters.insert_or_assign(std::string(key), CounterValue::unavailable("not counted"));
  }

  PointExplanation explained() const { return explain(run, analyse_point(run, measurement)); }
};

/// The ids of the rules that explain a verdict.
std::set<std::string_view> bound_ids() {
  std::set<std::string_view> ids;
  for (const Rule& rule : rules()) {
    if (rule.bound) ids.insert(rule.id);
  }
  return ids;
}

/// A change to the example that makes a rule hold, and one that is just not enough; `others` are the rules
/// that then hold too.
struct Case {
  std::string_view rule;
  void (*enough)(Example&) = nullptr;
  void (*not_enough)(Example&) = nullptr;
  Ids others = {};
};

constexpr double kBytes = 4.0 * (1 << 26);
constexpr double kDramRead = 4579e9;  // of the constructed run, like those below
constexpr double kEmptyLaunch = 2.1e-6;
constexpr double kEmptyNode = 0.56e-6;  // in a graph
constexpr double kAddRate = 32.5e12;
constexpr double kF64AddRate = 16.5e12;

/// Hardly anything to read, write or compute.
void make_small(Example& e) {
  e.measurement.launch.grid = 1;
  e.measurement.work.read_bytes = 4096;
  e.measurement.work.operations[Dtype::f32].flops = 1023;
  e.set(counter::kDramReadBytes, 4096);
  e.set(counter::kDramWriteBytes, 4);
  for (const auto key : {counter::kWarpInstructions, counter::kL2Bytes, counter::kL1Bytes,
                         counter::kSharedBytes, counter::kFadd}) {
    e.set(key, 1024);
  }
  for (const auto key :
       {counter::kSharedLoadWavefronts, counter::kSharedStoreWavefronts, counter::kSharedLoadInstructions,
        counter::kSharedStoreInstructions, counter::kL2AtomicOperations}) {
    e.set(key, 8);
  }
}

void use_issue_slots(Example& e, double share) {
  e.set(counter::kWarpInstructions, share * kBytes / 2.3e12 * 1.98e9 * 132 * 4);
}

void keep_few_bytes_in_flight(Example& e, double share = 0.61) {
  e.measurement.launch.bytes_in_flight_per_block = 500e-9 * 2.3e12 / (0.45 * 8 * 132) / share;
}

/// Its warps wait for so many cycles for that, and not for global memory, which is counted with it.
void wait_for(Example& e, std::string_view key, double cycles) {
  e.set(counter::kLongScoreboardStallWarpCycles, 0);
  e.set(key, cycles);
}

/// Shared memory is busy for a tenth of the time, without bank conflicts.
void use_shared_memory(Example& e) {
  const double bytes = 0.11 * 33e12 * kBytes / 2.3e12;
  e.set(counter::kSharedBytes, bytes);
  for (const auto key : {counter::kSharedLoadWavefronts, counter::kSharedStoreWavefronts,
                         counter::kSharedLoadInstructions, counter::kSharedStoreInstructions}) {
    e.set(key, bytes / 128 / 2);
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"dram-roof", [](Example& e) { e.time(kBytes / (0.91 * kDramRead)); },
       [](Example& e) { e.time(kBytes / (0.89 * kDramRead)); }},
      {"dram", [](Example& e) { e.time(kBytes / (0.61 * kDramRead)); },
       [](Example& e) { e.time(kBytes / (0.59 * kDramRead)); }},
      {"l2-roof",
       [](Example& e) {
         e.measurement.point.axes.set(axis::kCache, CacheState::warm);
         e.set(counter::kDramReadBytes, 1000);
         e.time(kBytes / (0.91 * 9.9e12));
         e.set(counter::kL2AtomicOperations, 0);
       },
       [](Example& e) {
         e.measurement.point.axes.set(axis::kCache, CacheState::warm);
         e.set(counter::kDramReadBytes, 1000);
         e.time(kBytes / (0.89 * 9.9e12));
         e.set(counter::kL2AtomicOperations, 0);
       }},
      {"l2", [](Example& e) { e.set(counter::kL2Bytes, 0.61 * 9.9e12 * kBytes / 2.3e12); },
       [](Example& e) { e.set(counter::kL2Bytes, 0.59 * 9.9e12 * kBytes / 2.3e12); }},
      {"l1", [](Example& e) { e.set(counter::kL1Bytes, 0.61 * 31e12 * kBytes / 2.3e12); },
       [](Example& e) { e.set(counter::kL1Bytes, 0.59 * 31e12 * kBytes / 2.3e12); }},
      {"shared", [](Example& e) { e.set(counter::kSharedBytes, 0.61 * 33e12 * kBytes / 2.3e12); },
       [](Example& e) { e.set(counter::kSharedBytes, 0.59 * 33e12 * kBytes / 2.3e12); }},
      {"nvlink", [](Example& e) { e.receive_over_nvlink(0.61); },
       [](Example& e) { e.receive_over_nvlink(0.59); }},
      {"fp64",
       [](Example& e) {
         for (const auto key : {counter::kDmul, counter::kDfma}) e.set(key, 0);
         e.set(counter::kDadd, 0.61 * kF64AddRate * kBytes / 2.3e12);
       },
       [](Example& e) {
         for (const auto key : {counter::kDmul, counter::kDfma}) e.set(key, 0);
         e.set(counter::kDadd, 0.59 * kF64AddRate * kBytes / 2.3e12);
       }},
      {"fp32",
       [](Example& e) { e.set(counter::kFadd, 0.61 * kAddRate * kBytes / 2.3e12); },
       [](Example& e) { e.set(counter::kFadd, 0.59 * kAddRate * kBytes / 2.3e12); },
       {"redundant-operations"}},
      {"fp16",
       [](Example& e) {
         e.measurement.work.operations = {{Dtype::f16, {.flops = 0.61 * 65.5e12 * kBytes / 2.3e12}}};
       },
       [](Example& e) {
         e.measurement.work.operations = {{Dtype::f16, {.flops = 0.59 * 65.5e12 * kBytes / 2.3e12}}};
       }},
      {"int32",
       [](Example& e) {
         e.measurement.work.operations = {{Dtype::i32, {.flops = 0.61 * 16.5e12 * kBytes / 2.3e12}}};
       },
       [](Example& e) {
         e.measurement.work.operations = {{Dtype::i32, {.flops = 0.59 * 16.5e12 * kBytes / 2.3e12}}};
       }},
      {"tensor",
       [](Example& e) {
         e.set(counter::kTensorPipeInstructions, 1e6);
         e.set(counter::kTensorF16Ops, 0.61 * 850e12 * kBytes / 2.3e12);
       },
       [](Example& e) {
         e.set(counter::kTensorPipeInstructions, 1e6);
         e.set(counter::kTensorF16Ops, 0.59 * 850e12 * kBytes / 2.3e12);
       },
       {"redundant-operations"}},
      {"issue-slots",
       [](Example& e) { e.set(counter::kWarpInstructions, 0.61 * kBytes / 2.3e12 * 1.98e9 * 132 * 4); },
       [](Example& e) { e.set(counter::kWarpInstructions, 0.59 * kBytes / 2.3e12 * 1.98e9 * 132 * 4); }},
      {"atomics", [](Example& e) { e.set(counter::kL2AtomicOperations, 0.61 * kBytes / 2.3e12 / 1.75e-9); },
       [](Example& e) { e.set(counter::kL2AtomicOperations, 0.59 * kBytes / 2.3e12 / 1.75e-9); }},
      {"bytes-in-flight", [](Example& e) { keep_few_bytes_in_flight(e); },
       [](Example& e) { keep_few_bytes_in_flight(e, 0.59); }},
      {"launch-overhead-in-graph",
       [](Example& e) {
         make_small(e);
         e.time(2.9 * kEmptyNode);
         e.measurement.time->launches_per_sample = 100;
       },
       [](Example& e) {
         make_small(e);
         e.time(3.1 * kEmptyNode);
         e.measurement.time->launches_per_sample = 100;
       }},
      {"launch-overhead",
       [](Example& e) {
         make_small(e);
         e.time(2.9 * kEmptyLaunch);
       },
       [](Example& e) {
         make_small(e);
         e.time(3.1 * kEmptyLaunch);
       }},
      {"barriers", [](Example& e) { e.set(counter::kBarrierStallWarpCycles, 0.51e9); },
       [](Example& e) { e.set(counter::kBarrierStallWarpCycles, 0.49e9); }},
      {"tail-of-last-wave", [](Example& e) { e.measurement.launch.grid = 1056 + 132; },
       [](Example& e) { e.measurement.launch.grid = 2 * 1056 - 132; }},
      {"tail", [](Example& e) { e.measurement.launch.grid = 1056 * 3 / 4; },
       [](Example& e) { e.measurement.launch.grid = 1056 * 4 / 5; }},
      {"memory-latency-of-loads", [](Example& e) { e.set(counter::kLongScoreboardStallWarpCycles, 0.51e9); },
       [](Example& e) { e.set(counter::kLongScoreboardStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-shared-memory",
       [](Example& e) { wait_for(e, counter::kShortScoreboardStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kShortScoreboardStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-results",
       [](Example& e) { wait_for(e, counter::kWaitStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kWaitStallWarpCycles, 0.49e9); }},
      {"memory-latency-of-queue",
       [](Example& e) { wait_for(e, counter::kLgThrottleStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kLgThrottleStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-shared-queue",
       [](Example& e) { wait_for(e, counter::kMioThrottleStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kMioThrottleStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-pipe",
       [](Example& e) { wait_for(e, counter::kMathPipeThrottleStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kMathPipeThrottleStallWarpCycles, 0.49e9); }},
      {"memory-latency-of-fences", [](Example& e) { wait_for(e, counter::kMembarStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kMembarStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-wgmma", [](Example& e) { wait_for(e, counter::kGmmaStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kGmmaStallWarpCycles, 0.49e9); }},
      {"instruction-latency-of-fetching",
       [](Example& e) { wait_for(e, counter::kNoInstructionStallWarpCycles, 0.51e9); },
       [](Example& e) { wait_for(e, counter::kNoInstructionStallWarpCycles, 0.49e9); }},
      {"memory-latency",
       [](Example& e) {
         e.set(counter::kLongScoreboardStallWarpCycles, 0.3e9);
         e.set(counter::kLgThrottleStallWarpCycles, 0.21e9);
       },
       [](Example& e) {
         e.set(counter::kLongScoreboardStallWarpCycles, 0.3e9);
         e.set(counter::kLgThrottleStallWarpCycles, 0.19e9);
       }},
      {"instruction-latency",
       [](Example& e) {
         wait_for(e, counter::kShortScoreboardStallWarpCycles, 0.3e9);
         e.set(counter::kWaitStallWarpCycles, 0.21e9);
       },
       [](Example& e) {
         wait_for(e, counter::kShortScoreboardStallWarpCycles, 0.3e9);
         e.set(counter::kWaitStallWarpCycles, 0.19e9);
       }},
      {"latency", [](Example&) {}, [](Example& e) { e.time(kBytes / (0.61 * kDramRead)); }},
      {"few-blocks", [](Example& e) { e.measurement.launch.grid = 131; },
       [](Example& e) { e.measurement.launch.grid = 132; }},
      {"half-a-wave",
       [](Example& e) {
         keep_few_bytes_in_flight(e);
         e.measurement.launch.grid = 791;
       },
       [](Example& e) {
         keep_few_bytes_in_flight(e);
         e.measurement.launch.grid = 793;
       }},
      {"small-input",
       [](Example& e) {
         make_small(e);
         e.time(3.1 * kEmptyLaunch);
       },
       [](Example& e) {
         make_small(e);
         e.time(2.9 * kEmptyLaunch);
       }},
      {"barrier-stalls", [](Example& e) { e.set(counter::kBarrierStallWarpCycles, 0.21e9); },
       [](Example& e) { e.set(counter::kBarrierStallWarpCycles, 0.19e9); }},
      {"serial-atomics",
       [](Example& e) { e.set(counter::kL2AtomicOperations, 0.41 * kBytes / 2.3e12 / 1.75e-9); },
       [](Example& e) { e.set(counter::kL2AtomicOperations, 0.39 * kBytes / 2.3e12 / 1.75e-9); }},
      {"last-wave", [](Example& e) { e.measurement.launch.grid = 2 * 1056 - 2 * 132; },
       [](Example& e) { e.measurement.launch.grid = 2 * 1056 - 132; }},
      {"register-limited",
       [](Example& e) {
         e.measurement.resources = KernelResources{64, 1024, 4, 4};
       },
       [](Example& e) {
         e.measurement.resources = KernelResources{64, 50000, 4, 5};
       }},
      {"register-spills", [](Example& e) { e.compile_with_spills(8); },
       [](Example& e) { e.compile_with_spills(0); }},
      {"branch-divergence",
       [](Example& e) {
         use_issue_slots(e, 0.26);
         e.set(counter::kWarpExecutionEfficiency, 0.89);
         e.set(counter::kWarpNonpredExecutionEfficiency, 0.85);
       },
       [](Example& e) {
         use_issue_slots(e, 0.26);
         e.set(counter::kWarpExecutionEfficiency, 0.91);
         e.set(counter::kWarpNonpredExecutionEfficiency, 0.85);
       }},
      {"predication",
       [](Example& e) {
         use_issue_slots(e, 0.26);
         e.set(counter::kWarpNonpredExecutionEfficiency, 0.83);
       },
       [](Example& e) {
         use_issue_slots(e, 0.26);
         e.set(counter::kWarpNonpredExecutionEfficiency, 0.85);
       }},
      {"bank-conflicts",
       [](Example& e) {
         use_shared_memory(e);
         e.scale(counter::kSharedLoadWavefronts, 1.52);
       },
       [](Example& e) {
         use_shared_memory(e);
         // 8-byte accesses need two turns each.
         e.scale(counter::kSharedLoadWavefronts, 2);
         e.scale(counter::kSharedStoreWavefronts, 2);
         e.scale(counter::kSharedBytes, 2);
       }},
      {"uncoalesced-loads",
       [](Example& e) {
         e.set(counter::kGlobalLoadSectorEfficiency, 0.49);
         e.scale(counter::kL2Bytes, 1.51);
       },
       [](Example& e) {
         // Asynchronous copies: L2 delivered no sector in vain.
         e.set(counter::kGlobalLoadSectorEfficiency, 0.35);
       }},
      {"uncoalesced-stores",
       [](Example& e) {
         e.time(kBytes / 1.5e12);
         e.measurement.work.written_bytes = 0.15 * kBytes;
         e.set(counter::kDramWriteBytes, 0.15 * kBytes);
       },
       [](Example& e) {
         e.measurement.work.written_bytes = 0.05 * kBytes;
         e.set(counter::kDramWriteBytes, 0.05 * kBytes);
       }},
      {"excess-traffic",
       [](Example& e) {
         e.time(kBytes / 1.5e12);
         e.set(counter::kDramReadBytes, 1.21 * kBytes);
       },
       [](Example& e) {
         e.time(kBytes / 1.5e12);
         e.set(counter::kDramReadBytes, 1.19 * kBytes);
       }},
      {"cache-resident", [](Example& e) { e.set(counter::kDramReadBytes, 0.89 * kBytes); },
       [](Example& e) { e.set(counter::kDramReadBytes, 0.91 * kBytes); }},
      {"redundant-operations", [](Example& e) { e.set(counter::kFadd, 1.21 * (1 << 26)); },
       [](Example& e) { e.set(counter::kFadd, 1.19 * (1 << 26)); }},
      {"throttled", [](Example& e) { e.measurement.time->throttled_samples = 1; }, [](Example&) {}},
  };
  return all;
}

TEST(Explanation, OfAnUnremarkablePointIsLatencyAndComplete) {
  const PointExplanation explanation = Example().explained();
  EXPECT_THAT(ids_of(explanation.findings), ElementsAre("latency"));
  EXPECT_THAT(explanation.unjudged, IsEmpty());
}

TEST(Explanation, BeginsWithTheCauseOfLatency) {
  Example example;
  use_shared_memory(example);
  example.scale(counter::kSharedLoadWavefronts, 1.6);
  EXPECT_THAT(ids_of(example.explained().findings), ElementsAre("bank-conflicts", "latency"));
}

TEST(Explanation, KnowsTheBoundOfAKernelFromAFileWhoseResultsAreNotDeclared) {
  Example example;
  example.measurement.work.written_bytes = 0;
  example.set(counter::kL2AtomicOperations, 0);
  EXPECT_THAT(ids_of(example.explained().findings), ElementsAre("latency"));
  example.set(counter::kL2AtomicOperations, 1e6);
  const RooflinePoint point = analyse_point(example.run, example.measurement);
  EXPECT_EQ(point.bound, Bound::unknown);
  EXPECT_THAT(point.verdict.unjudged, ElementsAre(testing::HasSubstr("too many for one address")));
}

TEST(Explanation, HasACaseForEveryRule) {
  Ids tested;
  for (const Case& one : cases()) tested.push_back(one.rule);
  Ids known;
  for (const Rule& rule : rules()) {
    // Those for kernels of programs, and of libraries, have theirs in recoverable_test.cpp.
    if (!rule.is_for_programs && !rule.next_step.empty()) known.push_back(rule.id);
  }
  EXPECT_EQ(tested, known);
}

TEST(Explanation, ARuleHoldsWhereItsConditionDoesAndNoOtherComesWithIt) {
  for (const Case& one : cases()) {
    Example example;
    one.enough(example);
    std::set<std::string_view> expected = {one.rule};
    expected.insert(one.others.begin(), one.others.end());
    const Ids found = ids_of(example.explained().findings);
    const std::set<std::string_view> bounds = bound_ids();
    // A cause or a note stands beside a bound.
    std::set<std::string_view> others(found.begin(), found.end());
    if (!bounds.contains(one.rule))
      std::erase_if(others, [&](std::string_view id) { return bounds.contains(id); });
    EXPECT_EQ(others, expected) << one.rule;
    // For these types no counter gives the operations per instruction, so redundancy is unknown.
    const bool is_uncounted = one.rule == "fp16" || one.rule == "int32";
    EXPECT_EQ(example.explained().unjudged.size(), is_uncounted ? 1 : 0) << one.rule;
  }
}

TEST(Explanation, HasTheVerdictOfTheClassifierFirstExceptForCausesOfLatency) {
  for (const Case& one : cases()) {
    for (const auto change : {one.enough, one.not_enough}) {
      Example example;
      change(example);
      const RooflinePoint point = analyse_point(example.run, example.measurement);
      ASSERT_NE(point.bound, Bound::unknown) << one.rule;
      std::vector<Finding> findings = explain(example.run, point).findings;
      if (point.bound == Bound::latency) {
        const auto bound = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return finding.importance != Importance::cause;
        });
        findings.erase(findings.begin(), bound);
      }
      ASSERT_FALSE(findings.empty()) << one.rule;
      EXPECT_EQ(findings[0].importance, Importance::bound);
      EXPECT_TRUE(findings[0].rule.starts_with(to_string(point.bound))) << findings[0].rule;
      EXPECT_FALSE(findings[0].evidence.empty()) << one.rule;
      for (std::size_t i = 1; i < findings.size(); ++i) EXPECT_NE(findings[i].importance, Importance::bound);
    }
  }
}

TEST(Explanation, ARuleDoesNotHoldJustBelowItsCondition) {
  for (const Case& one : cases()) {
    Example example;
    one.not_enough(example);
    EXPECT_THAT(ids_of(example.explained().findings), Not(Contains(one.rule))) << one.rule;
  }
}

TEST(Explanation, RegistersLimitNothingWhereTheGridDoesNotFillTheDevice) {
  Example example;
  example.measurement.resources = KernelResources{64, 1024, 4, 4};
  example.measurement.launch.grid = 4 * 132 - 1;
  EXPECT_THAT(ids_of(example.explained().findings), Not(Contains("register-limited")));
}

TEST(Explanation, IdleLanesCostNothingWhereIssueSlotsAreFree) {
  for (const double issue_slots : {0.24, 0.26}) {
    Example example;
    use_issue_slots(example, issue_slots);
    example.set(counter::kWarpExecutionEfficiency, 0.85);
    example.set(counter::kWarpNonpredExecutionEfficiency, 0.5);
    const Ids found = ids_of(example.explained().findings);
    EXPECT_EQ(std::ranges::count(found, "branch-divergence"), issue_slots > 0.25 ? 1 : 0);
    EXPECT_EQ(std::ranges::count(found, "predication"), issue_slots > 0.25 ? 1 : 0);
  }
}

TEST(Explanation, BankConflictsCostNothingWhereSharedMemoryIsIdle) {
  Example example;
  example.scale(counter::kSharedLoadWavefronts, 5);
  EXPECT_THAT(ids_of(example.explained().findings), ElementsAre("latency"));
}

TEST(Explanation, ACauseDoesNotRepeatTheVerdict) {
  for (const Rule& rule : rules()) {
    if (!rule.restates) continue;
    for (const Case& one : cases()) {
      Example example;
      one.enough(example);
      const PointExplanation explanation = example.explained();
      if (explanation.findings.front().rule == words_for(*rule.restates).id) {
        EXPECT_THAT(ids_of(explanation.findings), Not(Contains(rule.id))) << one.rule;
      }
    }
  }
}

TEST(Explanation, LaunchesInAGraphAreNotAdvisedToUseAGraph) {
  Example example;
  make_small(example);
  example.time(1.5 * kEmptyNode);
  example.measurement.time->launches_per_sample = 100;
  EXPECT_EQ(example.explained().findings.at(0).next_step.find("graph"), std::string_view::npos);
}

TEST(Explanation, AFindingShowsTheNumbersThatItRestsOn) {
  Example example;
  use_shared_memory(example);
  example.scale(counter::kSharedLoadWavefronts, 2);
  const Finding finding = example.explained().findings.at(0);
  ASSERT_EQ(finding.rule, "bank-conflicts");
  EXPECT_EQ(finding.evidence.at(0).quantity->name, "shared wavefronts over ideal");
  EXPECT_DOUBLE_EQ(finding.evidence.at(0).value, 1.5);
  EXPECT_EQ(finding.evidence.at(0).quantity->unit, Unit::factor);
}

TEST(Explanation, ARuleWhoseCounterIsMissingIsNotJudged) {
  Example example;
  example.forget(counter::kBarrierStallWarpCycles);
  example.measurement.resources = std::nullopt;
  std::vector<UnjudgedRule> expected = {
      {"barrier-stalls", {"warp cycles at barriers"}},
      {"last-wave", {"time lost to the last wave", "waves"}},
      {"register-limited", {"waves", "theoretical occupancy", "register block limit over block limit"}}};
  EXPECT_THAT(ids_of(example.explained().findings), ElementsAre("latency"));
  EXPECT_EQ(example.explained().unjudged, expected);
}

TEST(Explanation, ARuleThatAnotherNumberRulesOutNeedsNoMissingCounter) {
  Example example;
  example.time(kBytes / (0.95 * kDramRead));  // at its roof: barriers do not matter
  example.forget(counter::kBarrierStallWarpCycles);
  EXPECT_THAT(example.explained().unjudged, IsEmpty());
}

TEST(Explanation, OfAPointWithoutCountersUsesItsTimeAndLaunch) {
  Example example;
  example.measurement.counters.clear();
  example.measurement.launch.grid = 64;
  const PointExplanation explanation = example.explained();
  EXPECT_THAT(ids_of(explanation.findings), ElementsAre("bytes-in-flight", "few-blocks"));
  EXPECT_FALSE(explanation.unjudged.empty());
}

// ---- the recording of an H200 ----

Run recording() {
  const auto path =
      std::filesystem::path(ROOFLINECTL_SOURCE_FOLDER) / "recordings" / "reductions-h200" / "run.json.gz";
  return read_run(path);
}

/// What each point of the shipped recordings is found to be is in tests/golden/expected/findings.txt. These
/// hold whatever is recorded.
TEST(Explanation, OfARecordingGivesEveryKnownVerdictItsReason) {
  const auto run = recording();
  const Analysis analysis = analyse(run);
  for (const ExperimentAnalysis& experiment : analysis.experiments) {
    for (const RooflinePoint& point : experiment.points) {
      const std::vector<Finding> findings = explain(run, point).findings;
      if (point.bound == Bound::unknown) {
        EXPECT_THAT(point.verdict.unjudged, Not(IsEmpty())) << point.label;
      } else {
        ASSERT_FALSE(findings.empty()) << point.label;
        const bool is_caused = point.bound == Bound::latency && findings[0].importance == Importance::cause;
        EXPECT_TRUE(is_caused || findings[0].rule.starts_with(to_string(point.bound))) << point.label;
      }
    }
  }
}

TEST(Explanation, OfTheFirstVersionsIsThatTheyIssueTooManyInstructions) {
  const auto run = recording();
  const Analysis analysis = analyse(run);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(analysis.experiments[0].points[i].bound, Bound::issue_slots) << "V" << i;
  }
}

TEST(Explanation, OfAStepNamesWhatChangedAndWhichRulesNoLongerHold) {
  const auto run = recording();
  const Analysis analysis = analyse(run);
  const LadderStep& v2_to_v3 = analysis.experiments[0].steps[2];
  ASSERT_EQ(v2_to_v3.to->label, "V3");
  const StepExplanation explanation = Explanations(run, analysis.experiments[0]).of(v2_to_v3);
  EXPECT_EQ(v2_to_v3.counter_changes[0].meaning(), "fewer instructions");
  EXPECT_EQ(v2_to_v3.counter_changes[0].quantity, &quantity::kInstructionsPerElement);
  EXPECT_THAT(explanation.gone, ElementsAre("bank-conflicts"));
  EXPECT_THAT(explanation.came, IsEmpty());
}

TEST(Explanation, OfAPointIsMadeOnceHoweverManyStepsItEnds) {
  const auto run = recording();
  const Analysis analysis = analyse(run);
  const ExperimentAnalysis& ladder = analysis.experiments[0];
  Explanations explanations(run, ladder);
  const Finding* const first = explanations.of(ladder.points[2]).findings.data();
  for (const LadderStep& step : ladder.steps) explanations.of(step);
  EXPECT_EQ(explanations.of(ladder.points[2]).findings.data(), first);
}

}  // namespace
}  // namespace rooflinectl::explanation_test
