// SPDX-License-Identifier: Apache-2.0
#include "reports/charts/model/chart_model.h"

namespace rooflinectl {
namespace {

// Those of families. As many shapes as colours: see `shape_names`.
constexpr std::size_t kColours = 6;
constexpr std::size_t kShapes = kColours;

// The `member`th of those that share a colour.
FamilyLook sharing(std::size_t colour, std::size_t member) {
  return {colour, (colour + member) % kShapes};
}

}  // namespace

FamilyLook look_of(std::size_t family) {
  // From one round of colours to the next, each colour gets the next shape.
  return sharing(family % kColours, family / kColours);
}

FamilyLook look_of(Bound bound) {
  switch (bound) {
    case Bound::dram:
      return sharing(0, 0);
    case Bound::tensor:
      return sharing(1, 0);
    case Bound::issue_slots:
      return sharing(2, 0);
    case Bound::alu:
      return sharing(2, 1);
    case Bound::xu:
      return sharing(2, 2);
    case Bound::latency:
      return sharing(3, 0);
    case Bound::memory_latency:
      return sharing(3, 2);
    case Bound::instruction_latency:
      return sharing(3, 3);
    case Bound::other_kernels:
      return sharing(4, 5);
    case Bound::bytes_in_flight:
      return sharing(3, 1);
    case Bound::launch_overhead:
      return sharing(6, 5);
    case Bound::barriers:
      return sharing(7, 5);
    case Bound::tail:
      return sharing(7, 0);
    case Bound::atomics:
      return sharing(7, 1);
    case Bound::fp64:
      return sharing(4, 0);
    case Bound::fp32:
      return sharing(4, 1);
    case Bound::fp16:
      return sharing(4, 2);
    case Bound::int32:
      return sharing(4, 3);
    case Bound::l2:
      return sharing(5, 0);
    case Bound::l1:
      return sharing(5, 1);
    case Bound::shared:
      return sharing(5, 2);
    case Bound::nvlink:
      return sharing(5, 3);
    case Bound::communication:
      return sharing(4, 4);
    case Bound::unknown:
      break;
  }
  return {std::nullopt, 0};
}

Colour family_colour(const FamilyLook& look) {
  return look.colour ? palette::kFamilies.at(*look.colour) : palette::kMuted;
}

}  // namespace rooflinectl
