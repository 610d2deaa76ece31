// SPDX-License-Identifier: Apache-2.0
// Both directions of the collector's protocol: what can be decoded is still the same after encoding and
// decoding; anything else is an Error.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "core/serial/protocol.h"

using namespace rooflinectl;

namespace {

/// `decode` returns a value that `encode` accepts.
template <typename Decode>
void check(std::string_view text, Decode decode, ErrorKind refusal) {
  try {
    const std::string once = encode(decode(text));
    if (encode(decode(once)) != once) std::abort();
  } catch (const Error& error) {
    if (error.kind() != refusal) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, decode, ErrorKind::environment);
  check(text, decode_request, ErrorKind::usage);
  check(text, decode_catalogue, ErrorKind::usage);
  check(text, decode_devices, ErrorKind::usage);
  check(text, decode_chips, ErrorKind::usage);
  check(text, decode_checks, ErrorKind::usage);
  check(text, decode_tested_device, ErrorKind::usage);
  check(text, decode_links, ErrorKind::usage);
  check(text, decode_collectives, ErrorKind::usage);
  return 0;
}
