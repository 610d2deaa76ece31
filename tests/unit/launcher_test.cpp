// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "core/machine/ranks.h"

namespace rooflinectl::launcher_test {
namespace {

std::optional<LauncherRank> rank_with(const std::map<std::string, std::string>& variables) {
  return launcher_rank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, KnowsTheRankOfEachLauncher) {
  EXPECT_EQ(rank_with({{"RANK", "3"}, {"WORLD_SIZE", "8"}}), (LauncherRank{3, 8}));
  EXPECT_EQ(rank_with({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), (LauncherRank{0, 2}));
  EXPECT_EQ(rank_with({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), (LauncherRank{1, 2}));
  EXPECT_EQ(rank_with({{"SLURM_PROCID", "1023"}, {"SLURM_NTASKS", "1024"}, {"SLURM_STEP_ID", "0"}}),
            (LauncherRank{1023, 1024}));
  EXPECT_EQ(rank_with({{"PATH", "/bin"}}), std::nullopt);
}

TEST(Launcher, KnowsTheRankOnTheHost) {
  EXPECT_EQ(rank_with({{"RANK", "3"}, {"LOCAL_RANK", "1"}})->local_rank, 1);
  EXPECT_EQ(rank_with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}})->local_rank, 0);
  EXPECT_EQ(rank_with({{"PMI_RANK", "3"}, {"MPI_LOCALRANKID", "1"}})->local_rank, 1);
  EXPECT_EQ(rank_with({{"SLURM_PROCID", "3"}, {"SLURM_LOCALID", "1"}, {"SLURM_STEP_ID", "0"}})->local_rank,
            1);
  EXPECT_EQ(rank_with({{"RANK", "3"}})->local_rank, std::nullopt);
}

TEST(Launcher, TakesTheAddressFromNcclOrElseTheMaster) {
  const auto address = [](std::map<std::string, std::string> variables) {
    variables["RANK"] = "0";
    return rank_with(variables)->address;
  };
  EXPECT_EQ(address({{"NCCL_COMM_ID", "10.0.0.1:7000"}, {"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}}),
            "10.0.0.1:7000");
  EXPECT_EQ(address({{"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29500"}}), "node7:29501");
  EXPECT_EQ(address({{"MASTER_ADDR", "node7"}}), "");
  EXPECT_EQ(address({{"MASTER_PORT", "29500"}}), "");
}

TEST(Launcher, TakesABatchScriptForNoRank) {
  EXPECT_EQ(rank_with({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "1234"}}),
            std::nullopt);
}

TEST(Launcher, TakesTheInnermostOne) {
  const auto rank = rank_with({{"SLURM_PROCID", "1"},
                               {"SLURM_NTASKS", "2"},
                               {"SLURM_STEP_ID", "0"},
                               {"RANK", "5"},
                               {"WORLD_SIZE", "16"}});
  EXPECT_EQ(rank->rank, 5);
  EXPECT_EQ(rank->ranks, 16);
}

TEST(Launcher, BelievesOnlyNumbersThatFit) {
  EXPECT_EQ(rank_with({{"RANK", "first"}, {"PMI_RANK", "1"}}), (LauncherRank{1, std::nullopt}));
  EXPECT_EQ(rank_with({{"RANK", "-1"}}), std::nullopt);
  EXPECT_EQ(rank_with({{"RANK", ""}}), std::nullopt);
  EXPECT_EQ(rank_with({{"RANK", "3"}, {"WORLD_SIZE", "3"}}), (LauncherRank{3, std::nullopt}));
}

TEST(Launcher, KnowsWhetherThereAreOthers) {
  EXPECT_TRUE((LauncherRank{0, 2}).has_others());
  EXPECT_TRUE((LauncherRank{0, std::nullopt}).has_others());
  EXPECT_FALSE((LauncherRank{0, 1}).has_others());
}

}  // namespace
}  // namespace rooflinectl::launcher_test
