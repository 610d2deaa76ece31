// SPDX-License-Identifier: Apache-2.0
// How NCCL is found and called, with a library in its place that needs no GPU (fake_nccl.cpp).
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "collector/device/libraries.h"
#include "core/error.h"

namespace rooflinectl::nccl {
namespace {

using testing::HasSubstr;

class NcclLibrary : public testing::Test {
 protected:
  NcclLibrary() {
    setenv("ROOFLINECTL_NCCL", FAKE_NCCL, 1);
    unsetenv("FAKE_NCCL_FAILS");
  }

  /// What was called since the last time.
  static std::string calls() {
    void* const library = dlopen(FAKE_NCCL, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return "not loaded";
    auto* const taken = reinterpret_cast<const char* (*)()>(dlsym(library, "fake_nccl_calls"));
    std::string text = taken();
    dlclose(library);
    return text;
  }

  /// The message of what `call` throws.
  template <typename Call>
  static Error error_of(Call call) {
    try {
      call();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {ErrorKind::usage, ""};
  }

  /// Of memory that nobody reads.
  static void* address(std::size_t value) {
    return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr)
  }

  const std::vector<Rank> ranks_ = {{address(10), address(20), nullptr}, {address(11), address(21), nullptr}};
};

TEST_F(NcclLibrary, ConnectsTheDevicesWithoutMulticastAndReleasesThem) {
  setenv("NCCL_NVLS_ENABLE", "1", 1);
  calls();
  {
    const Communicators communicators({3, 1});
    EXPECT_EQ(communicators.version(), "NCCL 2.28.9");
    EXPECT_EQ(calls(), "ncclCommInitAll(NVLS=0 3 1)\n");
  }
  EXPECT_EQ(calls(), "ncclCommAbort(103)\nncclCommAbort(101)\n");
}

TEST_F(NcclLibrary, ConnectsTheDeviceOfThisProcessWithThoseOfOthers) {
  calls();
  {
    const Communicators communicators("node1:7000", 1, 3);
    communicators.all_reduce({ranks_.front()}, 8, Type::f32);
  }
  EXPECT_EQ(calls(),
            "ncclGetUniqueId()\nncclCommInitRank(NVLS=0 1 of 3, node1:7000)\nncclGroupStart()\n"
            "ncclAllReduce(10 20 8 7 0 100 0)\nncclGroupEnd()\nncclCommAbort(100)\n");
}

TEST_F(NcclLibrary, SplitsOffSomeOfTheRanks) {
  const Communicators communicators("node1:7000", 1, 3);
  calls();
  {
    const auto part = communicators.split(true);
    part->all_reduce({ranks_.front()}, 8, Type::f32);
  }
  EXPECT_EQ(calls(),
            "ncclCommSplit(100 0 0)\nncclGroupStart()\nncclAllReduce(10 20 8 7 0 200 0)\nncclGroupEnd()\n"
            "ncclCommAbort(200)\n");
  EXPECT_EQ(communicators.split(false), nullptr);
  EXPECT_EQ(calls(), "ncclCommSplit(100 -1 0)\n");
}

TEST_F(NcclLibrary, EveryCollectiveIsAGroupOfAllRanks) {
  const Communicators communicators({0, 1});
  calls();
  communicators.all_reduce(ranks_, 8, Type::f32);
  EXPECT_EQ(calls(),
            "ncclGroupStart()\nncclAllReduce(10 20 8 7 0 100 0)\nncclAllReduce(11 21 8 7 0 101 0)\n"
            "ncclGroupEnd()\n");
  communicators.all_gather(ranks_, 4, Type::f64);
  EXPECT_EQ(calls(), "ncclGroupStart()\nncclAllGather(4 100)\nncclAllGather(4 101)\nncclGroupEnd()\n");
  communicators.reduce_scatter(ranks_, 4, Type::i32);
  EXPECT_EQ(calls(),
            "ncclGroupStart()\nncclReduceScatter(4 0 100)\nncclReduceScatter(4 0 101)\nncclGroupEnd()\n");
  communicators.broadcast(ranks_, 4, Type::i32);
  EXPECT_EQ(calls(), "ncclGroupStart()\nncclBroadcast(4 0 100)\nncclBroadcast(4 0 101)\nncclGroupEnd()\n");
}

TEST_F(NcclLibrary, EachRankSendsToTheNextAndTheLastToTheFirst) {
  const Communicators communicators(std::vector<int>{0, 1, 2});
  calls();
  communicators.send_to_next({{address(10), address(20), nullptr},
                              {address(11), address(21), nullptr},
                              {address(12), address(22), nullptr}},
                             1, Type::f32);
  EXPECT_EQ(calls(),
            "ncclGroupStart()\n"
            "ncclSend(10 to 1 100)\nncclRecv(20 from 2 100)\n"
            "ncclSend(11 to 2 101)\nncclRecv(21 from 0 101)\n"
            "ncclSend(12 to 0 102)\nncclRecv(22 from 1 102)\n"
            "ncclGroupEnd()\n");
}

TEST_F(NcclLibrary, AFailedCallIsNamedAndItsGroupEnded) {
  const Communicators communicators({0, 1});
  calls();
  setenv("FAKE_NCCL_FAILS", "ncclAllReduce", 1);
  const Error error = error_of([&] { communicators.all_reduce(ranks_, 8, Type::f32); });
  EXPECT_EQ(error.kind(), ErrorKind::measurement);
  EXPECT_STREQ(error.what(), "ncclAllReduce: unhandled system error");
  EXPECT_THAT(error.hint(), HasSubstr("NCCL_DEBUG"));
  EXPECT_EQ(calls(), "ncclGroupStart()\nncclAllReduce(10 20 8 7 0 100 0)\nncclGroupEnd()\n");
}

TEST_F(NcclLibrary, DevicesThatCannotBeConnectedAreAnError) {
  setenv("FAKE_NCCL_FAILS", "ncclCommInitAll", 1);
  const Error error = error_of([] { const Communicators communicators({0, 1}); });
  EXPECT_STREQ(error.what(), "ncclCommInitAll: unhandled system error");
}

TEST_F(NcclLibrary, WithoutALibraryTheErrorNamesWhereItWasLookedForAndHowToGetIt) {
  setenv("ROOFLINECTL_NCCL", "/nowhere/libnccl.so.2", 1);
  const Error error = error_of([] { const Communicators communicators({0, 1}); });
  EXPECT_EQ(error.kind(), ErrorKind::environment);
  EXPECT_THAT(error.what(), HasSubstr("NCCL is missing (set by ROOFLINECTL_NCCL): /nowhere/libnccl.so.2"));
  EXPECT_THAT(error.hint(), HasSubstr("install libnccl2, or set ROOFLINECTL_NCCL"));
}

TEST_F(NcclLibrary, ALibraryWithoutTheFunctionsIsTooOld) {
  setenv("ROOFLINECTL_NCCL", "libc.so.6", 1);
  const Error error = error_of([] { const Communicators communicators({0, 1}); });
  EXPECT_EQ(error.kind(), ErrorKind::environment);
  EXPECT_THAT(error.what(), HasSubstr("NCCL is too old: it has no ncclGetVersion"));
}

}  // namespace
}  // namespace rooflinectl::nccl
