// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/graph_launches.h"

#include <gmock/gmock.h>

#include <string>

namespace rooflinectl::injection::graph_launches_test {
namespace {

Launch kernel_of(std::uint32_t grid) {
  return {.symbol = "add", .grid = {grid, 1, 1}, .block = {64, 1, 1}};
}

activities::Kernel traced(std::uint32_t grid) {
  return {.symbol = "add", .grid = {grid, 1, 1}, .block = {64, 1, 1}};
}

std::shared_ptr<const GraphNodes> graph_of(std::vector<Launch> kernels) {
  return std::make_shared<GraphNodes>(GraphNodes{.name = "CUDA graph", .kernels = std::move(kernels)});
}

TEST(GraphGroups, FindsTheGroupOfAKernelByItsShape) {
  GraphGroups groups;
  groups.add("add", kernel_of(1), {.record = 7, .id = 70});
  groups.add("add", kernel_of(2), {.record = 8, .id = 80});
  groups.add("add", kernel_of(1), {.record = 7, .id = 70});
  EXPECT_THAT(groups.kernels(), testing::ElementsAre(70, 80, 70));
  ASSERT_THAT(groups.members(), testing::SizeIs(2));
  EXPECT_EQ(groups.members()[0].kernels, 2u);
  EXPECT_EQ(groups.find(traced(2)), std::optional<std::size_t>(1));
  EXPECT_EQ(groups.find(traced(3)), std::nullopt);
}

TEST(GraphLaunches, RunsFewLaunchesOfAGraphByNodes) {
  GraphLaunches graphs;
  int by_nodes = 0;
  for (int launch = 1; launch <= 1000; ++launch) {
    if (graphs.may_run_by_nodes("one", 0) == ByNodes::not_at_all) continue;
    graphs.runs_by_nodes("one", 0);
    ++by_nodes;
  }
  EXPECT_EQ(by_nodes, 1000 / 50);
  EXPECT_EQ(graphs.may_run_by_nodes("another", 0), ByNodes::for_first_samples);
  EXPECT_EQ(graphs.may_run_by_nodes("one", 1), ByNodes::for_first_samples)
      << "another graph that launches the same";
}

TEST(GraphLaunches, RunsAGraphByNodesOnceForEachPassAtFirst) {
  GraphLaunches graphs;
  int by_nodes = 0;
  for (int launch = 1; launch <= 49; ++launch) {
    if (graphs.may_run_by_nodes("one", 0) != ByNodes::for_first_samples) continue;
    graphs.runs_by_nodes("one", 0);
    ++by_nodes;
  }
  EXPECT_EQ(by_nodes, 5) << "memory, operations, tensor, stalls, pipes";
}

TEST(GraphLaunches, SparesAGraphThatIsLaunchedUnderEverNewPaths) {
  GraphLaunches graphs;
  int by_nodes = 0;
  for (PathId path = 0; path < 500; ++path) {
    if (graphs.may_run_by_nodes("one", path) == ByNodes::not_at_all) continue;
    graphs.runs_by_nodes("one", path);
    ++by_nodes;
  }
  EXPECT_LE(by_nodes, 16 + 5 + 500 / 50);
}

TEST(GraphLaunches, SparesGraphsOfEverNewNames) {
  GraphLaunches graphs;
  const auto launches_by_nodes = [&](int first, int last) {
    int by_nodes = 0;
    for (int graph = first; graph < last; ++graph) {
      const std::string name = std::to_string(graph);
      if (graphs.may_run_by_nodes(name, 0) == ByNodes::not_at_all) continue;
      graphs.runs_by_nodes(name, 0);
      ++by_nodes;
    }
    return by_nodes;
  };
  EXPECT_EQ(launches_by_nodes(0, 4096), 4096);
  EXPECT_EQ(launches_by_nodes(10'000, 10'500), 500 / 50) << "they share what one may";
}

TEST(GraphLaunches, KnowsGraphsThatWereMadeAnewByWhatTheyLaunch) {
  GraphLaunches graphs;
  const int context = 0;
  const auto groups = std::make_shared<GraphGroups>();
  graphs.add(graph_of({kernel_of(1), kernel_of(2)}), &context, 3, groups);
  EXPECT_EQ(graphs.find(graph_of({kernel_of(1), kernel_of(2)}), &context, 3), groups);
  EXPECT_EQ(graphs.find(graph_of({kernel_of(1), kernel_of(3)}), &context, 3), nullptr);
  EXPECT_EQ(graphs.find(graph_of({kernel_of(1)}), &context, 3), nullptr);
  EXPECT_EQ(graphs.find(graph_of({kernel_of(1), kernel_of(2)}), &context, 4), nullptr);
  graphs.forget(&context);
  EXPECT_EQ(graphs.find(graph_of({kernel_of(1), kernel_of(2)}), &context, 3), nullptr);
}

}  // namespace
}  // namespace rooflinectl::injection::graph_launches_test
