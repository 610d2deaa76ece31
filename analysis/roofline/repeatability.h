// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/run.h"

/// Which counts are the same every time the launch runs. Code determines most of them, but a kernel that
/// waits in a loop executes as many instructions as the wait takes.
namespace rooflinectl {

/// How far the operations in the type of the work differ between launches of the same code, relative to their
/// number: the largest less the smallest of repeated countings. For integer operations, which waiting loops
/// execute, at least the difference between the instructions counted by hardware and by instrumentation,
/// which see different launches. 0 where they were the same every time, or nothing is known.
double operations_spread(const Measurement& measurement);

/// The same for DRAM bytes, read and written.
double dram_spread(const Measurement& measurement);

/// The largest spread among what code determines: instructions, operations, accesses to shared memory.
double largest_count_spread(const Measurement& measurement);

/// The evidence that the launch does not execute the same instructions every time, as a sentence; nothing if
/// there is none. Launches of a program that repeat after a period, of which each was counted, need none.
std::optional<std::string> unrepeatable_evidence(const Measurement& measurement);

}  // namespace rooflinectl
