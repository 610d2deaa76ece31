// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include "core/counters/counters.h"
#include "injection/launches/launch_sampling.h"

namespace rooflinectl::injection {

/// What the passes so far have shown of a group's work on the Tensor Cores, and which pass still has some of
/// it to count. What a type's pass counts is enough if it comes to a number of operations per instruction
/// that such instructions have. Launches may differ: all of this refers to their means. If the types are
/// known from the machine code, each of them is counted and no other, and nothing at all if there is one type
/// and all of its instructions do as much.
class TensorUse {
 public:
  /// `decoded`: what is known from the machine code.
  explicit TensorUse(const std::optional<DecodedTensor>& decoded = std::nullopt) : decoded_(decoded) {}

  /// Takes in the counters of a launch.
  void add(Pass pass, const Counters& counters);
  /// The pass that is needed after this one, if one is.
  std::optional<Pass> next(Pass pass) const;

 private:
  struct Mean {
    double sum = 0;
    int count = 0;

    void add(double value);
    double value() const { return count == 0 ? 0 : sum / count; }
  };

  std::optional<DecodedTensor> decoded_;
  Mean instructions_;                            // of warps, on matrices
  std::array<Mean, kPasses.size()> operations_;  // of the Tensor Cores
};

}  // namespace rooflinectl::injection
