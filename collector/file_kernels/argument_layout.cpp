// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "collector/file_kernels/argument_memory.h"
#include "collector/points/prepared_point.h"

namespace rooflinectl {

ArgumentLayout::ArgumentLayout(std::vector<CallArgument> arguments)
    : arguments_(std::move(arguments)), offsets_(arguments_.size()) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].kind == ArgumentKind::scalar) continue;
    const std::size_t begin = bytes_ + kGuardBytes;
    const std::size_t end = begin + arguments_[i].bytes();
    offsets_[i] = begin;
    guards_.push_back({.argument = i, .is_after = false, .begin = bytes_, .end = begin});
    bytes_ = align_up(end + kGuardBytes);
    guards_.push_back({.argument = i, .is_after = true, .begin = end, .end = bytes_});
  }
}

std::string ArgumentLayout::describe(const GuardDamage& damage) const {
  const GuardRegion& region = guards_[damage.region];
  const CallArgument& argument = arguments_[region.argument];
  // The byte next to the argument is number 1.
  const std::size_t nearest = region.is_after ? damage.first - region.begin + 1 : region.end - damage.last;
  const std::size_t farthest = region.is_after ? damage.last - region.begin + 1 : region.end - damage.first;
  const bool may_be_more = farthest == region.end - region.begin;
  return fmt::format("wrote outside '{}' ({} {} of {}): bytes {} to {} {}{}", argument.name, argument.count,
                     argument.count == 1 ? "element" : "elements", to_string(argument.type), nearest,
                     farthest, region.is_after ? "behind its end" : "before its beginning",
                     may_be_more ? ", or more" : "");
}

}  // namespace rooflinectl
