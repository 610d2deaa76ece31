// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/roofline/roof.h"
#include "core/model/run.h"

/// The operations that a kernel executed, from its counters.
namespace rooflinectl {

/// The operations of f64 or f32 instructions, as counted. Nothing for other types, and where a counter that
/// they need is unavailable.
std::optional<Operations> counted_operations(const Counters& counters, Dtype precision);

/// Those of them that were counted; 0 where none were.
Operations operations_at_least(const Counters& counters, Dtype precision);

/// The floating-point operations of all types that were counted: at least so many ran. Nothing where there
/// are none.
std::optional<double> operations_at_least(const Counters& counters);

/// Operations on Tensor Cores, as counted, and the time that they need at the ceilings of the products that
/// the machine code has (`TensorProducts`). If there is none of such products, that of dense ones of the
/// counted type with the usual accumulator and without scales stands in; of a kernel that multiplies sparse
/// matrices, twice that, since the operations on zeros are counted, too.
struct TensorWork {
  ResourceUse use;                   ///< without a time where a ceiling is missing
  std::string_view missing_ceiling;  ///< that one: `f16_tensor`
};
/// Nothing where they were not counted.
std::optional<TensorWork> tensor_work(const Measurement& measurement, const Ceilings& ceilings);

/// Why this counter has no value, in words to be added to “not counted”; empty where it is not known.
std::string why_not_counted(const Counters& counters, std::string_view key);

/// All floating-point operations that a point executed, or why that is not known. For a kernel of a profiled
/// program, which has no type declared, those of all types: FP64, FP32, and of the Tensor Cores. There is no
/// such number where FP16 or BF16 instructions outside of the Tensor Cores could be more than 1 % of them:
/// only instructions are counted, with one or two values each. Where instructions were not counted by type,
/// the operations of the Tensor Cores count as all of them if the others that the pipes executed could be no
/// more than 1 % of them. A kernel whose declared type is FP16 or BF16, and whose machine code only converts
/// these, is counted likewise.
struct ExecutedWork {
  std::optional<double> flops;
  std::string missing;  ///< empty where `flops` is there, and for integers
};
/// There are none where operations ran that the counters do not see: atomic additions, which L2 carries out,
/// or tensor instructions whose operations were not counted.
/// `compiled`: its code if it is a kernel from a file, else null.
ExecutedWork executed_work(const Measurement& measurement, const CompiledKernel* compiled = nullptr);

// The roof over a kernel with nothing declared: that of the work that was counted (docs/internals/method.md,
// “The roof of a program's kernel”).

/// What a launch of `measurement` asks of every memory level and pipe, and the least time that each takes
/// under `ceilings` (of L1 and shared memory, which have one data pipe, the one that
/// needs more of it takes the time of both): those that need longest first, then what was not counted or has
/// no ceiling, with the reason.
std::vector<ResourceUse> resource_uses(const Measurement& measurement, const Ceilings& ceilings);

/// Bytes that DRAM moved beyond those that the kernel asked for: others had left them in L2, and they were
/// written back meanwhile. 0 if that was not counted.
double bytes_of_others(const Counters& counters);

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
