// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/launch_groups.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "tests/injection/fake_driver.h"

namespace rooflinectl::injection::launch_groups_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class LaunchGroupsTest : public testing::Test {
 protected:
  /// The group of a launch, which is the kernel's first.
  std::optional<LaunchGroup> launched(Kernel& kernel, std::uint32_t grid, PathId path = 0,
                                      std::optional<std::uint64_t> message_bytes = {}) {
    const Launch launch = {.context = &context, .function = &kernel, .grid = {grid, 1, 1}};
    const LaunchGroups::Key key = {.context = &context,
                                   .kernel = &kernel,
                                   .path = path,
                                   .grid = launch.grid,
                                   .message_bytes = message_bytes};
    if (const auto known = groups.find(key)) return known;
    return groups.add(key, session, 0, launch, 16, 1);
  }

  PathId path(const std::string& name) {
    paths.push(nullptr, name);
    const PathId id = paths.current();
    paths.pop(nullptr);
    return id;
  }

  template <typename Record>
  std::vector<Record> records_of() const {
    std::vector<Record> found;
    for (const ProfileRecord& record : records) {
      if (const auto* one = std::get_if<Record>(&record)) found.push_back(*one);
    }
    return found;
  }

  std::vector<ProfileRecord> records;
  const LaunchGroups::Sink sink = [this](const ProfileRecord& record) { records.push_back(record); };
  const int context = 0;
  const ProfileSettings settings{};
  NvtxPaths paths;
  FakeDevice device;
  FakeGpu gpu{device};
  DeviceTurn turn;
  CountingSession session{gpu, 0, turn, sink, 3, {kPasses.begin(), kPasses.end()}, {}};
  Kernels kernels{sink};
  Kernel& add = kernels.add(&context, {.symbol = "_Z3addPf"});
  LaunchGroups groups{settings, paths, sink};
};

TEST_F(LaunchGroupsTest, LaunchesOfOneShapeAreOneGroup) {
  EXPECT_EQ(launched(add, 1)->record, 0u);
  EXPECT_EQ(launched(add, 2)->record, 1u);
  EXPECT_EQ(launched(add, 1)->record, 0u);
  EXPECT_THAT(records_of<record::Group>(), SizeIs(2));
}

TEST_F(LaunchGroupsTest, NumberedRangesAreSampledTogetherAfterSome) {
  std::set<GroupId> sampled;
  for (int step = 0; step < 8; ++step)
    sampled.insert(launched(add, 1, path("step " + std::to_string(step)))->id);
  EXPECT_THAT(sampled, SizeIs(8));
  EXPECT_EQ(launched(add, 1, path("step 8"))->id, launched(add, 1, path("step 0"))->id);
  for (int step = 9; step < 30'000; ++step) launched(add, 1, path("step " + std::to_string(step)));
  EXPECT_THAT(records_of<record::Group>(), SizeIs(9)) << "of all later steps one";
}

TEST_F(LaunchGroupsTest, MessagesOfAllSizesAreSampledTogether) {
  Kernel& all_reduce = kernels.add(&groups, {.symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  const auto small = launched(all_reduce, 1, 0, 1024);
  const auto large = launched(all_reduce, 1, 0, 4096);
  EXPECT_NE(small->record, large->record);
  EXPECT_EQ(small->id, large->id);
}

TEST_F(LaunchGroupsTest, InstrumentsNeitherCollectivesNorGraphsWhenThereAreCollectives) {
  kernels.graph_made(&groups, "CUDA graph", 3);
  Kernel& all_reduce = kernels.add(&kernels, {.symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  std::vector<GroupId> ids = {launched(add, 1)->id, launched(all_reduce, 1)->id,
                              launched(kernels.graph(&groups), 1)->id};
  const LaunchGroups::Key node = {
      .context = &context, .kernel = &add, .grid = {2, 1, 1}, .is_in_graph = true};
  ids.push_back(groups.add(node, session, 0, {.context = &context, .grid = {2, 1, 1}}, 16, {})->id);
  for (int step = 0; step < 200; ++step) {
    for (const GroupId id : ids) {
      const bool is_counted = session.before_launch(id, true);
      device.launch(1e-5);
      session.after_launch(id, is_counted, false);
      session.traced(id, 1e-3, is_counted);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  session.finish();
  std::map<std::string, std::set<std::uint64_t>> counted;
  for (const auto& launch : records_of<record::Counted>()) counted[launch.pass].insert(launch.group);
  EXPECT_THAT(counted["memory"], SizeIs(4));
  EXPECT_THAT(counted["operations"], testing::ElementsAre(0));
}

TEST_F(LaunchGroupsTest, LeavesOutWhatIsTooMany) {
  for (std::uint32_t grid = 1; grid <= LaunchGroups::kMostGroups; ++grid) ASSERT_TRUE(launched(add, grid));
  EXPECT_FALSE(launched(add, 1'000'000));
  EXPECT_FALSE(launched(add, 2'000'000));
  EXPECT_TRUE(launched(add, 1)) << "those that are known go on";
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, HasSubstr("more than 32768 configurations"));
}

TEST_F(LaunchGroupsTest, LeavesOutKernelsThatAreTooMany) {
  Kernels few(sink, 2);
  const int handles[3] = {};
  Kernel& known = few.add(&handles[0], {.symbol = "one"});
  few.graph_made(&handles[1], "CUDA graph", 3);
  records.clear();
  Kernel& later = few.add(&handles[2], {.symbol = "two"});
  few.graph_made(&handles[2], "CUDA graph of its own", 4);
  EXPECT_EQ(few.find(&handles[2]), &later) << "the driver is not asked for it again";
  EXPECT_TRUE(later.is_left_out);
  EXPECT_TRUE(few.graph(&handles[2]).is_left_out);
  EXPECT_TRUE(few.graph(&groups).is_left_out);
  EXPECT_TRUE(few.in_graph("three").is_left_out);
  EXPECT_FALSE(few.in_graph("one").is_left_out);
  EXPECT_FALSE(few.graph(&handles[1]).is_left_out);
  EXPECT_TRUE(launched(known, 1)) << "those that are known go on";
  EXPECT_FALSE(launched(later, 1));
  EXPECT_FALSE(launched(later, 2));
  EXPECT_THAT(records_of<record::Kernel>(), IsEmpty());
  const auto problems = records_of<record::Problem>();
  ASSERT_THAT(problems, SizeIs(1));
  EXPECT_THAT(problems[0].cause, HasSubstr("more than 2 kernels and graphs: launches of those"));
}

TEST_F(LaunchGroupsTest, ADestroyedContextIsForgotten) {
  launched(add, 1);
  groups.forget(&context);
  EXPECT_EQ(launched(add, 1)->record, 1u);
}

// The sizes of messages that NCCL tells are of its own kernels.
TEST(Kernels, CollectivesOfOtherLibrariesAreNotOfNccl) {
  Kernels kernels([](const ProfileRecord&) {});
  const int handles[3] = {};
  const Kernel& nccl = kernels.add(&handles[0], {.symbol = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"});
  const Kernel& other =
      kernels.add(&handles[1], {.symbol = "_ZN4vllm26cross_device_reduce_1stageIfLi8EEEvPf"});
  const Kernel& none = kernels.add(&handles[2], {.symbol = "work"});
  EXPECT_TRUE(nccl.is_collective && nccl.is_of_nccl);
  EXPECT_TRUE(other.is_collective && !other.is_of_nccl);
  EXPECT_FALSE(none.is_collective || none.is_of_nccl);
}

TEST(Kernels, ThoseWithOneSymbolAreToldApartByTheirCode) {
  std::vector<ProfileRecord> records;
  Kernels kernels([&](const ProfileRecord& record) { records.push_back(record); });
  const int handles[4] = {};
  const Kernel& first = kernels.add(&handles[0], {.symbol = "work", .registers_per_thread = 32, .code = 1});
  const Kernel& other = kernels.add(&handles[1], {.symbol = "work", .registers_per_thread = 32, .code = 2});
  const Kernel& larger = kernels.add(&handles[2], {.symbol = "work", .registers_per_thread = 64, .code = 1});
  const Kernel& same = kernels.add(&handles[3], {.symbol = "work", .registers_per_thread = 32, .code = 1});
  EXPECT_EQ(&first, &same);
  EXPECT_NE(&first, &other);
  EXPECT_NE(&first, &larger);
  EXPECT_THAT(records, SizeIs(3));
  EXPECT_EQ(&kernels.in_graph("work"), &first);
}

TEST(Kernels, HandlesMeanOtherKernelsOnceAModuleIsUnloaded) {
  Kernels kernels([](const ProfileRecord&) {});
  const int handle = 0;
  const Kernel& before = kernels.add(&handle, {.symbol = "one"});
  EXPECT_EQ(kernels.find(&handle), &before);
  kernels.module_unloaded();
  EXPECT_EQ(kernels.find(&handle), nullptr);
  EXPECT_EQ(kernels.add(&handle, {.symbol = "two"}).symbol, "two");
}

}  // namespace
}  // namespace rooflinectl::injection::launch_groups_test
