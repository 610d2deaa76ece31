// SPDX-License-Identifier: Apache-2.0
#include "injection/ranges/nvtx_paths.h"

#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rooflinectl::injection::nvtx_paths_test {
namespace {

const void* const kDefaultDomain = nullptr;
const int kSomething = 0;
const void* const kOtherDomain = &kSomething;

std::string path(NvtxPaths& paths) {
  return paths.text(paths.current());
}

/// What `work` returns on a thread of its own.
template <typename Work>
auto on_another_thread(Work work) {
  decltype(work()) result;
  std::thread([&] { result = work(); }).join();
  return result;
}

TEST(NvtxPaths, NamesTheRangesFromTheOutermost) {
  NvtxPaths paths;
  EXPECT_EQ(path(paths), "");
  EXPECT_EQ(paths.push(kDefaultDomain, "step"), 0);
  EXPECT_EQ(paths.push(kDefaultDomain, "forward"), 1);
  EXPECT_EQ(path(paths), "step/forward");
  EXPECT_EQ(paths.pop(kDefaultDomain), 1);
  EXPECT_EQ(path(paths), "step");
  EXPECT_EQ(paths.pop(kDefaultDomain), 0);
  EXPECT_EQ(path(paths), "");
}

TEST(NvtxPaths, GivesTheSamePathTheSameId) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "step");
  const PathId first = paths.current();
  paths.pop(kDefaultDomain);
  EXPECT_EQ(paths.current(), 0u);
  paths.push(kDefaultDomain, "step");
  EXPECT_EQ(paths.current(), first);
}

TEST(NvtxPaths, PopsTheLastRangeOfItsDomain) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "step");
  EXPECT_EQ(paths.push(kOtherDomain, "ncclAllReduce"), 0) << "depths are per domain";
  paths.push(kDefaultDomain, "forward");
  EXPECT_EQ(path(paths), "step/ncclAllReduce/forward");
  paths.pop(kOtherDomain);
  EXPECT_EQ(path(paths), "step/forward");
}

TEST(NvtxPaths, IgnoresAPopWithoutAPush) {
  NvtxPaths paths;
  EXPECT_LT(paths.pop(kDefaultDomain), 0);
  paths.push(kDefaultDomain, "step");
  EXPECT_LT(paths.pop(kOtherDomain), 0);
  EXPECT_EQ(path(paths), "step");
}

TEST(NvtxPaths, StartedRangesAreAroundThoseOfEveryThread) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "forward");
  const std::uint64_t epoch = paths.start("epoch");
  const std::uint64_t step = paths.start("step");
  EXPECT_EQ(path(paths), "epoch/step/forward");
  EXPECT_EQ(on_another_thread([&] {
              paths.push(kDefaultDomain, "load");
              return path(paths);
            }),
            "epoch/step/load");
  paths.end(epoch);
  paths.end(epoch);
  EXPECT_EQ(path(paths), "step/forward");
  paths.end(step);
  EXPECT_EQ(path(paths), "forward");
}

TEST(NvtxPaths, AThreadWithoutRangesHasThoseOfTheThreadThatOpenedOneLast) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "step");
  paths.push(kDefaultDomain, "backward");
  EXPECT_EQ(on_another_thread([&] { return path(paths); }), "step/backward");
  paths.pop(kDefaultDomain);
  EXPECT_EQ(on_another_thread([&] { return path(paths); }), "step");
}

TEST(NvtxPaths, AThreadThatClosedItsRangesLendsNone) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "step");
  on_another_thread([&] {
    paths.push(kDefaultDomain, "load");
    return paths.pop(kDefaultDomain);
  });
  EXPECT_EQ(on_another_thread([&] { return path(paths); }), "step");
}

TEST(NvtxPaths, AThreadWithRangesHasItsOwnAlone) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "step");
  EXPECT_EQ(on_another_thread([&] {
              paths.push(kDefaultDomain, "copy");
              return path(paths);
            }),
            "copy");
}

TEST(NvtxPaths, ByThreadAThreadWithoutRangesHasNone) {
  NvtxPaths paths(NvtxScope::thread);
  paths.push(kDefaultDomain, "step");
  EXPECT_EQ(on_another_thread([&] { return path(paths); }), "");
  EXPECT_EQ(path(paths), "step");
}

TEST(NvtxPaths, TheRangesOfAThreadEndWithIt) {
  NvtxPaths paths;
  on_another_thread([&] { return paths.push(kDefaultDomain, "never popped"); });
  EXPECT_EQ(path(paths), "");
}

TEST(NvtxPaths, FoldsNumbersOfNamesOnceThereAreMany) {
  NvtxPaths paths;
  std::set<std::string> texts;
  for (int step = 0; step < 30'000; ++step) {
    paths.push(kDefaultDomain, "step " + std::to_string(step));
    paths.push(kDefaultDomain, step % 2 == 0 ? "fp16" : "fp32");
    texts.insert(path(paths));
    paths.pop(kDefaultDomain);
    paths.pop(kDefaultDomain);
  }
  EXPECT_THAT(texts, testing::SizeIs(8 + 2));
  EXPECT_THAT(texts, testing::IsSupersetOf({"step 0/fp16", "step 7/fp32", "step #/fp16", "step #/fp32"}));
}

TEST(NvtxPaths, MakesPathsOnlyWhereSomethingIsLaunched) {
  NvtxPaths paths;
  for (int i = 0; i < 1000; ++i) {
    paths.push(kDefaultDomain,
               "nothing is launched in " + std::string(1 + i % 26, static_cast<char>('a' + i % 26)));
    paths.pop(kDefaultDomain);
  }
  paths.push(kDefaultDomain, "step");
  EXPECT_EQ(paths.current(), 1u) << "the first path, besides the empty one";
}

TEST(NvtxPaths, ManyNamesNeedLittleMemory) {
  const auto allocated = [] { return mallinfo2().uordblks; };
  const std::size_t before = allocated();
  NvtxPaths paths;
  for (int i = 0; i < 400'000; ++i) {
    std::string name = "request ";  // an id in letters
    for (int rest = i; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    paths.push(kDefaultDomain, name);
    paths.current();
    paths.pop(kDefaultDomain);
    if (i % 10'000 == 0) paths.take_closed();
  }
  paths.take_closed();
  EXPECT_LT(allocated() - before, std::size_t{16} << 20);
  EXPECT_TRUE(paths.has_left_out());
  paths.push(kDefaultDomain, "one more");
  EXPECT_EQ(path(paths), RangeNames::kOther);
}

TEST(NvtxPaths, AForkedChildWaitsForNoThreadOfItsParent) {
  NvtxPaths paths;
  std::atomic<bool> is_over = false;
  std::thread busy([&] {
    while (!is_over) {
      paths.push(kDefaultDomain, "of a thread that the child does not have");
      paths.current();
      paths.pop(kDefaultDomain);
    }
  });
  paths.push(kDefaultDomain, "around");
  int ended_well = 0;
  for (int i = 0; i < 20; ++i) {
    paths.before_fork();
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);  // rather than for ever
      paths.after_fork_in_child();
      paths.push(kDefaultDomain, "own");
      _exit(path(paths) == "around/own" ? 0 : 1);
    }
    paths.after_fork_in_parent();
    int status = 0;
    waitpid(child, &status, 0);
    if (status == 0) ++ended_well;
  }
  is_over = true;
  busy.join();
  EXPECT_EQ(ended_well, 20);
}

TEST(NvtxPaths, TellsOfClosedRangesWithinWhichSomethingWasLaunched) {
  NvtxPaths paths;
  const std::uint64_t epoch = paths.start("epoch");
  for (int step = 0; step < 2; ++step) {
    paths.push(kDefaultDomain, "step");
    paths.push(kDefaultDomain, "forward");
    paths.current();
    paths.pop(kDefaultDomain);
    paths.push(kDefaultDomain, "nothing is launched here");
    paths.pop(kDefaultDomain);
    paths.pop(kDefaultDomain);
  }
  const auto closed = paths.take_closed();
  ASSERT_EQ(closed.size(), 2);
  EXPECT_EQ(closed[0].path, "epoch/step");
  EXPECT_EQ(closed[1].path, "epoch/step/forward");
  ASSERT_EQ(closed[0].ranges.size(), 2);
  ASSERT_EQ(closed[1].ranges.size(), 2);
  const record::Range& step = closed[0].ranges[1];
  const record::Range& forward = closed[1].ranges[1];
  EXPECT_LE(step.start_ns, forward.start_ns);
  EXPECT_GE(step.start_ns + step.duration_ns, forward.start_ns + forward.duration_ns);
  EXPECT_GE(step.start_ns, closed[0].ranges[0].start_ns + closed[0].ranges[0].duration_ns);
  paths.end(epoch);
  EXPECT_EQ(paths.take_closed().size(), 1);
  EXPECT_TRUE(paths.take_closed().empty());
}

TEST(NvtxPaths, ALaunchOfABorrowingThreadIsWithinTheRangesThatItBorrows) {
  NvtxPaths paths;
  paths.push(kDefaultDomain, "backward");
  on_another_thread([&] { return paths.current(); });
  paths.pop(kDefaultDomain);
  EXPECT_EQ(paths.take_closed().size(), 1);
}

TEST(NvtxPaths, MayBeUsedFromManyThreads) {
  NvtxPaths paths;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, name = "thread " + std::to_string(i)] {
      for (int repeat = 0; repeat < 1000; ++repeat) {
        paths.push(kDefaultDomain, name);
        paths.push(kDefaultDomain, "inner");
        if (path(paths) != name + "/inner") ++wrong;
        paths.pop(kDefaultDomain);
        paths.pop(kDefaultDomain);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rooflinectl::injection::nvtx_paths_test
