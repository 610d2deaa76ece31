// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/program/collective.h"

namespace rooflinectl {

/// Times NCCL's collectives over these devices, named by their UUIDs, in sizes up to 1 GiB, or what fits into
/// their memory. The result of each collective is verified first; one whose result is wrong is not timed, and
/// has the reason in its place. With `counters`, the largest size runs once more while those of NVLink count.
/// Without NCCL, the result is the reason alone.
///
/// Throws Error(environment) if there is no driver, no GPU, or too little memory; Error(usage) if there is no
/// such device; Error(measurement) if NCCL fails.
Collectives measure_collectives(const std::vector<std::string>& uuids, bool counters);

}  // namespace rooflinectl
