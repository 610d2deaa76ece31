// SPDX-License-Identifier: Apache-2.0
// What can be tested of primitives without a GPU: how they are registered, what their references return, how
// cycles are computed, and whether the machine code really holds what is measured.
#include <cxxabi.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>

#include "collector/steps/steps.h"

namespace rooflinectl {
namespace {

using kernels::LanePrimitive;

const LanePrimitive& primitive(const std::string& id) {
  const auto& all = kernels::all_lane_primitives();
  return *std::find_if(all.begin(), all.end(), [&](const LanePrimitive& p) { return p.info.id == id; });
}

/// What `times` operations make of 0, 1, 2, … in the lanes of a warp.
std::vector<int> applied(const std::string& id, int times = 1) {
  std::vector<int> lanes(32);
  std::iota(lanes.begin(), lanes.end(), 0);
  primitive(id).apply(lanes.data(), lanes.size(), times);
  return lanes;
}

TEST(Primitives, IdsAreUniqueAndBeginWithTheirFamily) {
  std::set<std::string> ids;
  for (const PrimitiveInfo& info : linked_primitives()) {
    EXPECT_TRUE(ids.insert(info.id).second) << info.id << " occurs twice";
    EXPECT_TRUE(info.id.starts_with(info.family + "_")) << info.id;
    EXPECT_FALSE(info.title.empty()) << info.id;
  }
}

TEST(Primitives, ReferencesMatchTheirNames) {
  EXPECT_EQ(applied("shuffle_down_i32")[3], 4);
  EXPECT_EQ(applied("shuffle_down_i32")[31], 31);
  EXPECT_EQ(applied("shuffle_down_i32_width8")[7], 7);
  EXPECT_EQ(applied("shuffle_up_i32", 2)[5], 3);
  EXPECT_EQ(applied("shuffle_up_i32_width8")[8], 8);
  EXPECT_EQ(applied("shuffle_xor_i32")[6], 7);
  EXPECT_EQ(applied("shuffle_idx_i32_width4")[3], 0);
  EXPECT_EQ(applied("shuffle_xor_i32_odd")[1], 3);
  EXPECT_EQ(applied("shuffle_xor_i32_odd")[2], 2);
  EXPECT_EQ(applied("shuffle_down_i32_half")[14], 15);
  EXPECT_EQ(applied("shuffle_down_i32_half")[20], 20);
  EXPECT_EQ(applied("all_reduce_i32")[9], 496);
  EXPECT_EQ(applied("warp_scan_inclusive_i32")[4], 10);
  EXPECT_EQ(applied("warp_scan_exclusive_i32")[4], 6);
  // The odd ones first, each rotated by one bit.
  EXPECT_EQ(applied("compaction_ballot")[1], static_cast<int>(0x80000001U));
  EXPECT_EQ(applied("compaction_ballot")[17], 1);
  EXPECT_EQ(applied("vote_any")[0], 1);
  EXPECT_EQ(applied("match_all_i32")[0], 0);
}

TEST(Primitives, CyclesAreTheMedianOverTheSms) {
  const std::vector<kernels::BlockInterval> blocks = {{100, 300, 0},
                                                      {150, 400, 0},    // 300 cycles for 2 blocks
                                                      {1000, 1100, 1},  // 100 for 1
                                                      {0, 400, 2},
                                                      {0, 380, 2}};  // 400 for 2
  EXPECT_DOUBLE_EQ(cycles_of(blocks, 10), 15);
}

// ---- machine code ----

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

/// The instructions that take values from lane to lane, by demangled kernel. Where lanes may have gone
/// separate ways the compiler adds a second form of each shuffle, behind a `WARPSYNC.COLLECTIVE`, that others
/// than whole warps branch to: it is not counted.
std::map<std::string, int> exchanges_by_kernel() {
  std::map<std::string, int> counts;
  const std::string command = "cuobjdump -sass " COLLECTOR_PROGRAM " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> line;
  int* count = nullptr;
  bool is_second_form = false;
  while (pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
    const std::string text(line.data());
    if (const auto name = text.find("Function : "); name != std::string::npos) {
      const std::string kernel = demangled(text.substr(name + 11, text.find_last_not_of(" \n") - name - 10));
      count = kernel.find("::measured<") != std::string::npos ? &counts[kernel] : nullptr;
    }
    if (count == nullptr) continue;
    if (text.find("WARPSYNC.COLLECTIVE") != std::string::npos) is_second_form = true;
    for (const char* instruction :
         {" SHFL.", " VOTE.", " MATCH.", " REDUX.", " REDUX ", " LDS ", " LDS.", " STS ", " STS."}) {
      if (text.find(instruction) == std::string::npos) continue;
      if (!is_second_form) ++*count;
      is_second_form = false;
      break;
    }
  }
  return counts;
}

TEST(Primitives, TheMachineCodeHoldsEveryOperationOfTheLoop) {
  const std::map<std::string, int> counts = exchanges_by_kernel();
  if (counts.empty()) GTEST_SKIP() << "no cuobjdump, or a collector without machine code";
  for (const LanePrimitive& each : kernels::all_lane_primitives()) {
    if (!each.info.instructions) continue;
    for (const kernels::Form form : {kernels::Form::latency, kernels::Form::throughput}) {
      const int instances = each.instances_of(form);
      const std::string kernel =
          "::measured<" + demangled(each.operation) + ", " + std::to_string(instances) + ">(";
      const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& entry) {
        return entry.first.find(kernel) != std::string::npos;
      });
      ASSERT_NE(found, counts.end()) << kernel;
      EXPECT_EQ(found->second, each.steps * instances * *each.info.instructions)
          << each.info.id << " " << kernel;
    }
  }
}

}  // namespace
}  // namespace rooflinectl
