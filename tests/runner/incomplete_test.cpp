// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "runner/profiling/points/merge.h"

namespace rooflinectl::incomplete_test {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

/// Points of these seconds, each of which lacks these passes; 100 s in all.
MergedProfile profile_of(const std::vector<std::pair<double, std::vector<Pass>>>& points) {
  MergedProfile profile;
  profile.application.devices = {{.kernel_s = 60}, {.kernel_s = 40}};
  for (const auto& [total_s, missing] : points) {
    profile.measurements.emplace_back().launches = LaunchStatistics{.total_s = total_s};
    profile.details.push_back({.symbol = "k" + std::to_string(profile.details.size()), .missing = missing});
  }
  return profile;
}

TEST(IncompletePoints, AreThoseThatMatter) {
  const MergedProfile profile = profile_of(
      {{50, {Pass::operations}}, {40, {}}, {1.1, {Pass::memory, Pass::operations}}, {0.9, {Pass::memory}}});
  EXPECT_THAT(incomplete_points(profile),
              ElementsAre(Field(&IncompletePoint::place, 0), Field(&IncompletePoint::place, 2)));
  EXPECT_THAT(incomplete_points({}), IsEmpty());
}

TEST(IncompletePoints, OfTheEarliestPassComeFirst) {
  const MergedProfile profile =
      profile_of({{50, {Pass::operations}}, {30, {Pass::memory, Pass::operations}}, {20, {Pass::memory}}});
  EXPECT_THAT(points_of_next_run(incomplete_points(profile)),
              ElementsAre(Field(&IncompletePoint::place, 1), Field(&IncompletePoint::place, 2)));
}

TEST(IncompletePoints, AreAllThatTheNextRunCounts) {
  const MergedProfile profile =
      profile_of({{50, {Pass::tensor_f16, Pass::tensor_bf16}}, {30, {}}, {20, {Pass::tensor_f16}}});
  const ProfileSettings settings =
      settings_for(incomplete_points(profile), profile, {.samples = 7, .kernel = "k"});
  EXPECT_THAT(settings.passes, ElementsAre(Pass::tensor_bf16, Pass::tensor_f16));
  EXPECT_THAT(settings.only, ElementsAre("k0", "k2"));
  EXPECT_EQ(settings.samples, 7);
}

TEST(IncompletePoints, TheNextRunKnowsHowLongTheirKernelsTake) {
  MergedProfile profile = profile_of({{50, {Pass::memory}}, {30, {}}, {20, {Pass::memory}}});
  profile.details[0].longest_s = 0.2;
  profile.details[1].longest_s = 0.5;
  profile.details[1].symbol = "k0";  // in another shape
  const ProfileSettings settings =
      settings_for(incomplete_points(profile), profile, {.known_s = {{"old", 1}}});
  EXPECT_THAT(settings.known_s, ElementsAre(testing::Pair("k0", 0.5))) << "nothing is known of k2";
}

TEST(IncompletePoints, FitAnEnvironmentVariable) {
  MergedProfile profile = profile_of({{50, {Pass::memory}}, {30, {Pass::memory}}});
  profile.details[1].symbol = std::string(100'000, 'k');
  EXPECT_THAT(settings_for(incomplete_points(profile), profile, {}).only, ElementsAre("k0"));
}

}  // namespace
}  // namespace rooflinectl::incomplete_test
