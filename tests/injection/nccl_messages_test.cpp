// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/nccl_messages.h"

#include <gtest/gtest.h>

#include <string>

namespace rooflinectl::injection::nccl_messages_test {
namespace {

/// What NCCL gives its ranges: a communicator, the bytes of a message, and `rest` bytes of others.
std::string payload_of(std::uint64_t bytes, std::size_t rest) {
  constexpr std::uint64_t kCommunicator = 0x1234;
  std::string payload(reinterpret_cast<const char*>(&kCommunicator), sizeof kCommunicator);
  payload.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return payload + std::string(rest, '\7');
}

TEST(NcclMessages, HaveTheirBytesBehindTheCommunicator) {
  EXPECT_EQ(nccl_message_bytes("ncclAllReduce", payload_of(1 << 20, 8)), 1 << 20);
  EXPECT_EQ(nccl_message_bytes("ncclAllGather", payload_of(4096, 0)), 4096);
}

TEST(NcclMessages, OfOtherFunctionsAndVersionsAreNotKnown) {
  EXPECT_EQ(nccl_message_bytes("ncclGroupEnd", payload_of(1 << 20, 8)), std::nullopt);
  EXPECT_EQ(nccl_message_bytes("ncclAllReduce", payload_of(1 << 20, 0)), std::nullopt)
      << "before NCCL told the communicator";
  EXPECT_EQ(nccl_message_bytes("ncclAllReduce", ""), std::nullopt);
}

TEST(NcclMessages, AreOfFunctionsThatLaunchKernels) {
  EXPECT_TRUE(moves_bytes("ncclReduceScatter"));
  EXPECT_FALSE(moves_bytes("ncclGroupEnd"));
  EXPECT_FALSE(moves_bytes("ncclCommInitRank"));
}

TEST(NcclMessages, AreOfTheKernelThatFollowsOneCall) {
  NcclMessages messages;
  EXPECT_TRUE(messages.empty());
  EXPECT_EQ(messages.take(), std::nullopt) << "of a graph";
  messages.add(64);
  EXPECT_FALSE(messages.empty());
  EXPECT_EQ(messages.take(), 64);
  EXPECT_EQ(messages.take(), std::nullopt) << "the same call's second kernel";
  messages.add(64);
  messages.add(128);
  EXPECT_EQ(messages.take(), std::nullopt) << "a group: one kernel for both, or which?";
  messages.add(std::nullopt);
  EXPECT_EQ(messages.take(), std::nullopt);
}

}  // namespace
}  // namespace rooflinectl::injection::nccl_messages_test
