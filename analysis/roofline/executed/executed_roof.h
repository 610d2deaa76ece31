// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analysis/roofline/roof.h"

/// The roof over a kernel with nothing declared: that of the work that was counted (docs/internals/method.md,
/// “The roof of a program's kernel”).
namespace rooflinectl {

/// What a launch of `measurement` asks of every memory level and pipe, and the least time that each takes
/// under `ceilings` (of L1 and shared memory, which have one data pipe, the one that
/// needs more of it takes the time of both): those that need longest first, then what was not counted or has
/// no ceiling, with the reason.
std::vector<ResourceUse> resource_uses(const Measurement& measurement, const Ceilings& ceilings);

/// Who counted a kernel: `rooflinectl profile`, which counts all that a roof needs, or another tool, whose
/// sections cover parts of it.
enum class Counting { ours, imported };

/// Whether the roof is unknown without it. L1, shared memory and issue slots are left out where they are
/// unknown, for imported kernels L2 and FP16 as well: then the roof may be closer than shown.
bool is_indispensable(const ResourceUse& use, Counting counting);

/// The pipe that the counted floating-point operations need longest: FP64, FP32, FP16 or the Tensor Cores.
/// Null where there are none, or none is known.
const ResourceUse* main_pipe(const std::vector<ResourceUse>& uses);

/// The resource that needs longest is the roof; a pipe that needs three quarters of what the issue slots do,
/// in their place. There is none where an indispensable resource that may need
/// longer is unknown, or nothing is asked of any. Of an imported kernel, it is then that of the work that was
/// counted, if there is any: partly counted, with the reason. `flops`: executed ones, nothing where they are
/// not known.
RoofOrReason executed_roof(const std::vector<ResourceUse>& uses, std::optional<double> flops,
                           Counting counting);

}  // namespace rooflinectl
