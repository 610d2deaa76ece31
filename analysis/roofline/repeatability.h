// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/roofline/bound.h"
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

/// Half the width of the 95 % interval of the mean work of all launches of a program's kernel, relative to
/// it: from the spread of those that were counted, which are taken to be a random sample (E. Lord,
/// *Biometrika* 34, 1947). `resource`: whose amount it is. 0 if each launch of a period was counted. Nothing
/// if only one was.
std::optional<double> relative_half_width_of_work(const Measurement& measurement, Bound resource);

/// Whether operations of some launches may be divided by the bytes of others: they are alike, or the counts
/// of both stand for all launches.
bool is_of_all_launches(const Measurement& measurement);

/// `its launches do different work: 32 % 8.59e9, 68 % 3.44e10 tensor_bf16_ops; …`. Nothing where they do not.
std::optional<std::string> cluster_evidence(const Measurement& measurement);

/// The evidence that the launch does not execute the same instructions every time, as a sentence; nothing if
/// there is none. Launches of a program that repeat after a period, of which each was counted, need none.
std::optional<std::string> unrepeatable_evidence(const Measurement& measurement);

}  // namespace rooflinectl
