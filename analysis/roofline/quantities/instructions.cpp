// SPDX-License-Identifier: Apache-2.0
// Instructions and operations, and the lanes that execute them.
#include "analysis/roofline/quantities/formulas.h"
#include "analysis/roofline/quantities/quantities.h"

namespace rooflinectl::quantity {

const Quantity kFlopsPerElement = {
    .name = "executed FLOP per element",
    .unit = Unit::count,
    .formula = "executed flops / n, if they are known",
    .of = [](R, P p) { return per_element(p, p.flops_executed); },
    .change = ChangeMeaning{.fell = "fewer executed operations", .rose = "more executed operations"}};

const Quantity kFlopsPerLaunch = {
    .name = "executed FLOP per launch",
    .unit = Unit::count,
    .formula = "executed flops, of a profiled program's kernel",
    .of = [](R, P p) { return per_launch(p, p.flops_executed); },
    .change = ChangeMeaning{.fell = "fewer executed operations", .rose = "more executed operations"}};

const Quantity kInstructionsPerLaunch = {
    .name = "warp instructions per launch",
    .unit = Unit::count,
    .formula = "`warp_instructions`, of a profiled program's kernel",
    .of = [](R, P p) { return per_launch(p, count(p, counter::kWarpInstructions)); },
    .change = ChangeMeaning{.fell = "fewer instructions", .rose = "more instructions"}};

const Quantity kRedundancy = {.name = "redundancy",
                              .unit = Unit::factor,
                              .formula = "executed flops / useful flops",
                              .of = [](R, P p) { return p.redundancy; },
                              .is_of_declared_work = true};

const Quantity kUsefulIntensity = {.name = "useful intensity",
                                   .unit = Unit::count,
                                   .formula = "useful flops / declared bytes",
                                   .of = [](R, P p) { return p.ai_useful; },
                                   .is_of_declared_work = true};

const Quantity kExecutedIntensity = {.name = "executed intensity",
                                     .unit = Unit::count,
                                     .formula = "executed flops / DRAM bytes",
                                     .of = [](R, P p) { return p.ai_executed; }};

const Quantity kInstructionsPerElement = {
    .name = "warp instructions per element",
    .unit = Unit::count,
    .formula = "`warp_instructions` / n",
    .of = [](R, P p) { return per_element(p, count(p, counter::kWarpInstructions)); },
    .change = ChangeMeaning{.fell = "fewer instructions", .rose = "more instructions"}};

const Quantity kInstructionsPer32Elements = {
    .name = "warp instructions per 32 elements",
    .unit = Unit::count,
    .formula = "`warp_instructions` / (n / 32): of one warp, if each lane takes one element",
    .of =
        [](R, P p) {
          return quotient(count(p, counter::kWarpInstructions), quotient(size_of(p.measurement->point), 32));
        },
    .is_of_declared_work = true};

const Quantity kIntegerInstructionsPerElement = {
    .name = "integer instructions per element",
    .unit = Unit::count,
    .formula = "`integer_ops` / n; includes address arithmetic and loop counters",
    .of = [](R, P p) { return per_element(p, count(p, counter::kIntegerOps)); },
    .change = ChangeMeaning{.fell = "fewer integer instructions", .rose = "more integer instructions"}};

const Quantity kWarpEfficiency = {
    .name = "warp execution efficiency",
    .unit = Unit::ratio,
    .formula = "`warp_execution_efficiency`: active lanes per instruction, over 32",
    .of = counted<counter::kWarpExecutionEfficiency>,
    .change = ChangeMeaning{
        .fell = "more lanes idle in branches", .rose = "fewer lanes idle in branches", .is_cost = false}};

const Quantity kNonpredWarpEfficiency = {
    .name = "non-predicated warp execution efficiency",
    .unit = Unit::ratio,
    .formula =
        "`warp_nonpred_execution_efficiency`: the same without lanes that are predicated off. A short `if` "
        "is predicated, and leaves the first near 100 % while most lanes idle",
    .of = counted<counter::kWarpNonpredExecutionEfficiency>,
    .change = ChangeMeaning{.fell = "more inactive lanes", .rose = "fewer inactive lanes", .is_cost = false}};

const Quantity kPredicatedOff = {
    .name = "lanes predicated off",
    .unit = Unit::ratio,
    .formula = "warp execution efficiency − non-predicated warp execution efficiency",
    .of = [](R, P p) -> MaybeValue {
      const auto active = count(p, counter::kWarpExecutionEfficiency);
      const auto on = count(p, counter::kWarpNonpredExecutionEfficiency);
      return active && on ? MaybeValue(*active - *on) : std::nullopt;
    }};

const Quantity kBranchDivergence = {
    .name = "divergent branches",
    .unit = Unit::ratio,
    .formula = "`branch_targets_divergent` / `branch_targets`",
    .of =
        [](R, P p) {
          return quotient(count(p, counter::kBranchTargetsDivergent), count(p, counter::kBranchTargets));
        },
    .change = ChangeMeaning{.fell = "fewer divergent branches", .rose = "more divergent branches"}};

const Quantity kUnvectorised = {
    .name = "elementwise kernel without vectorised accesses",
    .unit = Unit::count,
    .formula = "1 for PyTorch's `unrolled_elementwise_kernel` and `elementwise_kernel`, else 0",
    .of = [](R, P p) -> MaybeValue {
      const std::string& name = p.measurement->point.subject;
      const bool is_unvectorised =
          name.find("at::native::unrolled_elementwise_kernel<") != std::string::npos ||
          name.find("at::native::elementwise_kernel<") != std::string::npos;
      return is_unvectorised ? 1 : 0;
    }};

}  // namespace rooflinectl::quantity
