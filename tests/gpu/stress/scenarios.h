// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tests/gpu/stress/lanes.h"

namespace stress {

// Parts: each may run in any number of threads at once, beside any others. None waits for the whole device or
// captures in the global mode, since both would fail or disturb others.

/// Kernels from the whole pool on one stream, new ones all the time, with ever new grids.
std::string lasting_streams(Random random, int launches);
/// The same on streams that are made and destroyed all the time, in order by events.
std::string passing_streams(Random random, int rounds);
/// Copies from and to pinned, registered and pageable memory, memsets and allocations in stream order.
std::string copies(Random random, int rounds);
/// Graphs that are captured or built, updated, launched again while they run, and destroyed early.
std::string graphs(Random random, int rounds);
/// Contexts of the driver that come and go, with modules of their own.
std::string contexts(Random random, int rounds);
/// Modules and libraries in the primary context: other code under the same name.
std::string modules(Random random, int rounds);
/// Children that only open NVTX ranges.
std::string children(Random random, int children);
/// NVTX ranges of every kind, with launches in them.
std::string ranges(Random random, int rounds);
/// Launches that fail, between others that do not.
std::string failures(Random random, int rounds);
/// Cooperative launches, clusters, programmatic dependent launches, priorities.
std::string attributes(Random random, int rounds);

// Scenarios. Each returns the exit code, if it returns.

int threads(const Plan& plan);
int phased(const Plan& plan);
int groups(const Plan& plan);
int streams(const Plan& plan);
int copies_in_threads(const Plan& plan);
int graphs_in_threads(const Plan& plan);
int captures(const Plan& plan);
int shared_graph(const Plan& plan);
int new_graphs(const Plan& plan);
int contexts_in_threads(const Plan& plan);
int modules_in_threads(const Plan& plan);
int forks(const Plan& plan);
int early_forks(const Plan& plan);
int ranges_in_threads(const Plan& plan);
int numbered_ranges(const Plan& plan);
int distinct_ranges(const Plan& plan);
int failures_in_threads(const Plan& plan);
int attributes_in_threads(const Plan& plan);
int long_kernels(const Plan& plan);
int waiting_kernels(const Plan& plan);
int waiting_graphs(const Plan& plan);
int devices(const Plan& plan);
int mixed(const Plan& plan);

int exit_by_return(const Plan& plan);
int exit_beside_launches(const Plan& plan);
int exit_in_thread(const Plan& plan);
int exit_at_once(const Plan& plan);
int exit_quickly(const Plan& plan);
int exit_by_abort(const Plan& plan);
int exit_by_handler(const Plan& plan);
int exit_by_kill(const Plan& plan);
int exit_by_segmentation_fault(const Plan& plan);
int exit_by_exception(const Plan& plan);
int exit_after_reset(const Plan& plan);
int exit_after_main_thread(const Plan& plan);
int exit_by_exec(const Plan& plan);
int exit_after_illegal_address(const Plan& plan);

/// Waits for the child and returns its exit code, 128 + N after signal N, or -1 if it had to be killed
/// because it hung; then says on standard error where it hung.
int end_of_child(int child);

}  // namespace stress
