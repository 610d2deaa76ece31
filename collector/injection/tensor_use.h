// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "collector/injection/launch_sampling.h"
#include "core/model/counters.h"

namespace rooflinectl::injection {

/// What the passes so far have shown of a group's work on the tensor cores, and which pass has still
/// something of it to count. What a type's pass counts is enough where it gives each instruction a number of
/// operations that such instructions have.
class TensorUse {
 public:
  /// Takes in the counters of a launch, and adds what they, and those of earlier passes, say of the tensor
  /// pipe. Returns the pass that is needed next, if one is.
  std::optional<Pass> understand(Pass pass, Counters& counters);

 private:
  static std::optional<Pass> next_type(double per_instruction, Pass pass);

  double packed_instructions_ =
      0;  // of warps, on f16 and bf16, which the tensor pipe carries out on some chips
  double matrix_instructions_ = 0;
};

}  // namespace rooflinectl::injection
