// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl {

std::string_view to_string(Unit unit) {
  if (unit == Unit::bytes_per_s) return "bytes/s";
  return unit == Unit::seconds ? "s" : enumerator_name(unit);
}

std::span<const Quantity* const> compared_quantities() {
  using namespace quantity;
  static constexpr const Quantity* kCompared[] = {&kFlopsPerElement,
                                                  &kDramBytesPerElement,
                                                  &kL2BytesPerElement,
                                                  &kSharedBytesPerElement,
                                                  &kInstructionsPerElement,
                                                  &kIntegerInstructionsPerElement,
                                                  &kAtomicsPerElement,
                                                  &kBytesInFlightPerThread,
                                                  &kWarpEfficiency,
                                                  &kNonpredWarpEfficiency,
                                                  &kOccupancy,
                                                  &kBranchDivergence,
                                                  &kSharedWavefronts,
                                                  &kLoadSectorEfficiency,
                                                  &kFlopsPerLaunch,
                                                  &kDramBytesPerLaunch,
                                                  &kL2BytesPerLaunch,
                                                  &kInstructionsPerLaunch};
  return kCompared;
}

}  // namespace rooflinectl
