// SPDX-License-Identifier: Apache-2.0
#include "core/files/hash.h"

#include <sha2.h>

#include <array>
#include <cstdint>

namespace rooflinectl {

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

std::string cut_name(std::string_view name, std::size_t length) {
  if (name.size() <= length) return std::string(name);
  const std::string end = "..." + sha256(name).substr(0, 12);
  return std::string(name.substr(0, length - end.size())) + end;
}

}  // namespace rooflinectl
