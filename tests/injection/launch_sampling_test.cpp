// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/launch_sampling.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace rooflinectl::injection::launch_sampling_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// The launches of a group, from 1, that are counted of `launches` if each can be.
std::vector<int> counted_of(LaunchSampling& sampling, GroupId group, int launches) {
  std::vector<int> counted;
  for (int launch = 1; launch <= launches; ++launch) {
    if (!sampling.wants(group)) continue;
    sampling.counted(group, launch);
    counted.push_back(launch);
  }
  return counted;
}

TEST(LaunchSampling, CountsTheFirstLaunchAndThenEachTimeTheirNumberHasDoubled) {
  LaunchSampling sampling(4);
  const GroupId group = sampling.add_group(0, {});
  EXPECT_THAT(counted_of(sampling, group, 100), ElementsAre(1, 2, 4, 8));
  EXPECT_TRUE(sampling.is_complete(group, Pass::memory));
}

TEST(LaunchSampling, KnowsWhenTheProgramRepeatsWhatItDoes) {
  LaunchSampling sampling(1);
  const GroupId once = sampling.add_group(0, {});
  const GroupId often = sampling.add_group(0, {});
  EXPECT_FALSE(sampling.steps().have_repeated(10)) << "nothing was launched";
  sampling.launched(once);
  for (int launch = 0; launch < 13; ++launch) sampling.launched(often);
  EXPECT_FALSE(sampling.steps().have_repeated(10)) << "one may be the first of a group that comes again";
  sampling.launched(once);
  EXPECT_TRUE(sampling.steps().have_repeated(10));
  EXPECT_FALSE(sampling.steps().have_repeated(0.01)) << "that soon";
  sampling.launched(often);
  EXPECT_TRUE(sampling.steps().have_repeated(0.01)) << "many of each";
  EXPECT_EQ(sampling.steps().launches_of(often), 14u);
  sampling.add_group(10, {});
  EXPECT_EQ(sampling.steps().launches_of(often), 0u);
  EXPECT_FALSE(sampling.steps().have_repeated(20));
}

TEST(LaunchSampling, IsContentWithOneLaunchOfAKernelInAGraph) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {.is_in_graph = true});
  EXPECT_TRUE(sampling.is_missing(group, Pass::memory));
  sampling.counted(group, 1);
  EXPECT_FALSE(sampling.is_missing(group, Pass::memory));
  EXPECT_TRUE(sampling.is_awaited(group, Pass::memory));
}

TEST(LaunchSampling, CountsEachLaunchOfAKernelInAGraphUntilItHasItsSamples) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {.is_in_graph = true});
  EXPECT_THAT(counted_of(sampling, group, 10), ElementsAre(1, 2, 3));
}

TEST(LaunchSampling, CountsEachGroupInEachPass) {
  LaunchSampling sampling(2);
  const GroupId one = sampling.add_group(0, {});
  const GroupId other = sampling.add_group(0, {});
  EXPECT_THAT(counted_of(sampling, one, 5), ElementsAre(1, 2));
  EXPECT_THAT(counted_of(sampling, other, 1), ElementsAre(1));
  sampling.begin(Pass::operations, 6);
  EXPECT_THAT(counted_of(sampling, one, 5), ElementsAre(1, 2));
  EXPECT_FALSE(sampling.is_complete(other, Pass::memory));
  EXPECT_EQ(sampling.samples_of(other, Pass::memory), 1);
  EXPECT_EQ(sampling.samples_of(other, Pass::operations), 0);
}

TEST(LaunchSampling, InLaterPassesCountsOnlyWhatWasSeenToEnd) {
  LaunchSampling sampling(1);
  const GroupId waiting = sampling.add_group(0, {});
  sampling.voided(waiting);
  sampling.begin(Pass::operations, 1);
  EXPECT_FALSE(sampling.has_awaited(Pass::operations));
  EXPECT_THAT(counted_of(sampling, waiting, 5), ElementsAre());
}

TEST(LaunchSampling, ResumesAPassWhereItWasLeft) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  EXPECT_THAT(counted_of(sampling, group, 2), ElementsAre(1, 2));
  sampling.begin(Pass::operations, 3);
  sampling.begin(Pass::memory, 4);
  EXPECT_THAT(counted_of(sampling, group, 9), ElementsAre(1)) << "one sample was missing";
}

TEST(LaunchSampling, CountsTensorOperationsOnlyWhereTensorInstructionsWereSeen) {
  LaunchSampling sampling(1);
  const GroupId product = sampling.add_group(0, {});
  const GroupId copy = sampling.add_group(0, {});
  EXPECT_THAT(counted_of(sampling, product, 1), ElementsAre(1));
  EXPECT_THAT(counted_of(sampling, copy, 1), ElementsAre(1));
  sampling.need(product, Pass::tensor_bf16);
  EXPECT_TRUE(sampling.has_awaited(Pass::tensor_bf16));
  EXPECT_FALSE(sampling.has_awaited(Pass::tensor_f64));
  sampling.begin(Pass::tensor_bf16, 1);
  EXPECT_THAT(counted_of(sampling, product, 3), ElementsAre(1));
  EXPECT_THAT(counted_of(sampling, copy, 3), ElementsAre());
  EXPECT_TRUE(sampling.is_complete(copy, Pass::tensor_bf16));
}

TEST(LaunchSampling, LeavesAKernelAloneThatIsNeverDoneInTime) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {.kernel = 1});
  std::vector<int> tried;
  for (int launch = 1; launch <= 100; ++launch) {
    if (!sampling.wants(group)) continue;
    tried.push_back(launch);
    sampling.voided(group);
  }
  EXPECT_THAT(tried, ElementsAre(1, 4, 7)) << "some pass between, whose times tell how long one takes";
  EXPECT_TRUE(sampling.is_left_alone(group));
  EXPECT_FALSE(sampling.is_complete(group, Pass::memory));
  EXPECT_TRUE(sampling.is_left_alone(sampling.add_group(100, {.kernel = 1}))) << "the same kernel";
  EXPECT_FALSE(sampling.is_left_alone(sampling.add_group(100, {.kernel = 2})));
}

TEST(LaunchSampling, ForgivesWhatWasVoidOnce) {
  LaunchSampling sampling(10);
  const GroupId group = sampling.add_group(0, {});
  for (int launch = 1, tries = 0; launch <= 1024; ++launch) {
    if (!sampling.wants(group)) continue;
    if (++tries % 2 == 0) {
      sampling.counted(group, launch);
    } else {
      sampling.voided(group);
    }
  }
  EXPECT_FALSE(sampling.is_left_alone(group));
  EXPECT_EQ(sampling.samples_of(group, Pass::memory), 8);
}

TEST(LaunchSampling, CountsMoreOfAGroupThatVariesOneAfterTheOther) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  EXPECT_THAT(counted_of(sampling, group, 10), ElementsAre(1, 2, 4));
  sampling.varies(group);
  const auto more = counted_of(sampling, group, 100);
  ASSERT_EQ(more.size(), LaunchSampling::kVaryingSamples - 3u);
  EXPECT_EQ(more.back() - more.front() + 1, static_cast<int>(more.size())) << "none was left out";
}

TEST(LaunchSampling, CountsFewLaunchesInLaterPassesOfAGroupOfWhichOnlyTheFirstDiffer) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  sampling.varies(group);
  EXPECT_EQ(counted_of(sampling, group, 100).size(), LaunchSampling::kVaryingSamples + 0u);
  sampling.settles(group, true);
  sampling.begin(Pass::operations, 1);
  EXPECT_THAT(counted_of(sampling, group, 100), ElementsAre(1, 2, 3)) << "which are slow";
  sampling.begin(Pass::pipes, 1);
  EXPECT_THAT(counted_of(sampling, group, 100), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  sampling.settles(group, false);
  EXPECT_EQ(counted_of(sampling, group, 100).size(), LaunchSampling::kVaryingSamples - 8u)
      << "it differs again";
}

/// Steps of a program that launches each group once; returns how many launches of each were counted.
std::map<GroupId, int> steps(LaunchSampling& sampling, int count, const std::vector<GroupId>& groups) {
  std::map<GroupId, int> counted;
  for (int step = 0; step < count; ++step) {
    for (const GroupId group : groups) {
      sampling.launched(group);
      const bool is_counted = sampling.wants(group);
      if (is_counted) sampling.counted(group, 0);
      counted[group] += is_counted ? 1 : 0;
    }
  }
  return counted;
}

TEST(LaunchSampling, CountsInTheProgramsStepsWhatItCountedBeforeThem) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  const GroupId varying = sampling.add_group(0, {});
  sampling.varies(varying);
  EXPECT_THAT(steps(sampling, 100, {group, varying}),
              ElementsAre(Pair(group, 3), Pair(varying, LaunchSampling::kVaryingSamples)));
  const GroupId of_steps = sampling.add_group(1, {});
  EXPECT_THAT(steps(sampling, 100, {group, varying, of_steps}),
              ElementsAre(Pair(group, 0), Pair(varying, 0), Pair(of_steps, 3)));
  EXPECT_TRUE(sampling.lacks_samples_of_steps(group, 2, 1.5));
  EXPECT_TRUE(sampling.lacks_samples_of_steps(varying, 24, 1.5));
  EXPECT_FALSE(sampling.lacks_samples_of_steps(of_steps, 2, 1.5)) << "all of it was";
  EXPECT_THAT(steps(sampling, 100, {group, varying}), ElementsAre(Pair(group, 2), Pair(varying, 24)));
  EXPECT_FALSE(sampling.lacks_samples_of_steps(group, 2, 1.5)) << "once is enough";
  EXPECT_TRUE(sampling.lacks_samples_of_steps(group, 8, 1.5));
  EXPECT_THAT(steps(sampling, 100, {group}), ElementsAre(Pair(group, 6)));
  const GroupId rare = sampling.add_group(2, {});
  steps(sampling, 1, {rare});
  EXPECT_FALSE(sampling.lacks_samples_of_steps(rare, 4, 2.5)) << "they would take 1.5 s";
  EXPECT_TRUE(sampling.lacks_samples_of_steps(rare, 2, 2.5));
}

TEST(LaunchSampling, WaitsForNoLaunchesOfTheStepsThatDoNotCome) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  const GroupId other = sampling.add_group(0, {});
  steps(sampling, 100, {group, other});
  sampling.add_group(1, {});
  steps(sampling, 100, {group, other});
  EXPECT_TRUE(sampling.lacks_samples_of_steps(group, 2, 1.4));
  steps(sampling, 400, {other});
  EXPECT_TRUE(sampling.lacks_samples_of_steps(group, 2, 2.2));
  steps(sampling, 200, {other});
  EXPECT_FALSE(sampling.lacks_samples_of_steps(group, 2, 2.6)) << "as many as came within 1 s";
  EXPECT_THAT(steps(sampling, 1, {group}), ElementsAre(Pair(group, 0)));
}

TEST(LaunchSampling, WhatCameInOneBurstIsNoPartOfTheSteps) {
  LaunchSampling sampling(3);
  const GroupId first = sampling.add_group(0, {});
  const GroupId always = sampling.add_group(0, {});
  const GroupId last = sampling.add_group(0, {});
  steps(sampling, 20, {first});
  EXPECT_TRUE(sampling.steps().is_steady(first, 0.4)) << "too early to tell";
  steps(sampling, 80, {always});
  steps(sampling, 20, {always, last});
  EXPECT_FALSE(sampling.steps().is_steady(first, 1));
  EXPECT_TRUE(sampling.steps().is_steady(always, 1));
  EXPECT_FALSE(sampling.steps().is_steady(last, 1));
  EXPECT_FALSE(sampling.lacks_samples_of_steps(last, 30, 1));
}

TEST(LaunchSampling, CountsEachPlaceOfAPeriodOnceInEachPass) {
  constexpr std::size_t kPeriod = 40;
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  sampling.varies(group);
  std::uint64_t ordinal = 0;
  for (; ordinal < 20; ++ordinal) {
    ASSERT_TRUE(sampling.wants(group, ordinal));
    sampling.counted(group, 0, ordinal);
  }
  sampling.repeats(group, kPeriod);
  for (const Pass pass : {Pass::memory, Pass::tensor}) {
    sampling.begin(pass, 1);
    std::multiset<std::uint64_t> places;
    for (std::uint64_t known = 0; pass == Pass::memory && known < 20; ++known) places.insert(known);
    for (; !sampling.is_complete(group, pass); ++ordinal) {
      ASSERT_LT(ordinal, 1000);
      if (!sampling.wants(group, ordinal)) continue;
      if (ordinal % 7 == 0) {  // earlier work was not done in time
        sampling.postponed(group);
      } else {
        places.insert(ordinal % kPeriod);
        sampling.counted(group, 1, ordinal);
      }
    }
    EXPECT_EQ(places.size(), kPeriod);
    EXPECT_EQ(std::set(places.begin(), places.end()).size(), kPeriod);
  }
}

constexpr double kPatience = 0.5;

TEST(LaunchSampling, APassEndsSoonAfterAllGroupsHaveTheirSamples) {
  LaunchSampling sampling(1);
  EXPECT_FALSE(sampling.is_over(100, kPatience)) << "nothing was launched yet";
  const GroupId group = sampling.add_group(100, {});
  ASSERT_TRUE(sampling.wants(group));
  sampling.counted(group, 100);
  EXPECT_FALSE(sampling.is_over(100.4, kPatience)) << "the trace may still show that it varies";
  EXPECT_TRUE(sampling.is_over(100.6, kPatience));

  sampling.begin(Pass::operations, 101);
  ASSERT_TRUE(sampling.wants(group));
  sampling.counted(group, 101);
  EXPECT_FALSE(sampling.is_over(101.05, 0.1));
  EXPECT_TRUE(sampling.is_over(101.15, 0.1));
  sampling.add_group(101.16, {});
  EXPECT_TRUE(sampling.is_over(102, 0.1)) << "it is to be seen in the memory pass first";
}

TEST(LaunchSampling, WantsFewLaunchesWhenTheyAreInstrumentedOneByOne) {
  LaunchSampling sampling(3);
  const GroupId plain = sampling.add_group(0, {});
  const GroupId varying = sampling.add_group(0, {});
  const GroupId same = sampling.add_group(0, {});
  const GroupId in_graph = sampling.add_group(0, {.may_be_instrumented_alone = false});
  for (const GroupId group : {plain, varying, same, in_graph}) sampling.counted(group, 1);
  sampling.varies(varying);
  sampling.varies(same);
  sampling.does_the_same(same);
  sampling.begin(Pass::operations, 1);
  sampling.instruments_one_by_one();
  EXPECT_THAT(counted_of(sampling, plain, 100), ElementsAre(1));
  EXPECT_THAT(counted_of(sampling, varying, 100), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(counted_of(sampling, same, 100), ElementsAre(1));
  EXPECT_FALSE(sampling.has_awaited(Pass::operations)) << "none in a graph";
  EXPECT_TRUE(sampling.is_over(102, 0.1));
  EXPECT_TRUE(sampling.is_awaited(in_graph, Pass::tensor));
}

TEST(LaunchSampling, APassEndsWhereNothingNewComes) {
  LaunchSampling sampling(2);
  const GroupId once = sampling.add_group(0, {});
  ASSERT_TRUE(sampling.wants(once));
  sampling.counted(once, 0);
  EXPECT_FALSE(sampling.is_over(0.4, kPatience));
  EXPECT_TRUE(sampling.is_over(0.6, kPatience));
}

TEST(LaunchSampling, SlowStepsAreWaitedForAsLongAsTheyTook) {
  LaunchSampling sampling(3);
  const GroupId group = sampling.add_group(0, {});
  sampling.add_group(0, {});
  sampling.begin(Pass::memory, 0);
  ASSERT_TRUE(sampling.wants(group));
  sampling.counted(group, 1.2);
  EXPECT_FALSE(sampling.is_over(2.3, kPatience)) << "the other group may come as late";
  EXPECT_TRUE(sampling.is_over(2.5, kPatience));
}

TEST(LaunchSampling, AGroupThatIsLeftAloneHoldsNothingUp) {
  LaunchSampling sampling(1);
  const GroupId group = sampling.add_group(0, {});
  for (int i = 0; i < LaunchSampling::kMostVoids; ++i) sampling.voided(group);
  EXPECT_TRUE(sampling.is_over(0.6, kPatience));
}

}  // namespace
}  // namespace rooflinectl::injection::launch_sampling_test
