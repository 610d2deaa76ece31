// SPDX-License-Identifier: Apache-2.0
// Instructions and operations, and the lanes that execute them.
#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl::quantity {

const Quantity kFlopsPerElement =
    compared(in_unit<Unit::count>("executed FLOP per element", "executed flops / n, if they are known",
                                  [](R, P p) { return per_element(p, p.flops_executed); }),
             {.fell = "fewer executed operations", .rose = "more executed operations"});

const Quantity kFlopsPerLaunch = compared(
    in_unit<Unit::count>("executed FLOP per launch", "executed flops, of a profiled program's kernel",
                         [](R, P p) { return per_launch(p, p.flops_executed); }),
    {.fell = "fewer executed operations", .rose = "more executed operations"});

const Quantity kInstructionsPerLaunch =
    compared(in_unit<Unit::count>("warp instructions per launch",
                                  "`warp_instructions`, of a profiled program's kernel",
                                  [](R, P p) { return per_launch(p, count(p, counter::kWarpInstructions)); }),
             {.fell = "fewer instructions", .rose = "more instructions"});

const Quantity kRedundancy = of_declared_work(in_unit<Unit::factor>(
    "redundancy", "executed flops / useful flops", [](R, P p) { return p.redundancy; }));

const Quantity kUsefulIntensity = of_declared_work(in_unit<Unit::count>(
    "useful intensity", "useful flops / declared bytes", [](R, P p) { return p.ai_useful; }));

const Quantity kExecutedIntensity = in_unit<Unit::count>("executed intensity", "executed flops / DRAM bytes",
                                                         [](R, P p) { return p.ai_executed; });

const Quantity kInstructionsPerElement = compared(
    in_unit<Unit::count>("warp instructions per element", "`warp_instructions` / n",
                         [](R, P p) { return per_element(p, count(p, counter::kWarpInstructions)); }),
    {.fell = "fewer instructions", .rose = "more instructions"});

const Quantity kInstructionsPer32Elements = of_declared_work(in_unit<Unit::count>(
    "warp instructions per 32 elements",
    "`warp_instructions` / (n / 32): of one warp, if each lane takes one element", [](R, P p) {
      return quotient(count(p, counter::kWarpInstructions), quotient(size_of(p.measurement->point), 32));
    }));

const Quantity kIntegerInstructionsPerElement =
    compared(in_unit<Unit::count>("integer instructions per element",
                                  "`integer_ops` / n; includes address arithmetic and loop counters",
                                  [](R, P p) { return per_element(p, count(p, counter::kIntegerOps)); }),
             {.fell = "fewer integer instructions", .rose = "more integer instructions"});

const Quantity kWarpEfficiency = compared(
    in_unit<Unit::ratio>("warp execution efficiency",
                         "`warp_execution_efficiency`: active lanes per instruction, over 32",
                         counted<counter::kWarpExecutionEfficiency>),
    {.fell = "more lanes idle in branches", .rose = "fewer lanes idle in branches", .is_cost = false});

const Quantity kNonpredWarpEfficiency = compared(
    in_unit<Unit::ratio>(
        "non-predicated warp execution efficiency",
        "`warp_nonpred_execution_efficiency`: the same without lanes that are predicated off. A short `if` "
        "is predicated, and leaves the first near 100 % while most lanes idle",
        counted<counter::kWarpNonpredExecutionEfficiency>),
    {.fell = "more inactive lanes", .rose = "fewer inactive lanes", .is_cost = false});

const Quantity kPredicatedOff = in_unit<Unit::ratio>(
    "lanes predicated off", "warp execution efficiency − non-predicated warp execution efficiency",
    [](R, P p) -> MaybeValue {
      const auto active = count(p, counter::kWarpExecutionEfficiency);
      const auto on = count(p, counter::kWarpNonpredExecutionEfficiency);
      return active && on ? MaybeValue(*active - *on) : std::nullopt;
    });

const Quantity kBranchDivergence =
    compared(in_unit<Unit::ratio>("divergent branches", "`branch_targets_divergent` / `branch_targets`",
                                  [](R, P p) {
                                    return quotient(count(p, counter::kBranchTargetsDivergent),
                                                    count(p, counter::kBranchTargets));
                                  }),
             {.fell = "fewer divergent branches", .rose = "more divergent branches"});

const Quantity kUnvectorised =
    in_unit<Unit::count>("elementwise kernel without vectorised accesses",
                         "1 for PyTorch's `unrolled_elementwise_kernel` and `elementwise_kernel`, else 0",
                         [](R, P p) -> MaybeValue {
                           const std::string& name = p.measurement->point.subject;
                           const bool is_unvectorised =
                               name.find("at::native::unrolled_elementwise_kernel<") != std::string::npos ||
                               name.find("at::native::elementwise_kernel<") != std::string::npos;
                           return is_unvectorised ? 1 : 0;
                         });

}  // namespace rooflinectl::quantity
