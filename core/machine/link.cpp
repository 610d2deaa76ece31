// SPDX-License-Identifier: Apache-2.0
#include "core/machine/link.h"

#include "core/enum_names.h"

namespace rooflinectl {

std::string_view to_string(LinkMover mover) {
  return enumerator_name(mover);
}

std::optional<LinkMistake> mistake_in(const LinkBandwidth& link, std::size_t n_devices) {
  constexpr std::string_view kValue = "bytes_per_s";
  constexpr std::string_view kNoDevice = "there is no such device";
  if (link.from >= n_devices) return LinkMistake{"from", kNoDevice};
  if (link.to >= n_devices) return LinkMistake{"to", kNoDevice};
  if (link.from == link.to) return LinkMistake{"to", "a link from a device to itself"};
  const bool has_value = link.bytes_per_s > 0;
  if (has_value && !link.missing.empty())
    return LinkMistake{kValue, "a value, and a reason why there is none"};
  if (!has_value && link.missing.empty()) return LinkMistake{kValue, "no value, and no reason why"};
  return std::nullopt;
}

}  // namespace rooflinectl
