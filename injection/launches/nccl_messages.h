// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// How many bytes NCCL's collectives move, which the NVTX ranges of its functions show.
namespace rooflinectl::injection {

/// NCCL's NVTX domain.
inline constexpr std::string_view kNcclDomain = "NCCL";

/// Whether that function of NCCL is one that launches kernels: a collective, send or receive.
bool moves_bytes(std::string_view function);

/// The bytes of one message from the payload of a range that NCCL opens: of an array, or of one device's part
/// of it where devices gather or scatter. Nothing for other functions, and for versions with other payloads.
/// Source: NCCL 2.28, src/include/nvtx_payload_schemas.h.
std::optional<std::uint64_t> nccl_message_bytes(std::string_view function, std::string_view payload);

/// The calls of a thread whose kernels have not been launched yet: the kernels of a group are launched when
/// it ends, and one may stand for several calls.
class NcclMessages {
 public:
  void add(std::optional<std::uint64_t> bytes);
  bool empty() const { return calls_ == 0; }
  /// A kernel of NCCL is launched: the bytes of the only call that it can belong to.
  std::optional<std::uint64_t> take();

 private:
  std::uint64_t calls_ = 0;
  std::optional<std::uint64_t> bytes_;  // of the last one
};

/// Those of the calling thread.
NcclMessages& nccl_messages();

}  // namespace rooflinectl::injection
