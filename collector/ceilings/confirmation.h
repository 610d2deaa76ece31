// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/run.h"
#include "kernels/ceiling.h"

namespace rooflinectl {

/// Compares what was counted with the amount that a benchmark declares for the same launch. They agree if
///   - DRAM bytes are within 2 %; written bytes may also lack up to the size of L2, still dirty at the end;
///   - L2, L1 and shared-memory bytes are within 2 %, and less than 2 % of them came from the level below
///     (DRAM for L2, L2 for L1);
///   - operations are within 1 %: the loop around them counts among the integer ones.
Confirmation confirm(const kernels::CeilingBenchmark& benchmark, double amount, const Counters& counters,
                     std::size_t l2_bytes);

}  // namespace rooflinectl
