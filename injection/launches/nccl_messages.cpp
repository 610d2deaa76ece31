// SPDX-License-Identifier: Apache-2.0
#include "injection/launches/nccl_messages.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace rooflinectl::injection {

namespace {

/// A function whose payload begins with the communicator (8 bytes), followed by the bytes of a message.
struct Payload {
  std::string_view function;
  std::size_t size;
};

constexpr std::array kPayloads = {
    Payload{"ncclAllReduce", 24}, Payload{"ncclAllGather", 16}, Payload{"ncclReduceScatter", 24},
    Payload{"ncclBroadcast", 24}, Payload{"ncclReduce", 24},    Payload{"ncclSend", 24},
    Payload{"ncclRecv", 24},      Payload{"ncclAlltoAll", 16},  Payload{"ncclGather", 24},
    Payload{"ncclScatter", 24},
};

const Payload* known_payload(std::string_view function) {
  const auto known =
      std::ranges::find_if(kPayloads, [&](const Payload& one) { return one.function == function; });
  return known == kPayloads.end() ? nullptr : &*known;
}

}  // namespace

bool moves_bytes(std::string_view function) {
  return known_payload(function) != nullptr;
}

std::optional<std::uint64_t> nccl_message_bytes(std::string_view function, std::string_view payload) {
  const Payload* known = known_payload(function);
  if (known == nullptr || known->size != payload.size()) return std::nullopt;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, payload.data() + sizeof(std::uint64_t), sizeof bytes);
  return bytes;
}

void NcclMessages::add(std::optional<std::uint64_t> bytes) {
  ++calls_;
  bytes_ = bytes;
}

std::optional<std::uint64_t> NcclMessages::take() {
  return std::exchange(calls_, 0) == 1 ? bytes_ : std::nullopt;
}

NcclMessages& nccl_messages() {
  static thread_local NcclMessages messages;
  return messages;
}

}  // namespace rooflinectl::injection
